import { type Clock, followSignals, type Log } from '@pairwire/basics'
import { SOURCE_LIMITS } from '@pairwire/contract'
import { decodeTransaction } from '@pairwire/decoders'
import {
  type BlockTransaction,
  type Decode,
  decodeEarly,
  isDecoded,
} from '../../slot-keeper/block-transaction.ts'
import type { ChainBlock } from '../../slot-keeper/slot-assembly.ts'
import { type SlotDecision, SlotKeeper, type SlotUpdate } from '../../slot-keeper/slot-keeper.ts'
import { type Block, type EarlySink, type Gap, LIVE_RUN, type Source, type SourceStatus } from '../source.ts'
import { readBlockTime } from './chain-numbers.ts'
import type { Checkpoint, Place } from './checkpoint.ts'
import { Endpoint } from './endpoint.ts'
import { type Backfill, type Feed, FeedError, type ServerPlace } from './feed.ts'
import { HoleFiller } from './hole-filler.ts'
import { type ChainMail, Mailbox } from './mailbox.ts'
import { createSlotPace } from './slot-pace.ts'

/** What {@link createChainSource} needs. */
type ChainSourceParts = Readonly<{
  /** Each slot is taken from the endpoint that completes it first. */
  feeds: readonly Feed[]
  /** Fills holes; undefined without an RPC. */
  backfill: Backfill | undefined
  checkpoint: Checkpoint
  clock: Clock
  log: Log
  /** Milliseconds that the stream waits for the next block after a hole before it reports a gap. */
  maxWaitMs?: number
  /** Seconds of chain that are fetched after a break; what lies further back is reported as a gap. */
  maxFillSeconds?: number
}>

const MAX_FILL_SECONDS = 120

/** Slots by which an endpoint may be behind what was published and still be on the same chain. */
const SLOTS_BEHIND = 1_000

/** Slots by which the chain may have advanced since a connection from which nothing was published. */
const MAX_BEGUN_SLOTS = 256

/** The tip before anything was published, for counting replays. */
const NO_SLOT = -1

/** Milliseconds between two checks of a hole. */
const LOOK_EVERY_MS = 50

/**
 * The live chain: reads every endpoint, keeps slots in order, fills holes and reports what is missing.
 *
 *     feed ──┐                          ┌─ publish ─ block
 *     feed ──┼─ mailbox ─ slot keeper ──┼─ gap
 *     RPC  ──┘                          └─ hole ─ filler ─ RPC, replay, or given up
 */
export function createChainSource(parts: ChainSourceParts): Source {
  const chain = new LiveChain(parts)
  return {
    simulated: false,
    blocks: (signal, kept, decode, early) => chain.blocks(signal, kept, decode, early),
    status: () => chain.status(),
  }
}

class LiveChain {
  readonly #parts: ChainSourceParts
  readonly #mailbox = new Mailbox<ChainMail>()
  readonly #endpoints: readonly Endpoint[]
  readonly #filler: HoleFiller
  readonly #pace = createSlotPace()
  readonly #alarms: Record<string, number> = {}
  readonly #maxFillSeconds: number
  #keeper = new SlotKeeper()
  #decode: Decode = decodeTransaction
  #early: EarlySink | undefined
  /** Newest position published or given up; undefined before the first. */
  #place: Place | undefined
  /** When that was, on the monotonic clock. */
  #placedAt = 0
  #hasPublished = false
  /** Endpoints far behind the last position: only if all are is it another chain. */
  readonly #behind = new Set<Endpoint>()
  /** Where a connection began before anything was published. */
  #begunAt: number | undefined
  /** The newest slot known at any endpoint. */
  #head = 0
  #slotsMissed = 0

