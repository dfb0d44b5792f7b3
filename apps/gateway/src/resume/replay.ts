import type { Clock, Log } from '@pairwire/basics'
import { CursorTooOldError } from '@pairwire/bus'
import { cursorBefore, type GapParams, parseCursor, type StreamKind } from '@pairwire/contract'
import { wantsEvent } from '@pairwire/filter'
import type { Hub } from '../fanout/hub.ts'
import { countEvent, type HubClient, nothingSent } from '../fanout/hub-member.ts'
import { type FrameHeads, frameEvents, frameHeads, OutgoingEvent } from '../fanout/outgoing-event.ts'
import { firstAfter } from '../fanout/recent-events.ts'
import type { GatewayLimits } from '../limits.ts'
import type { Outbox } from '../outbox/outbox.ts'
import { gapNotice } from '../protocol/answers.ts'
import { Frames } from '../protocol/frames.ts'
import { frameText } from '../protocol/framing.ts'
import type { Subscription } from '../protocol/subscription.ts'
import type { ReplayPage } from './replay-pages.ts'
import type { ReplayShare } from './replay-share.ts'

/** A client that can be replayed to. */
export type ReplayClient = HubClient & Readonly<{ outbox: Pick<Outbox, 'write' | 'whenDrained'> }>

/** What a replay needs. */
type ReplayContext = Readonly<{
  hub: Hub
  share: ReplayShare
  clock: Clock
  limits: GatewayLimits
  log: Log
}>

/** What a replay asks and tells its client's subscriptions. */
export type ReplayCalls = Readonly<{
  /** Whether subscribes have arrived that are not added yet. */
  isMoreToCome(): boolean
  /** The last subscription has joined the hub, or gone. Called once. */
  onEnd(): void
}>

/** A subscription, and the cursor after which it wants events. */
type Resumed = { subscription: Subscription; readonly after: string }

/**
 * What one client has missed, for its resumed subscriptions together and in chain order. It is pulled: only when the
 * client has taken what it was given, and the loop has a turn for it, does the next slice go out.
 *
 *     gathering ---- 20 ms ---> behind ---- little is left, and the hub remembers it ---> at the seam
 *                                ^  |                                                       |   |
 *                   next slice   +--+--------------- more came before the edge -------------+   +--- joins the hub ---> ended
 *
 * At the seam it stands at the edge of a window, where nothing is sent: what the hub sent after the place of the
 * replay goes out, and what it sends next comes from the hub. From each of them to `ended` when no subscription is left.
 */
export class Replay {
  readonly #client: ReplayClient
  readonly #context: ReplayContext
  readonly #calls: ReplayCalls
  readonly #resumed = new Map<StreamKind, Resumed>()
  /** All events up to here were given to the subscriptions that want them. */
  #from = LAST
  /** The page that is being given out begins after this cursor; undefined once all of it was. */
  #page: string | undefined
  /** Whether pages take more than one slice, as far as is known. */
  #isCut = false
  #isGathering = true
  #isEnded = false

  /** Begins to gather. */
  constructor(client: ReplayClient, context: ReplayContext, calls: ReplayCalls) {
    this.#client = client
    this.#context = context
    this.#calls = calls
    this.#gather()
  }

  /** Whether more may be replayed together with what it has. */
  get isGathering(): boolean {
    return this.#isGathering
  }

