import { type Clock, type FollowingController, followSignals, type Log } from '@pairwire/basics'
import type { LiveEndpoint } from '@pairwire/contract'
import type { SlotUpdate } from '../../slot-keeper/slot-keeper.ts'
import { type Feed, FeedError, type FeedUpdate, type ServerPlace } from './feed.ts'

/** What an {@link Endpoint} needs. */
type EndpointParts<Update extends FeedUpdate = SlotUpdate> = Readonly<{
  feed: Feed<Update>
  clock: Clock
  log: Log
  /** Takes an update of the feed. @returns false when it should stop reading until {@link EndpointParts.drained} */
  take(update: Update): boolean
  drained(): Promise<void>
  whereFrom(endpoint: Endpoint<Update>, server: ServerPlace): number | undefined
  /** The slot up to which the chain was published. */
  tipSlot(): number | undefined
}>

/** Milliseconds before a failed endpoint is retried: doubled each time up to the maximum. */
const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 3_500
/** The maximum for one that refuses us: nothing changes there by itself. */
const LAST_REFUSED_MS = 30_000

/** Milliseconds between two log lines about unreadable messages, after the first of each reason. */
const TELL_EVERY_MS = 60_000
/** Reasons that get their own log line. */
const MAX_REASONS = 20
/** Milliseconds of only unreadable messages after which an endpoint counts as away. */
const BLIND_MS = 10_000

/** How often the same slot is requested before the endpoint is joined wherever it is. */
const MAX_REPLAYS = 3

/**
 * An endpoint across its connections: it is read, left alone for a while when it fails, and read again.
 *
 *     connecting ── first update ──► connected ── fault ──► resting ── time ──► connecting
 */
export class Endpoint<Update extends FeedUpdate = SlotUpdate> {
  readonly #parts: EndpointParts<Update>
  #state: LiveEndpoint['state'] = 'connecting'
  #trouble: string | null = null
  #warning: string | null = null
  #version: string | null = null
  #slot: number | null = null
  #retryMs = FIRST_RETRY_MS
  /** How often a replay from this tip was requested. */
  #replays = { tip: -1, count: 0 }
  /** The oldest slot that a refusal named, for the tip at which it was refused. */
  #refused: { tip: number; firstAvailable: number | undefined } | undefined
  /** The slot that the current connection was asked to begin with. */
  #askedFrom: number | undefined
  #restart: FollowingController | undefined
  /** Unreadable messages, those already reported, the time of the last report, and their reasons. */
  #unreadable = 0
  #told = 0
  #toldAt = 0
  readonly #reasons = new Set<string>()
  /** The first and the last message since any could be read: without newer ones, it is silent and not unreadable. */
  #blind: { since: number; until: number } | undefined

  constructor(parts: EndpointParts<Update>) {
    this.#parts = parts
  }

  /** The oldest slot that this endpoint named when it refused an older one. */
  get firstAvailable(): number | undefined {
    return this.#refused?.firstAvailable
  }

  get isConnected(): boolean {
    return this.#state === 'connected'
  }

