import { gapBetween, NoAnswerError } from '@pairwire/bus'
import { cursorBefore, type GapEvent, type StreamEvent, type StreamKind, slotOf } from '@pairwire/contract'
import { invalidParams, type PlaybackWindow, StreamFault } from '@pairwire/filter'
import { firstAfter } from '../fanout/recent-events.ts'
import type { ClosedErrorType } from '../protocol/answers.ts'
import { type Outgoing, OutgoingEvent } from '../protocol/outgoing-event.ts'
import type { Subscription } from '../protocol/subscription.ts'
import { PulledSubscriptions, type PullingClient } from '../resume/pulled-subscriptions.ts'
import type { ReplayShare } from '../resume/replay-share.ts'
import {
  type ArchiveParts,
  ArchiveReader,
  archiveAway,
  type HourPart,
  isEvent,
  partsOf,
  timeOf,
} from './archive-reader.ts'
import { createPlaybackState, type Input } from './playback-state.ts'

/** The owner of a playback, and its calls. */
export type PlaybackOwner = Readonly<{
  accountId: string
  client: PullingClient
  share: Pick<ReplayShare, 'turn' | 'spend'>
  /** Called once, with the subscriptions to close. */
  onEnd(closed: readonly Subscription[], why: PlaybackEnd): void
}>

/** Why a playback ends while its connection stays open. */
export type PlaybackEnd = Readonly<{ errorType: ClosedErrorType; message: string }>

const AT_ITS_END: PlaybackEnd = { errorType: 'REPLAY_ENDED', message: 'The replay has ended.' }

/** Milliseconds that a block may be late while the next ones still leave on time. */
const SLACK_MS = 200

/** The text after the method in each frame. */
const LABEL = ',"replay":true'

/** Replays archive hours to one client, for all its subscriptions, at the original pace. */
export class Playback {
  readonly window: PlaybackWindow
  readonly subscriptions: PulledSubscriptions
  readonly #parts: ArchiveParts
  readonly #owner: PlaybackOwner
  readonly #state = createPlaybackState()
  readonly #ending = new AbortController()
  readonly #reader: ArchiveReader
  /** Kinds whose subscribe waits for its answer. */
  readonly #opening = new Set<StreamKind>()
  /** Where each kind begins. */
  readonly #begins = new Map<StreamKind, readonly HourPart[]>()
  #stopWaiting = () => {}
  /** The historic time at which it began, and the one it has reached, in Unix milliseconds. */
  #begin = 0
  #then = 0
  /** When it began, in milliseconds of the clock; moved later by delays since. */
  #began = 0
  /** Whether the hour after the last one sent is missing. */
  #isHourMissing = false

  constructor(window: PlaybackWindow, parts: ArchiveParts, owner: PlaybackOwner) {
    const { signal } = this.#ending
    this.window = window
    this.#parts = parts
    this.#owner = owner
    this.#reader = new ArchiveReader(parts, { ...owner, signal })
    this.subscriptions = new PulledSubscriptions(owner.client, {
      ...parts,
      isPlayback: true,
      onEmpty: () => this.#settle(),
    })
  }

  /** Whether a subscribe of the kind waits for its answer. */
  isOpening(kind: StreamKind): boolean {
    return this.#opening.has(kind)
  }

  /** Adds the subscription that `make` makes, if the account may have the hours. @throws StreamFault when it may not */
  async open(kind: StreamKind, cursor: string | undefined, make: () => Subscription): Promise<Subscription> {
    this.#on('asked')
    this.#opening.add(kind)
    try {
      const parts = partsOf(this.window)
      await this.#reader.assertAllowed(parts)
      const found = cursor === undefined ? parts : await this.#reader.partsFrom(this.window, cursor)
      const phase = this.#state.phase()
      if (phase === 'ended' || (phase === 'playing' && cursor !== undefined)) {
        throw invalidParams(
          'This replay has begun. Unsubscribe from it to begin another, or leave resume_from out.',
        )
      }
      this.#begins.set(kind, found)
      const subscription = make()
      // Late subscribers begin where the others are.
      this.subscriptions.add(subscription, cursor ?? (phase === 'playing' ? this.subscriptions.place : ''))
      return subscription
    } catch (error) {
      throw error instanceof NoAnswerError ? archiveAway() : error
    } finally {
      this.#opening.delete(kind)
      this.#settle()
    }
  }

