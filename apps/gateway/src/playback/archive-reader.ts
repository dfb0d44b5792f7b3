import type { Accounts } from '@pairwire/accounts'
import type { Clock, Log } from '@pairwire/basics'
import type { Bus } from '@pairwire/bus'
import {
  ARCHIVE_ASKS,
  ArchiveState,
  cursorBefore,
  eventsOfText,
  HOUR_MS,
  hourName,
  type NotificationEvent,
  PageAnswer,
  type PageAsk,
  type SourceKind,
  type StreamEvent,
  slotOf,
} from '@pairwire/contract'
import { type PlaybackWindow, STREAM_SENTENCES, StreamFault } from '@pairwire/filter'
import type { GatewayLimits } from '../limits.ts'
import type { ReplayShare } from '../resume/replay-share.ts'

/** What reading the archive needs. */
export type ArchiveParts = Readonly<{
  bus: Pick<Bus, 'request'>
  /** The source whose hours are read. */
  source: SourceKind
  accounts: Pick<Accounts, 'mayReplay'>
  clock: Clock
  limits: GatewayLimits
  log: Log
}>

/** The account to read for, and the signal that ends it. */
type Reading = Readonly<{
  accountId: string
  share: Pick<ReplayShare, 'turn' | 'spend'>
  signal: AbortSignal
}>

type ArchivePage = Readonly<{ events: readonly StreamEvent[]; isLast: boolean }>

/**
 * An hour from a time on, both in Unix milliseconds, or from the cursor `after` that was reached then; `page` is its
 * first page, if known.
 */
export type HourPart = Readonly<{ hour: number; begin: number; after: string | null; page?: ArchivePage }>

/** Milliseconds within which a block normally arrives; later, it was a recording, or the source was behind. */
const CAME_WITHIN_MS = 60_000

/** Reads the archive for one account. */
export class ArchiveReader {
  readonly #parts: ArchiveParts
  readonly #reading: Reading

  constructor(parts: ArchiveParts, reading: Reading) {
    this.#parts = parts
    this.#reading = reading
  }

  /** @throws StreamFault when the account may not read one of these hours; NoAnswerError without the archive */
  async assertAllowed(parts: readonly HourPart[]): Promise<void> {
    const { accounts, bus, source, limits } = this.#parts
    const { sample } = ArchiveState.parse(await bus.request(ARCHIVE_ASKS.state, {}, limits.archiveStateMs))
    for (const { hour } of parts) {
      if (hourName(hour) === sample) continue
      if (await accounts.mayReplay(this.#reading.accountId, source, hour, hour + HOUR_MS)) continue
      const named = new Date(hour).toISOString().slice(0, 16).replace('T', ' ')
      throw new StreamFault('NO_ORDER', STREAM_SENTENCES.NO_ORDER(named, sample))
    }
  }

  /** Returns the parts of a window from the block of a cursor on. @throws StreamFault when it is outside the window */
  async partsFrom(window: PlaybackWindow, cursor: string): Promise<readonly HourPart[]> {
    const slot = slotOf(cursor)
    const after = cursorBefore(`${slot}-000000-0000`)
    const parts = partsOf(window)
    // Starts with the last hour: the archive has each hour's first page ready, but would scan one that ends earlier.
    for (let at = parts.length - 1; at >= 0; at--) {
      const page = await this.#read({ ...parts[at]!, after })
      if (!page) continue
      const first = page.events.find(isEvent)
      // An hour in which the chain stood still has no event at all, one that ended before has some.
      if (!first && (await this.#read({ ...parts[at]!, after: null }))?.events.some(isEvent)) break
      if (!first || slotOf(first.cursor) !== slot) continue
      if (first.params.blockTime < window.from || first.params.blockTime >= window.to) break
      return [{ ...parts[at]!, begin: timeOf(first), after, page }, ...parts.slice(at + 1)]
    }
    throw new StreamFault(
      'INVALID_CURSOR',
      'resume_from is outside of what is replayed. Send a cursor that came with it, or leave resume_from out.',
    )
  }

  /** Yields the pages of a part, each requested while the previous one is sent; none if the hour is missing. */
  async *pages({ page: known, ...part }: HourPart): AsyncGenerator<readonly StreamEvent[]> {
    let page = known ?? (await this.insist(() => this.#read(part)))
    while (page) {
      const after = page.isLast ? undefined : page.events.at(-1)?.cursor
      const next = after === undefined ? undefined : { ...part, after }
      const ahead = next && this.#read(next).catch(() => undefined)
      yield page.events
      page = next && ((await ahead) ?? (await this.insist(() => this.#read(next))))
    }
  }

  /** Retries while the archive is unavailable. @throws StreamFault after too long */
  async insist<Value>(work: () => Promise<Value>): Promise<Value> {
    const { clock, limits, log } = this.#parts
    const { signal } = this.#reading
    const until = clock.elapsed() + limits.playbackAwayMs
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (error instanceof StreamFault) throw error
        if (clock.elapsed() >= until) {
          log.warn('The archive was unavailable for too long for a playback.', { error })
          throw archiveAway()
        }
      }
      await clock.wait(limits.retryAfterMs, signal)
      signal.throwIfAborted()
    }
  }

  async #read({ hour, begin, after }: HourPart): Promise<ArchivePage | undefined> {
    const { bus, source, limits } = this.#parts
    const ask: PageAsk = { source, hour: hourName(hour), after, from: Math.floor(begin / 1_000) }
    const answer = PageAnswer.parse(await bus.request(ARCHIVE_ASKS.page, ask, limits.archivePageMs))
    if (answer.outcome === 'missing') return undefined
    const { events, isLast } = answer
    const { share } = this.#reading
    return share.turn(() => {
      share.spend(events.length)
      return { events: eventsOfText(events), isLast }
    })
  }
}

/** Returns the hours that a window covers, each with the time to begin at. */
export function partsOf({ from, to }: PlaybackWindow): readonly HourPart[] {
  const parts: HourPart[] = []
  for (let begin = from * 1_000; begin < to * 1_000; ) {
    const hour = begin - (begin % HOUR_MS)
    parts.push({ hour, begin, after: null })
    begin = hour + HOUR_MS
  }
  return parts
}

/** Whether it is an event and not a gap. */
export function isEvent(event: StreamEvent): event is NotificationEvent {
  return event.kind !== 'gap'
}

/** Returns when the block of an event arrived, in Unix milliseconds. */
export function timeOf({ receivedAt, params }: NotificationEvent): number {
  const blockMs = params.blockTime * 1_000
  return receivedAt !== undefined && Math.abs(receivedAt - blockMs) <= CAME_WITHIN_MS ? receivedAt : blockMs
}

/** Makes the fault for an archive that does not answer. */
export function archiveAway(): StreamFault {
  return new StreamFault('REPLAY_AWAY', STREAM_SENTENCES.REPLAY_AWAY())
}
