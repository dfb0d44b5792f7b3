import { TruncatedError } from './byte-reader.ts'
import { CallTree, isEventCall, type Position } from './call-tree.ts'
import type { Decoded, DecodedEvent, DecodedSwap, Refusal, RefusalReason } from './decoded.ts'
import type { Decoder, PoolCreation, PoolTrade, TradeSide } from './decoder.ts'
import { Invocation } from './invocation.ts'
import { isReversed } from './mint-rule.ts'
import { createNewPair } from './new-pair.ts'
import { Refused } from './refused.ts'
import { DECODERS, REGISTRY } from './registry.ts'
import { readDecimals } from './token-facts.ts'
import type { Transaction } from './transaction.ts'

/**
 * Every new pair and swap of the programs that we know in one transaction, in order of execution, and by name
 * what may have been one and could not be read. A failed transaction gives nothing: the chain undid it. Never
 * throws for what the bytes hold.
 *
 * @example
 * const transaction = readRpcTransaction(await rpc('getTransaction', [signature, { encoding: 'json' }]))
 * if (transaction) console.log(decodeTransaction(transaction).events)
 */
export function decodeTransaction(transaction: Transaction): Decoded {
  if (transaction.failed) return NOTHING
  const tree = new CallTree(transaction, REGISTRY)
  const found = new Findings(tree)
  const count = transaction.instructions.length
  for (let at = 0; at < count; at++) {
    const role = tree.roleAt(at)
    if (role === null || role.kind !== 'decoder') continue
    found.decode(role.decoder, at)
  }
  found.refuseUnrecordedCalls()
  return found.finish()
}

const NOTHING: Decoded = { events: [], refusals: [] }

/** What has been decoded so far. */
class Findings {
  readonly #tree: CallTree
  readonly #events: DecodedEvent[] = []
  readonly #refusals: Refusal[] = []
  /** Swaps whose quote reserve only the vault's balance can tell: vault to the last event on it. */
  readonly #awaitingBalance = new Map<number, number>()

  constructor(tree: CallTree) {
    this.#tree = tree
  }

  decode(decoder: Decoder, at: Position): void {
    const instruction = this.#tree.transaction.instructions[at]!
    if (isEventCall(instruction)) return
    try {
      const invocation = new Invocation(this.#tree, at)
      const outcome = decoder.decode(invocation)
      if (outcome?.kind === 'trade') this.#addTrade(decoder, outcome)
      else if (outcome?.kind === 'creation') this.#addCreation(decoder, outcome)
    } catch (error) {
      this.#refuse(decoder, instruction.topIndex, instruction.innerIndex, reasonOf(error))
    }
  }

  /**
   * A record without inner instructions may still log calls to our programs that others made; which pool they
   * touched cannot be known.
   */
  refuseUnrecordedCalls(): void {
    const { logs, instructions } = this.#tree.transaction
    if (logs === null || instructions.some(({ innerIndex }) => innerIndex >= 0)) return
    for (const { program, topIndex } of this.#tree.logs.unrecordedCalls()) {
      const decoder = DECODERS.find(({ programId }) => programId === program)
      if (decoder !== undefined) this.#refuse(decoder, topIndex, -1, 'missing_event')
    }
  }

  finish(): Decoded {
    for (const [vault, at] of this.#awaitingBalance) {
      const balance = this.#tree.balanceAfter(vault)
      const event = this.#events[at] as DecodedSwap
      if (balance !== undefined) {
        this.#events[at] = { ...event, quoteTokenLiquidity: BigInt(balance.amount) }
      }
    }
    return { events: this.#events, refusals: this.#refusals }
  }

  #addTrade(decoder: Decoder, trade: PoolTrade): void {
    const reversed = isReversed(trade.base.mint, trade.quote.mint)
    const base = reversed ? trade.quote : trade.base
    const quote = reversed ? trade.base : trade.quote
    if (base.amount <= 0n || quote.amount <= 0n) throw new Refused('zero_amount')

    const event: DecodedSwap = {
      kind: 'swap',
      exchange: decoder.exchange,
      ammAccount: trade.pool,
      baseTokenMint: base.mint,
      quoteTokenMint: quote.mint,
      walletAccount: trade.wallet,
      swapType: trade.givesBase === reversed ? 'sell' : 'buy',
      baseAmount: base.amount,
      quoteAmount: quote.amount,
      baseDecimals: this.#decimalsOf(base),
      quoteDecimals: this.#decimalsOf(quote),
      quoteTokenLiquidity: quote.reserve,
    }
    if (quote.vault !== null) {
      if (quote.reserve === null) this.#awaitingBalance.set(quote.vault, this.#events.length)
      else this.#awaitingBalance.delete(quote.vault)
    }
    this.#events.push(event)
  }

  #addCreation(decoder: Decoder, creation: PoolCreation): void {
    this.#events.push(createNewPair(this.#tree, decoder.exchange, creation))
  }

  #decimalsOf(side: TradeSide): number {
    const decimals =
      side.decimals ??
      (side.vault === null ? undefined : this.#tree.balance(side.vault)?.decimals) ??
      readDecimals(this.#tree, side.mint)
    if (decimals === null) throw new Refused('missing_balance')
    return decimals
  }

  #refuse(decoder: Decoder, topIndex: number, innerIndex: number, reason: RefusalReason): void {
    const path = innerIndex === -1 ? `${topIndex}` : `${topIndex}.${innerIndex}`
    this.#refusals.push({ exchange: decoder.exchange, path, reason })
  }
}

/** @throws the error itself when it is a bug and no refusal. */
function reasonOf(error: unknown): RefusalReason {
  if (error instanceof Refused) return error.reason
  if (error instanceof TruncatedError) return 'truncated'
  throw error
}
