import { BoundedMap, type Clock, type Log } from '@pairwire/basics'
import { type Bus, CursorTooOldError } from '@pairwire/bus'
import { cursorBefore, MINUTE_MS, parseCursor, type StreamEvent } from '@pairwire/contract'
import { STREAM_SENTENCES, StreamFault } from '@pairwire/filter'
import { createLoopLog } from '@pairwire/process'
import type { Hub } from '../fanout/hub.ts'
import type { GatewayLimits } from '../limits.ts'
import { StreamAwayError } from '../protocol/stream-fault.ts'
import { createRecentCount, type RecentCount } from '../rates/rate.ts'
import type { SharedSpending } from '../rates/shared-spending.ts'
import type { PullingClient } from './pulled-subscriptions.ts'
import { Replay, type ReplayCalls } from './replay.ts'
import { createReplayShares, type ReplayShare } from './replay-share.ts'

/** The parts that all resumes share. */
type ResumingParts = Readonly<{
  bus: Pick<Bus, 'replay' | 'holds' | 'oldestCursor' | 'newestCursor'>
  clock: Clock
  limits: GatewayLimits
  log: Log
  /** Called for each allowed resume of an account. */
  spending: Pick<SharedSpending, 'note'>
}>

/**
 * Where a stream begins: after a cursor, or now. `lostFrom` is the first slot that it has missed for good; `now` if what
 * it has missed is not known.
 */
export type Start = Readonly<{ after: string | undefined; lostFrom: number | 'now' | undefined }>

/** Resumes clients after their cursors. */
export class Resuming {
  readonly #parts: ResumingParts
  /** The turns that an account's replays and playbacks share. */
  readonly shareOf: (accountId: string) => ReplayShare
  readonly #recent: BoundedMap<string, RecentCount>

  constructor(parts: ResumingParts) {
    // While the stream is away, each client that comes back fails in the same way.
    this.#parts = { ...parts, log: createLoopLog(parts.log, () => parts.clock.elapsed()) }
    this.shareOf = createReplayShares(parts.bus, parts.clock, parts.limits)
    this.#recent = new BoundedMap(parts.limits.rememberedRates)
  }

  /** Counts a resume of the account. @throws StreamFault when there were too many */
  assertMayResume(accountId: string): void {
    const { limits, spending } = this.#parts
    if (this.#recentOf(accountId).note()) {
      spending.note(accountId, { resumes: 1 })
      return
    }
    throw new StreamFault(
      'TOO_MANY_REQUESTS',
      `This account has resumed more than ${limits.resumesPerMinute} times within a minute. Wait a moment, or leave resume_from out.`,
    )
  }

  /** Counts the account's resumes at another gateway. */
  drawResumes(accountId: string, amount: number): void {
    this.#recentOf(accountId).drawElsewhere(amount)
  }

  /**
   * Waits until the stream has reached the cursor, and the events after it can be read. @throws StreamFault when it is
   * too old, or too far ahead; StreamAwayError when the stream cannot be read for that long
   */
  async find(cursor: string): Promise<void> {
    const { clock, limits } = this.#parts
    const until = clock.elapsed() + limits.aheadMs
    for (;;) {
      try {
        if (await this.#isHere(cursor)) return
        if (clock.elapsed() >= until) throw await this.#fault('CURSOR_AHEAD')
      } catch (error) {
        if (error instanceof StreamFault) throw error
        if (clock.elapsed() >= until) throw this.#away(error)
      }
      await new Promise<void>((resolve) => clock.after(limits.aheadCheckMs, resolve))
    }
  }

  /** Returns where a client whose cursor is not to be refused begins: behind it, or behind what is lost. */
  async findAnyhow(cursor: string): Promise<Start> {
    const place = parseCursor(cursor)
    if (!place) return { after: undefined, lostFrom: 'now' }
    try {
      await this.find(cursor)
      return { after: cursor, lostFrom: undefined }
    } catch (error) {
      if (!(error instanceof StreamFault)) throw error
      const { oldest } = error.data
      if (error.errorType !== 'CURSOR_TOO_OLD' || !oldest) return { after: undefined, lostFrom: 'now' }
      const before = cursorBefore(oldest)
      // Before the first event there ever was nothing is known, and nothing can be read after it.
      return { after: (await this.#parts.bus.holds(before)) ? before : oldest, lostFrom: place.slot }
    }
  }

  /** Returns what is kept at a cursor; undefined if nothing is, or no longer. @throws StreamAwayError */
  async at(cursor: string): Promise<StreamEvent | undefined> {
    if (!parseCursor(cursor)) return undefined
    try {
      for await (const [first] of this.#parts.bus.replay(cursorBefore(cursor))) {
        return first?.cursor === cursor ? first : undefined
      }
    } catch (error) {
      if (!(error instanceof CursorTooOldError)) throw this.#away(error)
    }
    return undefined
  }

  /** Begins a replay for a client of the account, which then joins a hub. */
  begin(accountId: string, client: PullingClient, hub: Hub, calls: ReplayCalls): Replay {
    const { clock, limits, log } = this.#parts
    return new Replay(client, { share: this.shareOf(accountId), hub, clock, limits, log }, calls)
  }

  #recentOf(accountId: string): RecentCount {
    const { clock, limits } = this.#parts
    return this.#recent.ensure(accountId, () => createRecentCount(clock, limits.resumesPerMinute, MINUTE_MS))
  }

  /** Whether the events after the cursor can be read now; false while it is ahead of the stream. */
  async #isHere(cursor: string): Promise<boolean> {
    const { bus } = this.#parts
    const newest = await bus.newestCursor()
    if (newest === undefined || cursor > newest) return false
    if (await bus.holds(cursor)) return true
    throw await this.#fault('CURSOR_TOO_OLD')
  }

  #away(error: unknown): StreamAwayError {
    this.#parts.log.warn('Cannot read the events that clients have missed; they have to come back.', {
      error,
    })
    return new StreamAwayError()
  }

  async #fault(errorType: 'CURSOR_TOO_OLD' | 'CURSOR_AHEAD'): Promise<StreamFault> {
    const oldest = (await this.#parts.bus.oldestCursor()) ?? null
    return new StreamFault(errorType, STREAM_SENTENCES[errorType](oldest), { oldest })
  }
}