  constructor(parts: ChainSourceParts) {
    this.#parts = parts
    const { feeds, backfill, clock, log } = parts
    this.#maxFillSeconds = parts.maxFillSeconds ?? MAX_FILL_SECONDS
    this.#endpoints = feeds.map(
      (feed, at) =>
        new Endpoint({
          feed,
          clock,
          log,
          take: (update) => this.#mailbox.put({ from: at, update: this.#decoded(update, at) }),
          drained: () => this.#mailbox.drained(),
          whereFrom: (endpoint, server) => this.#whereFrom(endpoint, server),
          tipSlot: () => this.#keeper.tip?.slot,
        }),
    )
    this.#filler = new HoleFiller({
      clock,
      log,
      backfill,
      mailbox: this.#mailbox,
      from: feeds.length,
      endpoints: this.#endpoints,
      maxWaitMs: parts.maxWaitMs ?? SOURCE_LIMITS.holeWaitMs,
      slotMs: () => this.#pace.slotMs(),
    })
  }

  async *blocks(
    signal: AbortSignal,
    keptSlot?: number,
    decode?: Decode,
    early?: EarlySink,
  ): AsyncIterable<Block<BlockTransaction> | Gap> {
    const { checkpoint, clock } = this.#parts
    this.#decode = decode ?? decodeTransaction
    this.#early = early
    this.#place = placeBehind(checkpoint.load(), keptSlot, clock.now())
    this.#keeper = new SlotKeeper(this.#place)
    this.#mailbox.take() // what an earlier reading left belongs to its connections
    this.#placedAt = clock.elapsed() - Math.max(0, clock.now() - (this.#place?.at ?? clock.now()))
    const ending = followSignals(signal)
    const ended = ending.signal
    ended.addEventListener('abort', () => this.#mailbox.ring())
    const reading = Promise.all([
      this.#watchHole(ended),
      ...this.#endpoints.map((endpoint) => endpoint.read(ended)),
    ])
    try {
      while (!signal.aborted) {
        for (const mail of this.#mailbox.take()) {
          for (const decision of this.#decide(mail)) yield* this.#perform(decision)
          if (signal.aborted) return
        }
        this.#filler.look(this.#keeper, (hole) => this.#tooOld(hole), ended)
        await this.#mailbox.filled()
      }
    } finally {
      ending.abort()
      await reading
      await checkpoint.settled()
    }
  }

  /** Wakes the reader at intervals while there is a hole, whose state may change with time alone. */
  async #watchHole(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await this.#parts.clock.wait(LOOK_EVERY_MS, signal)
      if (this.#keeper.hole) this.#mailbox.ring()
    }
  }

  status(): SourceStatus {
    const endpoints = this.#endpoints.map((endpoint) => endpoint.status())
    const troubles = endpoints.filter(({ state }) => state !== 'connected').map(({ trouble }) => trouble)
    const up = endpoints.some(({ state }) => state === 'connected')
    const { filled, notFilled } = this.#filler.counts()
    return {
      up,
      trouble: up ? null : (troubles.find((trouble) => trouble !== null) ?? null),
      endpoints,
      slotMs: this.#pace.slotMs(),
      holesFilled: filled,
      holesNotFilled: notFilled,
      slotsMissed: this.#slotsMissed,
      alarms: this.#alarms,
    }
  }

  /**
   * Decodes on arrival: decoding a whole slot at its end would block the process's sockets, and until then the bytes
   * would take memory. The result goes at once to subscribers that do not wait for confirmation.
   */
  #decoded(update: SlotUpdate, source: number): SlotUpdate {
    if (update.kind === 'dead') this.#died(update, source)
    if (update.kind !== 'transaction' || isDecoded(update.transaction)) return update
    const tip = this.#keeper.tip
    if (tip && update.slot <= tip.slot) return update
    const transaction = decodeEarly(update.transaction, this.#decode)
    const early = this.#early?.isWanted() ? this.#early : undefined
    if (early && isDecoded(transaction) && transaction.decoded.events.length > 0) {
      const { slot, bankId: bank } = update
      early.executed({ run: LIVE_RUN, slot, source, bank, blockTime: this.#timeOf(slot) }, transaction)
    }
    return { ...update, transaction }
  }

  #died({ slot, bankId: bank }: SlotUpdate & { kind: 'dead' }, source: number): void {
    if (this.#early?.isWanted()) this.#early.died({ run: LIVE_RUN, slot, source, bank })
  }

  /** Estimates the time of a block that has not ended, from the newest one and the chain's pace. */
  #timeOf(slot: number): number {
    const { blockTime = null, slot: from = slot } = this.#place ?? {}
    if (blockTime === null) return Math.floor(this.#parts.clock.now() / 1000)
    const slotMs = this.#pace.slotMs() ?? this.#place?.slotMs ?? USUAL_SLOT_MS
    return blockTime + Math.floor(((slot - from) * slotMs) / 1000)
  }

  #decide(mail: ChainMail): readonly SlotDecision[] {
    if ('update' in mail) {
      const decisions = this.#keeper.take(mail.from, this.#withReadTime(mail.update))
      for (const decision of decisions) {
        if (decision.kind === 'publish') this.#endpoints[mail.from]?.completed(decision.block.slot)
      }
      return decisions
    }
    // The hole may have been filled in the meantime, partly or completely.
    if (this.#keeper.hole?.fromSlot !== mail.giveUpFrom) return []
    return this.#keeper.giveUp(mail.toSlot)
  }

  /** Removes an impossible block time. */
  #withReadTime(update: SlotUpdate): SlotUpdate {
    const read = (blockTime: number | null) => readBlockTime(blockTime, this.#parts.clock.now())
    if (update.kind === 'blockMeta') return { ...update, blockTime: read(update.blockTime) }
    if (update.kind !== 'block') return update
    return { ...update, block: { ...update.block, blockTime: read(update.block.blockTime) } }
  }

  *#perform(decision: SlotDecision): Iterable<Block<BlockTransaction> | Gap> {
    switch (decision.kind) {
      case 'publish': {
        const { block } = decision
        yield this.#toPublish(block)
        this.#hasPublished = true
        this.#pace.add(block.slot, this.#parts.clock.elapsed())
        this.#reached(block.slot, block.blockhash, block.blockTime ?? this.#place?.blockTime ?? null)
        return
      }
      case 'gap': {
        const { fromSlot, toSlot } = decision
        this.#slotsMissed += toSlot - fromSlot + 1
        this.#parts.log.warn('Slots are missing; every subscription gets a gap.', { fromSlot, toSlot })
        yield { run: LIVE_RUN, fromSlot, toSlot }
        this.#reached(toSlot, '', this.#place?.blockTime ?? null)
        return
      }
      case 'late': {
        const { slot } = decision
        this.#slotsMissed++
        this.#parts.log.error(
          'Transactions of a slot arrived after its end; every subscription gets a gap.',
          { slot },
        )
        yield { run: LIVE_RUN, fromSlot: slot, toSlot: slot }
        return
      }
      case 'alarm':
        this.#alarms[decision.alarm] = (this.#alarms[decision.alarm] ?? 0) + 1
        this.#parts.log.error(ALARMS[decision.alarm], { slot: decision.slot })
    }
  }

  #toPublish(block: ChainBlock): Block<BlockTransaction> {
    const { slot, blockhash, parentBlockhash, transactions } = block
    const id = `${slot}:${blockhash}`
    const hashes = { ...(blockhash && { blockhash }), ...(parentBlockhash && { parentBlockhash }) }
    return { run: LIVE_RUN, id, slot, hashes, blockTime: this.#blockTimeOf(block), transactions }
  }

  /** Called only once the block is published: after a crash it is better to publish one again than to lose it. */
  #reached(slot: number, blockhash: string, blockTime: number | null): void {
    const slotMs = this.#pace.slotMs() ?? this.#place?.slotMs ?? null
    this.#place = { slot, blockhash, blockTime, slotMs, at: this.#parts.clock.now() }
    this.#placedAt = this.#parts.clock.elapsed()
    this.#parts.checkpoint.save(this.#place)
  }

  /** A block without a time has the previous one's, as the chain's clock never goes back. */
  #blockTimeOf({ blockTime }: ChainBlock): number {
    return blockTime ?? this.#place?.blockTime ?? Math.floor(this.#parts.clock.now() / 1000)
  }

  /** Returns the slot that an endpoint is asked to begin with. */
  #whereFrom(endpoint: Endpoint, { head, firstAvailable }: ServerPlace): number | undefined {
    const tip = this.#keeper.tip
    const place = this.#place
    if (!tip || !place) return this.#begin(endpoint, { head, firstAvailable })
    if (head !== undefined && head < tip.slot - SLOTS_BEHIND) {
      this.#behind.add(endpoint)
      if (this.#hasPublished || this.#behind.size < this.#endpoints.length) {
        const sentence = `The endpoint stands at slot ${head}, far behind slot ${tip.slot}, which was published.`
        throw new FeedError('behind', sentence)
      }
      this.#parts.log.warn(
        'The endpoint is far behind where the chain was: the service treats it as another chain.',
        { slot: head, stoodAt: tip.slot },
      )
      this.#place = undefined
      this.#keeper = new SlotKeeper()
      return undefined
    }
    this.#behind.delete(endpoint)
    if (head !== undefined) this.#head = Math.max(this.#head, head)
    if (!endpoint.mayReplay(tip.slot)) return undefined
    return Math.max(this.#oldest(tip.slot) ?? tip.slot, firstAvailable ?? 0, endpoint.firstAvailable ?? 0)
  }

  /**
   * Returns the newest slot, if a server can send it whole; in a stream joined anywhere, the first slot may lack its
   * beginning. A connection that ended before anything was published begins again at the same slot.
   */
  #begin(endpoint: Endpoint, { head, firstAvailable }: ServerPlace): number | undefined {
    if (head === undefined) return undefined
    const begunAt = this.#begunAt ?? head
    this.#begunAt = begunAt <= head && head - begunAt <= MAX_BEGUN_SLOTS ? begunAt : head
    const isHeld = firstAvailable !== undefined && firstAvailable <= head
    return isHeld && endpoint.mayReplay(NO_SLOT) ? Math.max(this.#begunAt, firstAvailable) : undefined
  }

  /** The last slot of a hole that is too far back to be fetched; undefined if all of it may be. */
  #tooOld({ fromSlot, toSlot }: { fromSlot: number; toSlot: number }): number | undefined {
    const oldest = this.#oldest(fromSlot - 1)
    return oldest === undefined || oldest <= fromSlot ? undefined : Math.min(toSlot, oldest - 1)
  }

  /**
   * The oldest slot to fetch after a break at `slot`; undefined if everything since may be fetched. The length of a
   * slot is measured by the chain's own times over the break, else by the pace before it, else by the clock.
   */
  #oldest(slot: number): number | undefined {
    const newest = this.#keeper.newestWaiting
    const head = Math.max(this.#head, newest?.slot ?? 0)
    const place = this.#place
    if (!place || head <= slot) return undefined
    const passed = newest ? (newest.blockTime ?? 0) - (place.blockTime ?? newest.blockTime ?? 0) : 0
    const seconds =
      newest && passed > 0
        ? passed / (newest.slot - place.slot)
        : (place.slotMs ?? (this.#parts.clock.elapsed() - this.#placedAt) / (head - place.slot)) / 1000
    const slots = Math.floor(this.#maxFillSeconds / seconds)
    return head - slot > slots ? head - slots : undefined
  }
}

/**
 * Returns where to continue: what is kept for resuming counts, not what was recorded. After a kill, less may have been
 * kept than was published; the rest is published again.
 */
function placeBehind(noted: Place | undefined, keptSlot: number | undefined, now: number): Place | undefined {
  if (keptSlot === undefined || noted?.slot === keptSlot) return noted
  const { blockTime, slotMs, at } = noted ?? { blockTime: null, slotMs: USUAL_SLOT_MS, at: now }
  return { slot: keptSlot, blockhash: '', blockTime, slotMs, at }
}

/** Milliseconds of a slot if none was measured. */
const USUAL_SLOT_MS = 400

/** Log sentences for events that never happen on a sound chain. */
const ALARMS = {
  otherBlock: 'The chain has a different block in a slot than the one that was published.',
  tooMuchHeld: 'The buffer is full; the newest blocks in it will be fetched again.',
} as const
