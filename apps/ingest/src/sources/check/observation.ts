import { decodeTransaction, type Transaction } from '@pairwire/decoders'
import type { Clock } from '../../clock.ts'
import { shownExchange } from '../../shown-exchange.ts'
import type { ChainBlock } from '../../slot-keeper/slot-assembly.ts'
import { SlotKeeper, type SlotUpdate } from '../../slot-keeper/slot-keeper.ts'

/** What an endpoint gave while it was watched. */
export type Observed = Readonly<{
  /** Messages of any kind. */
  messages: number
  transactions: number
  /** Transactions, confirmations and block metas that could not be read. */
  unreadable: number
  /** What ends a block: block metas, or whole blocks. */
  ends: number
  confirmations: number
  /** Blocks as the service would have published them. */
  blocks: number
  /** The first and the last of them; undefined without any. */
  firstSlot: number | undefined
  lastSlot: number | undefined
  /** Slots between them of which something was missing. */
  missedSlots: number
  /** Swaps and new pairs, by exchange as people are shown it. */
  events: ReadonlyMap<string, { swaps: number; newPairs: number }>
  /** Transactions on which a decoder failed. */
  decoderFaults: number
  /** How late blocks were when they ended, against their own time; undefined where none has one. */
  lag: Readonly<{ usualMs: number; longestMs: number }> | undefined
  /** Seconds of chain between the first end of a block and the last, and the seconds that passed meanwhile. */
  chainSeconds: number
  passedSeconds: number
}>

/**
 * Watches an endpoint as the service would read it: through the slot keeper and the decoders, with nothing filled and
 * nothing kept.
 */
export class Observation {
  readonly #clock: Clock
  readonly #keeper = new SlotKeeper()
  readonly #events = new Map<string, { swaps: number; newPairs: number }>()
  readonly #lags: number[] = []
  readonly #counts = {
    messages: 0,
    transactions: 0,
    unreadable: 0,
    ends: 0,
    confirmations: 0,
    blocks: 0,
    missedSlots: 0,
    decoderFaults: 0,
  }
  #firstSlot: number | undefined
  #lastSlot: number | undefined
  #firstEnd: { blockTime: number; at: number } | undefined
  #lastEnd: { blockTime: number; at: number } | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Takes what the endpoint says. */
  take(update: SlotUpdate): void {
    const counts = this.#counts
    if (update.kind !== 'connected') counts.messages++
    if (update.kind === 'transaction') counts.transactions++
    else if (update.kind === 'confirmed') counts.confirmations++
    else if (update.kind === 'unreadable') counts.unreadable++
    else if (update.kind === 'blockMeta') this.#end(update.blockTime)
    else if (update.kind === 'block') {
      counts.transactions += update.block.transactions.length
      this.#end(update.block.blockTime)
    }
    this.#publish(this.#keeper.take(0, update))
  }

  /** What was seen; holes are given up first, so that what waited behind them counts too. */
  finish(): Observed {
    for (let hole = this.#keeper.hole; hole; hole = this.#keeper.hole) {
      const blocks = this.#counts.blocks
      this.#counts.missedSlots += Math.max(1, hole.toSlot - hole.fromSlot + 1)
      this.#publish(this.#keeper.giveUp())
      if (this.#counts.blocks === blocks) break
    }
    const sorted = this.#lags.toSorted((left, right) => left - right)
    const [first, last] = [this.#firstEnd, this.#lastEnd]
    return {
      ...this.#counts,
      firstSlot: this.#firstSlot,
      lastSlot: this.#lastSlot,
      events: this.#events,
      lag:
        sorted.length === 0
          ? undefined
          : { usualMs: sorted[Math.floor(sorted.length / 2)]!, longestMs: sorted.at(-1)! },
      chainSeconds: first && last ? last.blockTime - first.blockTime : 0,
      passedSeconds: first && last ? (last.at - first.at) / 1_000 : 0,
    }
  }

  #end(blockTime: number | null): void {
    this.#counts.ends++
    if (blockTime === null) return
    this.#lags.push(this.#clock.now() - blockTime * 1_000)
    this.#lastEnd = { blockTime, at: this.#clock.elapsed() }
    this.#firstEnd ??= this.#lastEnd
  }

  #publish(decisions: ReturnType<SlotKeeper['take']>): void {
    for (const decision of decisions) if (decision.kind === 'publish') this.#count(decision.block)
  }

  #count({ slot, transactions }: ChainBlock): void {
    this.#counts.blocks++
    this.#firstSlot ??= slot
    this.#lastSlot = slot
    for (const transaction of transactions) {
      for (const event of this.#decode(transaction)) {
        const exchange = shownExchange(event)
        const counted = this.#events.get(exchange) ?? { swaps: 0, newPairs: 0 }
        this.#events.set(exchange, counted)
        if (event.kind === 'swap') counted.swaps++
        else counted.newPairs++
      }
    }
  }

  #decode(transaction: Transaction) {
    try {
      return decodeTransaction(transaction).events
    } catch {
      this.#counts.decoderFaults++
      return []
    }
  }
}