  /** Adds a subscription while it gathers. */
  add(subscription: Subscription, after: string): void {
    this.#resumed.set(subscription.kind, { subscription, after })
    if (after < this.#from) this.#from = after
  }

  /** Puts changed params in place; false when it does not have the subscription. */
  replace(subscription: Subscription): boolean {
    const resumed = this.#resumed.get(subscription.kind)
    if (resumed) resumed.subscription = subscription
    return resumed !== undefined
  }

  /** Not one event of the kind follows; false when it does not have it. */
  remove(kind: StreamKind): boolean {
    const had = this.#resumed.delete(kind)
    if (this.#resumed.size === 0) this.#end()
    return had
  }

  /** The cursor from which the subscription misses nothing; undefined when it is not being replayed. */
  placeOf(kind: StreamKind): string | undefined {
    const resumed = this.#resumed.get(kind)
    return resumed && (resumed.after > this.#from ? resumed.after : this.#from)
  }

  #gather(): void {
    const { clock, limits } = this.#context
    clock.after(limits.gatherMs, () => {
      if (this.#calls.isMoreToCome()) {
        this.#gather()
        return
      }
      this.#isGathering = false
      void this.#run()
    })
  }

  async #run(): Promise<void> {
    /** Whether the bus had nothing after the place when it was last asked. */
    let isNewest = false
    while (!this.#isEnded) {
      await this.#drained()
      if (this.#isEnded || (await this.#passSeam(isNewest))) return
      isNewest = await this.#goOn()
    }
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => this.#client.outbox.whenDrained(resolve))
  }

  /** Joins the hub if little is left; whether the replay has ended. */
  #passSeam(isNewest: boolean): Promise<boolean> {
    const { hub, limits } = this.#context
    const restNow = () => {
      const rest = this.#isEnded ? undefined : hub.since(this.#from, isNewest)
      return rest && rest.length <= limits.seamEvents ? rest : undefined
    }
    if (!restNow()) return Promise.resolve(this.#isEnded)
    return new Promise((resolve) => {
      hub.atEdge(() => {
        const rest = restNow()
        if (rest) {
          this.#write(rest)
          if (this.#from >= (rest.at(-1)?.cursor ?? this.#from)) this.#join()
        }
        resolve(this.#isEnded)
      })
    })
  }

  #join(): void {
    const { hub } = this.#context
    for (const { subscription } of this.#resumed.values()) {
      hub.put(this.#client, subscription.kind, subscription)
    }
    this.#end()
  }

  #end(): void {
    if (this.#isEnded) return
    this.#isEnded = true
    this.#resumed.clear()
    this.#calls.onEnd()
  }

  /** Gives out the next slice of what the bus has; whether it had nothing more. */
  async #goOn(): Promise<boolean> {
    const { hub, share, clock, limits, log } = this.#context
    const recent = hub.since(this.#from, false)
    // The page that the place stands in is asked for by its beginning, where others find it too.
    this.#page ??= this.#from
    const isFirst = this.#page === this.#from
    try {
      if (recent) return await this.#give(recent, false)
      return await share.usePage(this.#page, this.#isCut, async (page, isInTurn) => {
        const rest = page.slice(firstAfter(page, this.#from))
        if (rest.length > 0 || isFirst) return this.#give(rest, isInTurn)
        this.#page = undefined
        return false
      })
    } catch (error) {
      this.#page = undefined
      if (!isFirst) return false
      if (error instanceof CursorTooOldError) {
        this.#skipTo(error.oldest)
        return false
      }
      log.error('Could not read the events a client has missed; retrying.', { error })
      await new Promise<void>((resolve) => clock.after(limits.retryAfterMs, resolve))
      return false
    }
  }

  async #give(items: ReplayPage, isInTurn: boolean): Promise<boolean> {
    const { share } = this.#context
    const write = () => share.spend(this.#isEnded ? 0 : this.#write(items))
    if (isInTurn) write()
    else await share.turn(write)
    return items.length === 0
  }

  /** Writes what is wanted of these, as far as a slice goes, and moves on behind it; what it has cost, in bytes. */
  #write(items: ReplayPage): number {
    let cost = 0
    // The last event that a plan allows ends its subscription: behind the slice, not before.
    this.#context.hub.hold(() => {
      cost = this.#writeSlice(items)
    })
    return cost
  }

  #writeSlice(items: ReplayPage): number {
    const { limits } = this.#context
    const slice = new Slice(this.#client, this.#resumed, this.#context.clock.now())
    let place = this.#from
    let looked = 0
    for (const item of items) {
      if (slice.bytes >= limits.replaySliceBytes || looked >= limits.replaySliceEvents) break
      looked++
      if (item instanceof OutgoingEvent) slice.takeEvent(item)
      else slice.takeGap(item.cursor, item.params)
      place = item.cursor
    }
    if (slice.write()) {
      this.#from = place
      this.#isCut = looked < items.length
      if (!this.#isCut) this.#page = undefined
    }
    return slice.bytes + looked * LOOK_BYTES
  }

  /** What the client was too slow for is gone: it is told, and goes on at the oldest that there is. */
  #skipTo(oldest: string | undefined): void {
    const { hub, clock } = this.#context
    const from = oldest === undefined ? (hub.position() ?? this.#from) : cursorBefore(oldest)
    const params = slowConsumerGap(this.#from, from, null)
    const slice = new Slice(this.#client, this.#resumed, clock.now())
    slice.takeGap(from, params)
    if (slice.write()) this.#from = from
  }
}

/** The gap of a client that did not take what lies between two cursors. */
export function slowConsumerGap(from: string, to: string, resumeFrom: string | null): GapParams {
  const fromSlot = parseCursor(from)?.slot ?? 0
  const toSlot = Math.max(fromSlot, parseCursor(to)?.slot ?? 0)
  return { fromSlot, toSlot, cause: 'slow_consumer', resume_from: resumeFrom }
}

/** What one look at an event counts as, in bytes written. */
const LOOK_BYTES = 64

/** After every cursor. */
const LAST = '~'

/** One write of a replay: the frames that the resumed subscriptions want, in order. */
class Slice {
  readonly #client: ReplayClient
  readonly #resumed: ReadonlyMap<StreamKind, Resumed>
  readonly #sentAt: number
  readonly #heads: FrameHeads
  readonly #parts: Buffer[] = []
  readonly #counts = nothingSent()
  #events: OutgoingEvent[] = []
  #metered = 0
  bytes = 0

  constructor(client: ReplayClient, resumed: ReadonlyMap<StreamKind, Resumed>, sentAt: number) {
    this.#client = client
    this.#resumed = resumed
    this.#sentAt = sentAt
    this.#heads = frameHeads([...resumed.values()].map(({ subscription }) => subscription))
  }

  takeEvent(outgoing: OutgoingEvent): void {
    const { event } = outgoing
    const resumed = this.#resumed.get(event.kind)
    if (!resumed || event.cursor <= resumed.after) return
    const { interest } = resumed.subscription
    if (!wantsEvent(interest, event) || !this.#takeMetered(event.kind)) return

    const taken = interest.timestamps ? outgoing.timed(this.#sentAt) : outgoing
    this.#events.push(taken)
    countEvent(this.#counts, event)
    this.bytes += taken.behindId.length
  }

  takeGap(cursor: string, params: GapParams): void {
    this.#join()
    for (const { subscription, after } of this.#resumed.values()) {
      if (cursor > after) this.#add(frameText(gapNotice(subscription.id, params)))
    }
  }

  /** False when the client takes nothing more: it is on its way out. */
  write(): boolean {
    this.#join()
    if (this.#parts.length === 0) return true
    const frames = new Frames(Buffer.concat(this.#parts))
    this.#counts.bytes = frames.bytes.length
    if (this.#client.outbox.write(frames)) {
      this.#client.sent(this.#counts)
      return true
    }
    if (this.#metered > 0) this.#client.swapMeter()?.giveBack(this.#metered)
    this.#client.overflowed()
    return false
  }

  #takeMetered(kind: StreamKind): boolean {
    const meter = kind === 'swap' ? this.#client.swapMeter() : undefined
    if (!meter) return true
    if (!meter.take()) return false
    this.#metered++
    return true
  }

  #join(): void {
    if (this.#events.length > 0) this.#parts.push(frameEvents(this.#events, this.#heads))
    this.#events = []
  }

  #add(frame: Buffer): void {
    this.#parts.push(frame)
    this.bytes += frame.length
  }
}