  /** Begins at once, or once the waiting subscribes have their answers. */
  start(): void {
    this.#on('start')
  }

  /** Once no subscribe waits, reports whether a subscription is left. */
  #settle(): void {
    if (this.#opening.size === 0) this.#on(this.subscriptions.isEmpty ? 'emptied' : 'answered')
  }

  #on(input: Input, why = AT_ITS_END): void {
    const { clock, limits } = this.#parts
    const action = this.#state.on(input)
    if (action === 'nothing') return
    this.#stopWaiting()
    if (action === 'wait') {
      this.#stopWaiting = clock.after(limits.playbackBeginMs, () => this.#on('second'))
    } else if (action === 'play') {
      // After the answer to the last subscribe.
      this.#stopWaiting = clock.after(0, () => void this.#run())
    } else if (action === 'close' || action === 'release') {
      this.#ending.abort()
      this.#owner.onEnd(this.subscriptions.all, why)
    }
  }

  async #run(): Promise<void> {
    try {
      await this.#play()
      this.#on('finish')
    } catch (error) {
      if (this.#ending.signal.aborted) return
      if (!(error instanceof StreamFault)) this.#parts.log.error('A playback has failed.', { error })
      this.#on('finish', error instanceof StreamFault ? error : archiveAway())
    }
  }

  async #play(): Promise<void> {
    const begins = this.subscriptions.all.map(({ kind }) => this.#begins.get(kind)!)
    const [parts = []] = begins.sort(([one], [other]) => one!.begin - other!.begin)
    this.#begins.clear()
    this.#begin = parts[0]?.begin ?? 0
    this.#began = this.#parts.clock.elapsed()
    for (const part of parts) {
      await this.#until(part.begin)
      // The first one was checked just now.
      if (part !== parts[0]) await this.#reader.insist(() => this.#reader.assertAllowed([part]))
      let isMissing = true
      for await (const events of this.#reader.pages(part)) {
        isMissing = false
        if (!(await this.#give(events))) break
      }
      this.#isHourMissing ||= isMissing
    }
    await this.#until(this.window.to * 1_000)
  }

  /** Sends these block by block, each when due; false if the window ends among them. */
  async #give(events: readonly StreamEvent[]): Promise<boolean> {
    for (let at = 0; at < events.length; ) {
      const first = events[at]!
      if (isEvent(first)) {
        if (first.params.blockTime >= this.window.to) return false
        await this.#until(timeOf(first))
      }
      const slot = slotOf(first.cursor)
      const end = firstAfter(events, `${slot}~`)
      await this.#write([...this.#gapBefore(slot), ...events.slice(at, end).map(outgoingOf)])
      at = end
    }
    return true
  }

  /** Returns the gap that a missing hour leaves before this slot. */
  #gapBefore(slot: string): GapEvent[] {
    const { place } = this.subscriptions
    const isGap = this.#isHourMissing && place !== ''
    this.#isHourMissing = false
    return isGap ? [gapBetween(place, cursorBefore(`${slot}-000000-0000`))] : []
  }

  async #write(items: readonly Outgoing[]): Promise<void> {
    const { share } = this.#owner
    for (let rest = items; rest.length > 0; ) {
      await this.subscriptions.drained()
      await share.turn(() => {
        this.#ending.signal.throwIfAborted()
        const { events, cost } = this.subscriptions.write(rest)
        share.spend(cost)
        rest = rest.slice(events)
      })
    }
  }

  /** Waits until what arrived at `time` is due; delays by the client or the archive are not caught up. */
  async #until(time: number): Promise<void> {
    const { clock } = this.#parts
    const { signal } = this.#ending
    this.#then = Math.max(this.#then, time)
    const due = this.#began + (this.#then - this.#begin) / this.window.speed
    if (due > clock.elapsed()) await clock.wait(due - clock.elapsed(), signal)
    await this.subscriptions.drained()
    signal.throwIfAborted()
    const late = clock.elapsed() - due
    if (late > SLACK_MS) this.#began += late
  }
}

function outgoingOf(event: StreamEvent): Outgoing {
  return isEvent(event) ? new OutgoingEvent(event, 0, '', LABEL) : event
}
