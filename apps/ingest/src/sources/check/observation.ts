import type { Clock } from '@pairwire/basics'
import { type DecodedEvent, decodeTransaction } from '@pairwire/decoders'
import { shownExchange } from '../../decoded-counts.ts'
import { type BlockTransaction, isDecoded } from '../../slot-keeper/block-transaction.ts'
import { SlotKeeper, type SlotUpdate } from '../../slot-keeper/slot-keeper.ts'

/** Before anything has come. */
const NO_COUNTS = {
  /** Messages of any kind. */
  messages: 0,
  /** Of the requested programs; of program logs, those with an event. */
  transactions: 0,
  /** Transactions, confirmations and block metas that could not be read. */
  unreadable: 0,
  /** Ends of blocks: block metas, or whole blocks. */
  ends: 0,
  confirmations: 0,
  /** Blocks as the service would have published them; of program logs, slots that have ended. */
  blocks: 0,
  /** Slots between them with something missing. */
  missedSlots: 0,
  /** Transactions that made a decoder fail. */
  decoderFaults: 0,
}

/** What an endpoint delivered while it was watched. */
export type Observed = Readonly<typeof NO_COUNTS> &
  Readonly<{
    /** The first and the last block; undefined without any. */
    firstSlot: number | undefined
    lastSlot: number | undefined
    /** Swaps and new pairs, by displayed exchange. */
    events: ReadonlyMap<string, { swaps: number; newPairs: number }>
    /** How late blocks ended compared with their own time; undefined if none has one. */
    lag: Readonly<{ usualMs: number; longestMs: number }> | undefined
    /** Seconds of chain between the first and the last end of a block, and the seconds that passed meanwhile. */
    chainSeconds: number
    passedSeconds: number
  }>

/** Counts what an endpoint delivers, and how late. */
export class Tally {
  readonly #clock: Clock
  readonly #events = new Map<string, { swaps: number; newPairs: number }>()
  readonly #lags: number[] = []
  readonly counts = { ...NO_COUNTS }
  #firstSlot: number | undefined
  #lastSlot: number | undefined
  #firstEnd: { blockTime: number; at: number } | undefined
  #lastEnd: { blockTime: number; at: number } | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** The endpoint reported the end of a block. */
  end(blockTime: number | null): void {
    this.counts.ends++
    if (blockTime === null) return
    this.#lags.push(this.#clock.now() - blockTime * 1_000)
    this.#lastEnd = { blockTime, at: this.#clock.elapsed() }
    this.#firstEnd ??= this.#lastEnd
  }

  /** A block was delivered. */
  block(slot: number): void {
    this.counts.blocks++
    this.#firstSlot ??= slot
    this.#lastSlot = slot
  }

  events(events: readonly DecodedEvent[]): void {
    for (const event of events) {
      const exchange = shownExchange(event)
      const counted = this.#events.get(exchange) ?? { swaps: 0, newPairs: 0 }
      this.#events.set(exchange, counted)
      if (event.kind === 'swap') counted.swaps++
      else counted.newPairs++
    }
  }

  read(): Observed {
    const sorted = this.#lags.toSorted((left, right) => left - right)
    const [first, last] = [this.#firstEnd, this.#lastEnd]
    return {
      ...this.counts,
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
}

/**
 * Watches an endpoint of whole blocks, or of their parts, as the service would read it: through the slot keeper and the
 * decoders, without filling holes or keeping anything.
 */
export class Observation {
  readonly #keeper = new SlotKeeper()
  readonly #tally: Tally

  constructor(clock: Clock) {
    this.#tally = new Tally(clock)
  }

  /** Takes an update of the endpoint. */
  take(update: SlotUpdate): void {
    const { counts } = this.#tally
    if (update.kind !== 'connected') counts.messages++
    if (update.kind === 'transaction') counts.transactions++
    else if (update.kind === 'confirmed') counts.confirmations++
    else if (update.kind === 'unreadable') counts.unreadable++
    else if (update.kind === 'blockMeta') this.#tally.end(update.blockTime)
    else if (update.kind === 'block') {
      counts.transactions += update.block.transactions.length
      this.#tally.end(update.block.blockTime)
    }
    // Without confirmations, a block counts once a later one names it, as in the service.
    const isBegin = update.kind === 'connected'
    this.#publish(this.#keeper.take(0, isBegin ? { ...update, isAhead: false } : update))
  }

  /** Returns the observation; gives up holes first, so that blocks waiting behind them count too. */
  finish(): Observed {
    const { counts } = this.#tally
    for (let hole = this.#keeper.hole; hole; hole = this.#keeper.hole) {
      const { blocks } = counts
      counts.missedSlots += Math.max(1, hole.toSlot - hole.fromSlot + 1)
      this.#publish(this.#keeper.giveUp())
      if (counts.blocks === blocks) break
    }
    return this.#tally.read()
  }

  #publish(decisions: ReturnType<SlotKeeper['take']>): void {
    for (const decision of decisions) {
      if (decision.kind !== 'publish') continue
      this.#tally.block(decision.block.slot)
      for (const transaction of decision.block.transactions) this.#decode(transaction)
    }
  }

  #decode(transaction: BlockTransaction): void {
    try {
      const { events } = isDecoded(transaction) ? transaction.decoded : decodeTransaction(transaction)
      this.#tally.events(events)
    } catch {
      this.#tally.counts.decoderFaults++
    }
  }
}
