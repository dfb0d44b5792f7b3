import { TruncatedError } from '../bytes/byte-reader.ts'
import { decodeTransaction } from '../decode-transaction.ts'
import type { DecodedEvent } from '../decoded.ts'
import type { PoolTrade, TradeSide } from '../decoder.ts'
import { VENUES } from '../programs/prop-amms/layout.ts'
import { Refused } from '../refused.ts'
import { DECODERS, REGISTRY } from '../registry.ts'
import { CallTree, isEventCall } from '../transaction/call-tree.ts'
import { Invocation } from '../transaction/invocation.ts'
import type { Transaction } from '../transaction.ts'
import type { Corpus } from './corpus.ts'
import { createDraw, mutate } from './mutate.ts'

/** The outcome of mutated transactions of one layout. */
type FuzzCounts = { rounds: number; events: number; refusals: number; checkedSides: number }

/** A mutated transaction on which decoding broke its promises, reproducible from `seed`. */
class FuzzFault extends Error {
  constructor(what: string, name: string, seed: number) {
    super(`${what} (${name}, seed ${seed})`)
    this.name = 'FuzzFault'
  }
}

/** Programs whose fees may wait in a vault, so that trade and vault differ by them: at most a quarter. */
const KEEPS_FEES: ReadonlySet<string> = new Set(['pumpfun', 'pumpswap'])

/** Programs whose trades are only the transfers between vaults and trader. */
const COUNTS_THE_TRADER: ReadonlySet<string> = new Set([
  'raydium_launchlab',
  ...VENUES.map(({ exchange }) => exchange),
])

/**
 * Decodes mutated transactions of one decoder: round `n` has seed `firstSeed + n`.
 *
 * @throws FuzzFault when a decoder throws an error that is no refusal, or returns an event that is invalid or
 * contradicted by the transfers to and from its vaults.
 */
export function fuzz({ name, transactions }: Corpus, firstSeed: number, rounds: number): FuzzCounts {
  const others = transactions.flatMap(({ instructions }) => instructions)
  const counts: FuzzCounts = { rounds, events: 0, refusals: 0, checkedSides: 0 }
  for (let seed = firstSeed; seed < firstSeed + rounds; seed++) {
    const draw = createDraw(seed)
    const transaction = mutate(draw.pick(transactions), others, draw)
    try {
      const { events, refusals } = decodeTransaction(transaction)
      for (const event of events) checkEvent(event)
      counts.events += events.length
      counts.refusals += refusals.length
      counts.checkedSides += checkTrades(transaction)
    } catch (error) {
      throw new FuzzFault(error instanceof Error ? (error.stack ?? error.message) : String(error), name, seed)
    }
  }
  return counts
}

function checkEvent(event: DecodedEvent): void {
  if (event.ammAccount.length < 32) throw new Error(`no pool: ${event.ammAccount}`)
  if (event.kind === 'newPair') {
    if (event.baseTokenLiquidityAdded < 0n || event.quoteTokenLiquidityAdded < 0n) {
      throw new Error('a pool received less than nothing')
    }
    return
  }
  if (event.baseAmount <= 0n || event.quoteAmount <= 0n) throw new Error('a side moved nothing')
  const { quoteTokenLiquidity, baseTokenLiquidity } = event
  if ((quoteTokenLiquidity ?? 0n) < 0n || (baseTokenLiquidity ?? 0n) < 0n) {
    throw new Error('a pool holds less than nothing')
  }
}

/** Compares every decoded trade with the transfers; returns how many sides could be checked. */
function checkTrades(transaction: Transaction): number {
  if (transaction.failed) return 0
  const tree = new CallTree(transaction, REGISTRY)
  let checked = 0
  for (let at = 0; at < transaction.instructions.length; at++) {
    const role = tree.roleAt(at)
    if (role?.kind !== 'decoder' || isEventCall(transaction.instructions[at]!)) continue
    const decoder = DECODERS[role.decoder]!
    const invocation = new Invocation(tree, at)
    const trades = tradesOf(() => decoder.decode(invocation))
    for (const trade of trades) {
      // The transfers of several trades of one pool cannot be separated here, and one without transfers is refused.
      if (trades.filter(({ pool }) => pool === trade.pool).length > 1) continue
      if (trade.base.amount === 0n || trade.quote.amount === 0n) continue
      const { exchange } = decoder
      checked += checkSide(transaction, invocation, trade.base, trade.givesBase, exchange)
      checked += checkSide(transaction, invocation, trade.quote, !trade.givesBase, exchange)
    }
  }
  return checked
}

