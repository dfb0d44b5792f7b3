import type { Clock } from '@pairwire/basics'
import { type Feed, FeedError, type FeedParts, type FeedUpdate } from '../chain/feed.ts'
import type { Finding } from './describe-observed.ts'

/** The report on one endpoint. */
export type Report = Readonly<{ says: readonly string[]; findings: readonly Finding[] }>

/** How long an endpoint is watched, and by which clock. */
export type Watch = Readonly<{ clock: Clock; signal: AbortSignal; forMs: number }>

/** A feed that ends some time after its first update, or with its first fault, where the service would reconnect. */
export class WatchedFeed<Update extends FeedUpdate> implements Feed<Update> {
  readonly name: string
  readonly canReplay: boolean
  /** Aborts when it has ended. */
  readonly signal: AbortSignal
  /** Whether anything arrived. */
  hasSpoken = false
  fault: unknown
  readonly #feed: Feed<Update>
  readonly #watch: Watch
  readonly #heard: (update: Update) => void
  readonly #enough = new AbortController()

  /** `heard` is called first with each update. */
  constructor(feed: Feed<Update>, watch: Watch, heard: (update: Update) => void) {
    this.name = feed.name
    this.canReplay = feed.canReplay
    this.signal = AbortSignal.any([watch.signal, this.#enough.signal])
    this.#feed = feed
    this.#watch = watch
    this.#heard = heard
  }

  async read(parts: FeedParts<Update>): Promise<void> {
    const { clock, forMs } = this.#watch
    const push = (update: Update) => {
      if (!this.hasSpoken) void clock.wait(forMs, this.signal).then(() => this.#enough.abort())
      this.hasSpoken = true
      this.#heard(update)
      return parts.push(update)
    }
    try {
      await this.#feed.read({ ...parts, push })
    } catch (error) {
      this.fault = error
      this.#enough.abort()
    }
  }

  /**
   * Explains why it could not be read, or no longer. `hasGiven`: whether blocks arrived before.
   *
   * @throws the fault itself when it is not an endpoint's
   */
  explain(hasGiven: boolean): Finding {
    const { fault } = this
    if (!(fault instanceof FeedError)) throw fault
    return { isFatal: fault.kind === 'unauthorised' || !hasGiven, sentence: fault.message }
  }
}
