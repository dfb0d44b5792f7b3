import { type Clock, type FollowingController, followSignals, type Log } from '@pairwire/basics'
import type { Hole } from '../../slot-keeper/confirmed-chain.ts'
import type { SlotKeeper } from '../../slot-keeper/slot-keeper.ts'
import type { Endpoint } from './endpoint.ts'
import { type Backfill, FeedError } from './feed.ts'
import type { ChainMail, Mailbox } from './mailbox.ts'

/** What a {@link HoleFiller} needs. */
type HoleFillerParts = Readonly<{
  clock: Clock
  log: Log
  backfill: Backfill | undefined
  mailbox: Mailbox<ChainMail>
  /** The source number of filled blocks. */
  from: number
  endpoints: readonly Endpoint[]
  maxWaitMs: number
  /** Measured milliseconds of a slot; null if unknown. */
  slotMs(): number | null
}>

/**
 * The stage of handling a hole.
 *
 * - `grace`: the missing slots may only be late
 * - `fetching`: blocks are requested from the RPC
 * - `replaying`: an endpoint was asked to begin again after the tip
 * - `hopeless`: everything was tried
 */
type Stage = 'grace' | 'fetching' | 'replaying' | 'hopeless'

/** Milliseconds to wait for late slots while their pace is unknown. */
const GRACE_MS = 500

/** Watches the hole before the newest blocks, and tries to fill it, one step at a time. */
export class HoleFiller {
  readonly #parts: HoleFillerParts
  #hole: Hole | undefined
  /** Where the hole ended when it was first seen. */
  #lastSlot = 0
  #stage: Stage = 'grace'
  /** When the hole was first seen, and when the stream last advanced. */
  #openedAt = 0
  #movedAt = 0
  /** While blocks are fetched. */
  #fetch: FollowingController | undefined
  #filled = 0
  #notFilled = 0
  #isGivenUp = false

  constructor(parts: HoleFillerParts) {
    this.#parts = parts
  }

  counts(): { filled: number; notFilled: number } {
    return { filled: this.#filled, notFilled: this.#notFilled }
  }

  /** Call it at every arrival, and at intervals. `tooOld` returns the part of a hole that is not fetched. */
  look(keeper: SlotKeeper, tooOld: (hole: Hole) => number | undefined, signal: AbortSignal): void {
    const { hole } = keeper
    const now = this.#parts.clock.elapsed()
    // A hole shortens as it is filled from its end; only one after it is a new hole.
    if (this.#hole && (!hole || hole.fromSlot > this.#lastSlot)) this.#close()
    if (!hole) return
    if (!this.#hole) this.#open(hole, tooOld, now)
    else if (hole.fromSlot !== this.#hole.fromSlot) this.#movedAt = now
    this.#hole = hole
    if (now - this.#movedAt >= this.#parts.maxWaitMs) this.#giveUp(hole)
    else this.#act(hole, now, signal)
  }

  #open(hole: Hole, tooOld: (hole: Hole) => number | undefined, now: number): void {
    this.#stage = 'grace'
    this.#openedAt = now
    this.#movedAt = now
    this.#isGivenUp = false
    this.#lastSlot = Math.max(hole.toSlot, hole.fromSlot)
    const last = tooOld(hole)
    if (last === undefined) return
    this.#isGivenUp = true
    this.#notFilled++
    this.#parts.mailbox.put({ giveUpFrom: hole.fromSlot, toSlot: last })
  }

  #close(): void {
    this.#fetch?.abort()
    this.#fetch = undefined
    if (!this.#isGivenUp) this.#filled++
    this.#hole = undefined
  }

  #act(hole: Hole, now: number, signal: AbortSignal): void {
    const { backfill, endpoints, slotMs } = this.#parts
    switch (this.#stage) {
      case 'grace':
        if (now - this.#openedAt < Math.min(GRACE_MS, 2 * (slotMs() ?? GRACE_MS))) return
        if (backfill && hole.toSlot >= hole.fromSlot) this.#startFetch(backfill, hole, signal)
        else this.#startReplay(hole)
        return
      case 'fetching':
        if (!this.#fetch) this.#startReplay(hole)
        return
      case 'replaying':
        if (!endpoints.some((endpoint) => endpoint.canReplay(hole.fromSlot - 1))) this.#stage = 'hopeless'
        return
      case 'hopeless':
        // With several endpoints, another one may still deliver it.
        if (endpoints.filter(({ isConnected }) => isConnected).length < 2) this.#giveUp(hole)
    }
  }

  #startFetch(backfill: Backfill, hole: Hole, signal: AbortSignal): void {
    this.#stage = 'fetching'
    const fetch = followSignals(signal)
    this.#fetch = fetch
    void this.#fetchBlocks(backfill, hole, fetch.signal).then(() => {
      fetch.abort()
      if (this.#fetch === fetch) this.#fetch = undefined
    })
  }

  async #fetchBlocks(backfill: Backfill, { fromSlot, toSlot }: Hole, signal: AbortSignal): Promise<void> {
    const { mailbox, from, log } = this.#parts
    try {
      for await (const update of backfill.blocks(fromSlot, toSlot, signal)) {
        if (!mailbox.put({ from, update })) await mailbox.drained()
      }
    } catch (error) {
      if (signal.aborted) return
      const sentence = error instanceof FeedError ? error.message : String(error)
      log.warn(`${backfill.name}: ${sentence}`, { fromSlot, toSlot })
    }
    // Fetched blocks must be processed before anything else is tried.
    await mailbox.drained()
  }

  #startReplay(hole: Hole): void {
    const tip = hole.fromSlot - 1
    const endpoint = this.#parts.endpoints.find((each) => each.canReplay(tip))
    this.#stage = endpoint ? 'replaying' : 'hopeless'
    endpoint?.replayAgain()
  }

  #giveUp(hole: Hole): void {
    if (!this.#isGivenUp) this.#notFilled++
    this.#isGivenUp = true
    this.#parts.mailbox.put({ giveUpFrom: hole.fromSlot, toSlot: undefined })
  }
}
