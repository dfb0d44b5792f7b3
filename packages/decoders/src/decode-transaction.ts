import type { Exchange } from '@pairwire/contract/exchanges'
import type { CallCounter } from './call-tally.ts'
import type { Decoded, DecodedEvent, DecodedSwap, Refusal } from './decoded.ts'
import type { CreationSide, Decoder, Outcome, PoolCreation, PoolTrade, TradeSide } from './decoder.ts'
import { createNewPair, readToken } from './new-pair.ts'
import { type RefusalReason, Refused, reasonOf } from './refused.ts'
import { DECODERS, REGISTRY } from './registry.ts'
import { createSwap } from './swap.ts'
import { TokenChanges } from './tokens/token-changes.ts'
import { CallTree, mayBeEventCall } from './transaction/call-tree.ts'
import { Invocation } from './transaction/invocation.ts'
import type { Instruction, Position, Transaction } from './transaction.ts'

/**
 * Decodes the new pairs and swaps of known programs in one transaction, in order of execution; names what may have been
 * one and could not be read, and every token that was created or changed. A failed transaction returns nothing, as the
 * chain reverted it. Never throws for its bytes. `counter` counts the calls of known programs.
 *
 * @example
 * const transaction = readRpcTransaction(await rpc('getTransaction', [signature, { encoding: 'json' }]))
 * if (transaction) console.log(decodeTransaction(transaction).events)
 */
export function decodeTransaction(transaction: Transaction, counter?: CallCounter): Decoded {
  if (transaction.failed) return NOTHING
  const tree = new CallTree(transaction, REGISTRY)
  const { instructions } = transaction
  const tokens = new TokenChanges(transaction.keys)
  const found = new Findings(tree, tokens, counter)
  for (let at = 0; at < instructions.length; at++) {
    const role = tree.roleAt(at)
    if (role === null) continue
    if (role.kind === 'decoder') found.decode(DECODERS[role.decoder]!, role.programId, at)
    else tokens.apply(instructions[at]!, role)
  }
  found.refuseUnrecordedCalls()
  return found.finish()
}

const NOTHING: Decoded = { events: [], refusals: [] }

/**
 * A swap or a creation, where it happened, and the vault whose balance is its pool's quote reserve; -1 for none. A
 * creation becomes its new pair at the end, with its tokens as after the whole transaction.
 */
type Found = {
  event: DecodedSwap | Readonly<{ kind: 'creation'; exchange: Exchange; creation: PoolCreation }>
  readonly at: Position
  readonly quoteVault: number
}

/** The events decoded so far. */
class Findings {
  readonly #tree: CallTree
  readonly #tokens: TokenChanges
  readonly #found: Found[] = []
  readonly #refusals: Refusal[] = []
  readonly #counter: CallCounter | undefined

  constructor(tree: CallTree, tokens: TokenChanges, counter: CallCounter | undefined) {
    this.#tree = tree
    this.#tokens = tokens
    this.#counter = counter
  }

