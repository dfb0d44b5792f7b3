import { createHash } from 'node:crypto'
import {
  encodeBase58,
  formatCursor,
  LAST_PLACE,
  type NotificationEvent,
  WRAPPED_SOL,
} from '@pairwire/contract'

/** Milliseconds of a slot: which slots there are is told by the clock. */
export const SLOT_MS = 400

/** An address by its number. */
export const addressOf = (number: number): string => encodeBase58(new Uint8Array(32).fill(10 + number))

const EXCHANGES = ['pumpswap', 'raydium', 'pumpfun'] as const

/** The events of a slot of a chain that is the same for all who ask: up to six swaps, sometimes a pair, and the block. */
export function slotEvents(slot: number): NotificationEvent[] {
  const bytes = createHash('sha256').update(String(slot)).digest()
  const place = (transactionIndex: number) => formatCursor({ run: 0, slot, transactionIndex, eventIndex: 0 })
  const head = (signature: string) => ({ slot, signature, blockTime: 1_795_000_000 + slot })
  const events: NotificationEvent[] = []
  for (let at = 0; at < bytes[0]! % 7; at++) {
    const [mint, wallet, worth, side] = bytes.subarray(4 * at + 1, 4 * at + 5) as unknown as number[]
    const swap = {
      ...{ sourceExchange: EXCHANGES[worth! % 3]!, ammAccount: addressOf(1), quoteTokenMint: WRAPPED_SOL },
      ...{ baseTokenMint: addressOf(20 + (mint! % 5)), walletAccount: addressOf(40 + (wallet! % 5)) },
      ...{ quotePrice: '0.1', usdValue: worth! % 11 === 0 ? null : worth! * 40, baseAmount: '1' },
      ...{ quoteAmount: String(slot), swapType: side! % 2 === 0 ? ('buy' as const) : ('sell' as const) },
      quoteTokenLiquidity: '',
    }
    events.push({ kind: 'swap', cursor: place(at), params: { ...head(`s${slot}-${at}`), swap } })
  }
  if (bytes[31]! % 4 === 0) {
    const pair = {
      ...{ sourceExchange: EXCHANGES[bytes[30]! % 3]!, ammAccount: addressOf(1) },
      ...{
        baseToken: { account: addressOf(20), info: null },
        quoteToken: { account: WRAPPED_SOL, info: null },
      },
      ...{ baseTokenLiquidityAdded: '1', quoteTokenLiquidityAdded: '2', migration: null },
    }
    events.push({ kind: 'newPair', cursor: place(50), params: { ...head(`p${slot}`), pair } })
  }
  const block = formatCursor({ run: 0, slot, ...LAST_PLACE })
  events.push({
    kind: 'latestBlock',
    cursor: block,
    params: { block: slot, blockTime: 1_795_000_000 + slot },
  })
  return events
}
