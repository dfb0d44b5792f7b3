import {
  encodeBase58,
  formatCursor,
  LAST_PLACE,
  type NotificationEvent,
  WRAPPED_SOL,
} from '@pairwire/contract'

/** How many addresses of each kind are traded, and the exchanges in order. */
const ADDRESSES = 5
const EXCHANGES = ['pumpswap', 'raydium', 'pumpfun'] as const

/** Every 37th slot has as many events as a busy chain, all made at the same moment. */
const BUSY_EVERY = 37
const BUSY_EVENTS = 300

const addresses = (first: number) =>
  Array.from({ length: ADDRESSES }, (_, number) => encodeBase58(new Uint8Array(32).fill(first + number)))
const POOLS = addresses(10)
const WALLETS = addresses(20)
const MINTS = addresses(30)

/** Returns an address by kind and number. */
export function addressOf(kind: 'pool' | 'wallet' | 'mint', number: number): string {
  return { pool: POOLS, wallet: WALLETS, mint: MINTS }[kind][number]!
}

/** Returns the cursor of a slot's block. */
export function blockCursor(slot: number): string {
  return formatCursor({ run: 0, slot, ...LAST_PLACE })
}

/** Number of slots kept instead of made again. */
const REMEMBERED = 2_000
const remembered = new Map<number, readonly NotificationEvent[]>()

/** Returns the events of a slot of a live chain, reproducible from its number; the first has only the block. */
export function eventsOf(slot: number): readonly NotificationEvent[] {
  const known = remembered.get(slot)
  if (known) return known
  const events = makeSlot(slot)
  remembered.set(slot, events)
  if (remembered.size > REMEMBERED) remembered.delete(remembered.keys().next().value!)
  return events
}

function makeSlot(slot: number): readonly NotificationEvent[] {
  const blockTime = 1_795_000_000 + slot
  const events: NotificationEvent[] = []
  const count = slot === 1 ? 0 : slot % BUSY_EVERY === 0 ? BUSY_EVENTS : mixed(slot, 0) % 20
  for (let at = 0; at < count; at++) {
    const pick = (what: number, of: number) => mixed(slot * 1_000 + at, what) % of
    const cursor = formatCursor({ run: 0, slot, transactionIndex: 3 * at, eventIndex: 0 })
    const common = { slot, signature: `signature-${slot}-${at}`, blockTime }
    const sourceExchange = EXCHANGES[pick(1, EXCHANGES.length)]!
    const ammAccount = addressOf('pool', pick(2, ADDRESSES))
    const mint = addressOf('mint', pick(3, ADDRESSES))
    if (pick(4, 8) === 0) {
      const pair = {
        sourceExchange,
        ammAccount,
        baseToken: { account: mint, info: null },
        quoteToken: { account: WRAPPED_SOL, info: null },
        baseTokenLiquidityAdded: '1',
        quoteTokenLiquidityAdded: '2',
        migration: null,
      }
      events.push({ kind: 'newPair', cursor, params: { ...common, pair } })
    } else {
      const swap = {
        sourceExchange,
        ammAccount,
        baseTokenMint: mint,
        quoteTokenMint: WRAPPED_SOL,
        walletAccount: addressOf('wallet', pick(5, ADDRESSES)),
        quotePrice: '0.000000123456789',
        usdValue: pick(6, 4) === 0 ? null : pick(7, 10_000),
        baseAmount: '1000000',
        quoteAmount: '123',
        swapType: pick(8, 2) ? ('buy' as const) : ('sell' as const),
        quoteTokenLiquidity: '',
      }
      events.push({ kind: 'swap', cursor, params: { ...common, swap } })
    }
  }
  events.push({ kind: 'latestBlock', cursor: blockCursor(slot), params: { block: slot, blockTime } })
  return events
}

/** Returns a pseudo-random number. */
function mixed(seed: number, what: number): number {
  let bits = Math.imul(seed ^ (what * 0x9e37_79b9), 0x85eb_ca6b)
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2_ae35)
  return (bits ^ (bits >>> 16)) >>> 0
}