  decode(decoder: Decoder, program: string, at: Position): void {
    const instruction = this.#tree.transaction.instructions[at]!
    if (mayBeEventCall(instruction)) return
    let isKnown = true
    try {
      const outcome = decoder.decode(new Invocation(this.#tree, at))
      if (outcome === undefined) return
      if (outcome === 'unknown') isKnown = false
      else if ('kind' in outcome) this.#add(decoder, outcome, at)
      else for (const each of outcome) this.#addOrRefuse(decoder, each, at)
    } catch (error) {
      const reason = reasonOf(error)
      isKnown = reason !== 'unknown_instruction'
      this.#refuseAt(decoder, at, reason)
    } finally {
      if (this.#counter !== undefined) {
        if (isKnown) this.#counter.understood(program, decoder)
        else this.#counter.unknown(program, decoder, instruction.data, this.#tree.transaction.signature)
      }
    }
  }

  /**
   * Refuses calls to our programs that appear only in the logs of a record without inner instructions: their pools are
   * unknown.
   */
  refuseUnrecordedCalls(): void {
    const { transaction } = this.#tree
    if (transaction.instructions.some(({ innerIndex }) => innerIndex >= 0) || transaction.logs === null)
      return
    for (const { program, topIndex } of this.#tree.logs.unrecordedCalls()) {
      const decoder = DECODERS.find(({ programIds }) => programIds.includes(program))
      if (decoder !== undefined) this.#refuse(decoder, { topIndex, innerIndex: -1 }, 'missing_event')
    }
  }

  finish(): Decoded {
    const found = this.#found
    // Calls of other programs may come between an instruction and its later event.
    for (let at = 1; at < found.length; at++) {
      if (found[at]!.at >= found[at - 1]!.at) continue
      found.sort((left, right) => left.at - right.at)
      break
    }
    this.#readBalances()
    const events: DecodedEvent[] = []
    for (const { event } of found) events.push(this.#finish(event))
    const decoded = { events, refusals: this.#refusals }
    return this.#tokens.all.length === 0 ? decoded : { ...decoded, tokens: this.#tokens.all }
  }

  #finish(event: Found['event']): DecodedEvent {
    if (event.kind === 'swap') return event
    const tokenOf = (side: CreationSide) => readToken(this.#tree, this.#tokens, side)
    return createNewPair(event.exchange, event.creation, tokenOf, this.#tree.address(0))
  }

  /** Uses a vault's balance after the transaction as the reserve of a swap that reports none, if it is still that. */
  #readBalances(): void {
    for (const found of this.#found) {
      const { event, at, quoteVault } = found
      if (event.kind !== 'swap' || quoteVault === -1 || event.quoteTokenLiquidity !== null) continue
      if (this.#isTouchedAfter(at, quoteVault)) continue
      const balance = this.#tree.balanceAfter(quoteVault)
      if (balance !== undefined) found.event = { ...event, quoteTokenLiquidity: BigInt(balance.amount) }
    }
  }

  /** Whether a later call may move it: another swap, a deposit, a withdrawal. */
  #isTouchedAfter(at: Position, quoteVault: number): boolean {
    const { instructions } = this.#tree.transaction
    for (let next = this.#tree.end(at); next < instructions.length; next++) {
      if (instructions[next]!.accounts.includes(quoteVault)) return true
    }
    return false
  }

  #addOrRefuse(decoder: Decoder, outcome: Outcome | Refused, at: Position): void {
    try {
      if (outcome instanceof Refused) throw outcome
      this.#add(decoder, outcome, at)
    } catch (error) {
      this.#refuseAt(decoder, at, reasonOf(error))
    }
  }

  #add(decoder: Decoder, outcome: Outcome, at: Position): void {
    if (outcome.kind === 'trade') this.#addTrade(decoder, outcome, outcome.at ?? at)
    else {
      const { exchange } = decoder
      if (outcome.base.amount < 0n || outcome.quote.amount < 0n) throw new Refused('contradicted')
      this.#found.push({ event: { kind: 'creation', exchange, creation: outcome }, at, quoteVault: -1 })
    }
  }

  #addTrade(decoder: Decoder, trade: PoolTrade, at: Position): void {
    const event = createSwap(decoder.exchange, trade, this)
    const quote = event.quoteTokenMint === trade.quote.mint ? trade.quote : trade.base
    this.#found.push({ event, at, quoteVault: quote.vault ?? -1 })
  }

  decimalsOf({ mint, decimals: fixed, vault = null }: TradeSide): number {
    const ofVault = vault === null ? undefined : this.#tree.balance(vault)
    const decimals = fixed ?? ofVault?.decimals ?? this.#tree.decimalsOf(mint)
    if (decimals === null) throw new Refused('missing_balance')
    return decimals
  }

  balanceOf(wallet: string, mint: string): string | null {
    return this.#tree.balanceOf(wallet, mint)
  }

  #refuseAt(decoder: Decoder, at: Position, reason: RefusalReason): void {
    this.#refuse(decoder, this.#tree.transaction.instructions[at]!, reason)
  }

  #refuse(
    decoder: Decoder,
    { topIndex, innerIndex }: Pick<Instruction, 'topIndex' | 'innerIndex'>,
    reason: RefusalReason,
  ): void {
    const path = innerIndex === -1 ? `${topIndex}` : `${topIndex}.${innerIndex}`
    this.#refusals.push({ exchange: decoder.exchange, path, reason })
  }
}