  status(): LiveEndpoint {
    const isBlind = this.#blind !== undefined && this.#blind.until - this.#blind.since >= BLIND_MS
    return {
      name: this.#parts.feed.name,
      state: isBlind ? 'resting' : this.#state,
      version: this.#version,
      slot: this.#slot,
      trouble: isBlind ? 'Nothing that it sends can be read.' : (this.#trouble ?? this.#warning),
      unreadable: this.#unreadable,
    }
  }

  /** This endpoint was the first to complete a slot. */
  completed(slot: number): void {
    this.#slot = slot
    this.#retryMs = FIRST_RETRY_MS
  }

  /** Whether a replay from this tip may be requested once more; counts it. */
  mayReplay(tip: number): boolean {
    if (!this.canReplay(tip)) return false
    this.#replays = { tip, count: this.#replays.tip === tip ? this.#replays.count + 1 : 1 }
    return true
  }

  /** Whether a replay from this tip can help: the same one is never requested in a loop. */
  canReplay(tip: number): boolean {
    if (!this.#parts.feed.canReplay) return false
    // It was requested on this very connection, and did not bring what is missing.
    if (this.#askedFrom !== undefined && this.#askedFrom >= tip) return false
    if (this.#refused?.tip === tip && this.#refused.firstAvailable === undefined) return false
    return this.#replays.tip !== tip || this.#replays.count < MAX_REPLAYS
  }

  /** Reconnects to request a replay. */
  replayAgain(): void {
    this.#restart?.abort()
  }

  /** Reads until `signal` aborts. */
  async read(signal: AbortSignal): Promise<void> {
    const { clock } = this.#parts
    while (!signal.aborted) {
      this.#state = 'connecting'
      this.#blind = undefined
      this.#askedFrom = undefined
      const restart = followSignals(signal)
      this.#restart = restart
      const fault = await this.#readOnce(restart.signal)
      if (signal.aborted) return
      if (restart.signal.aborted) continue
      restart.abort()

      this.#say(fault)
      if (fault.kind === 'replayRefused' && this.#noteRefusal(fault)) continue
      this.#state = 'resting'
      // With some randomness, so that many services do not reconnect at the same moment.
      await clock.wait(this.#retryMs * (0.75 + Math.random() / 2), signal)
      const lastMs = fault.kind === 'unauthorised' ? LAST_REFUSED_MS : LAST_RETRY_MS
      this.#retryMs = Math.min(this.#retryMs * 2, lastMs)
    }
  }

  /** Reads one connection. @returns why it ended */
  async #readOnce(signal: AbortSignal): Promise<FeedError> {
    const { feed, take, drained } = this.#parts
    try {
      await feed.read({
        whereFrom: (server) => this.#parts.whereFrom(this, server),
        push: (update) => {
          if (update.kind === 'connected') this.#askedFrom = update.from
          else if (update.kind === 'unreadable') this.#noteUnreadable(update)
          else this.#connected()
          return take(update)
        },
        drained,
        report: ({ version, warning }) => {
          if (version !== undefined) this.#version = version
          if (warning === undefined) return
          if (warning !== null && warning !== this.#warning) this.#warn(warning)
          this.#warning = warning
        },
        signal,
      })
      return new FeedError('broken', 'The endpoint ended the stream.')
    } catch (error) {
      if (error instanceof FeedError) return error
      this.#parts.log.error('A fault of our own stopped the reading of an endpoint.', { error })
      return new FeedError(
        'broken',
        'A fault of our own stopped the reading of the endpoint; the log has the details.',
      )
    }
  }

  #connected(): void {
    this.#blind = undefined
    if (this.#state === 'connected') return
    this.#state = 'connected'
    if (this.#trouble !== null) this.#parts.log.info(`${this.#parts.feed.name}: connected again.`)
    this.#trouble = null
  }

  /** Logs each problem once, however often it occurs. */
  #say(fault: FeedError): void {
    if (fault.message === this.#trouble) return
    this.#trouble = fault.message
    this.#warn(fault.message)
  }

  #warn(sentence: string): void {
    this.#parts.log.warn(`${this.#parts.feed.name}: ${sentence}`)
  }

  /** Logs the first of each reason, then one line a minute: a provider may send thousands of such messages a second. */
  #noteUnreadable({ slot, reason = '' }: FeedUpdate): void {
    const now = this.#parts.clock.elapsed()
    this.#blind = { since: this.#blind?.since ?? now, until: now }
    this.#unreadable++
    const kind = reason.replace(/\d+/g, '')
    const isNew = !this.#reasons.has(kind) && this.#reasons.size < MAX_REASONS
    if (!isNew && now - this.#toldAt < TELL_EVERY_MS) return
    this.#reasons.add(kind)
    const count = this.#unreadable - this.#told
    this.#told = this.#unreadable
    this.#toldAt = now
    const what = count === 1 ? 'a message' : `${count} messages`
    this.#parts.log.error(`${this.#parts.feed.name}: ${what} could not be read.`, { slot, reason })
  }

  /** @returns whether to retry at once, from a slot that the endpoint holds or from its current one */
  #noteRefusal({ firstAvailable }: FeedError): boolean {
    const tip = this.#parts.tipSlot() ?? -1
    const isNew = this.#refused?.tip !== tip || this.#refused.firstAvailable !== firstAvailable
    this.#refused = { tip, firstAvailable: isNew ? firstAvailable : undefined }
    return isNew
  }
}