function tradesOf(decode: () => ReturnType<(typeof DECODERS)[number]['decode']>): readonly PoolTrade[] {
  try {
    const outcome = decode()
    if (outcome === undefined || outcome === 'unknown') return []
    const outcomes = 'kind' in outcome ? [outcome] : outcome
    return outcomes.filter((each): each is PoolTrade => !(each instanceof Refused) && each.kind === 'trade')
  } catch (error) {
    if (error instanceof Refused || error instanceof TruncatedError) return []
    throw error
  }
}

/** 1 when the transfers agree; 0 when they do not tell. */
function checkSide(
  transaction: Transaction,
  { at, end }: Invocation,
  { vault = null, amount }: TradeSide,
  isGiven: boolean,
  exchange: string,
): 0 | 1 {
  const moves = vault === null ? null : readMoves(transaction, at + 1, end, vault)
  if (moves === null) return 0
  const sum = (of: readonly Move[]) => of.reduce((flow, move) => flow + move.amount, 0n)
  const flow = sum(moves)
  const stated = isGiven ? -amount : amount
  if (KEEPS_FEES.has(exchange)) {
    const difference = flow > stated ? flow - stated : stated - flow
    if ((difference - 4n) * 4n <= amount) return 1
  } else if (COUNTS_THE_TRADER.has(exchange)) {
    const byOther = moves.map(({ other }) => sum(moves.filter((move) => move.other === other)))
    if (byOther.includes(stated)) return 1
  } else {
    // Besides the trade, the vault may pay one referrer or host, who may be the trader: then it is one of two payments.
    const without = moves.flatMap((move) => [
      sum(moves.filter(({ other, amount }) => other !== move.other || amount > 0n)),
      move.amount < 0n ? flow - move.amount : flow,
    ])
    if (flow === stated || without.includes(stated)) return 1
  }
  throw new Error(`the vault moved ${flow}, the event says ${stated}`)
}

/** A token instruction from an account's view: the amount in (positive) or out, and the other account. */
type Move = Readonly<{ amount: bigint; other: number | undefined }>

/**
 * Reads the transfers in and out of an account by plain token instructions of a range; null when there are none, or
 * some that may mean more (fees, batches, lost bytes). Independent of the decoders' own code, to check it.
 */
function readMoves(
  transaction: Transaction,
  from: number,
  to: number,
  account: number,
): readonly Move[] | null {
  const moves: Move[] = []
  for (const { programIndex, accounts, data } of transaction.instructions.slice(from, to)) {
    const key = transaction.keys[programIndex]
    const role = key?.length === 32 ? REGISTRY.get(key) : undefined
    if (role?.kind !== 'token' || !accounts.includes(account)) continue
    const tag = data[0] ?? BATCH
    if (tag === BATCH || tag === TRANSFER_FEE) return null
    const places = PLACES[tag]
    if (places === undefined) continue
    const [source, destination] = [accounts[places[0]], accounts[places[1]]]
    if (source !== account && destination !== account) continue
    if (role.is2022 && tag === TRANSFER_CHECKED && destination === account) return null
    const amount = new DataView(data.buffer, data.byteOffset, data.length).getBigUint64(1, true)
    if (source === account) moves.push({ amount: -amount, other: destination })
    if (destination === account) moves.push({ amount, other: source })
  }
  return moves.length === 0 ? null : moves
}

const [TRANSFER_CHECKED, TRANSFER_FEE, BATCH] = [12, 26, 255] as const

/** By tag: the indexes of source and destination, -1 for none. */
const PLACES: Readonly<Record<number, readonly [number, number]>> = {
  3: [0, 1], // Transfer
  7: [-1, 1], // MintTo
  8: [0, -1], // Burn
  [TRANSFER_CHECKED]: [0, 2],
  14: [-1, 1], // MintToChecked
  15: [0, -1], // BurnChecked
}
