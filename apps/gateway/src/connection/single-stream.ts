import { BoundedMap, type Clock } from '@pairwire/basics'
import { type Commitment, parseCursor } from '@pairwire/contract'
import { type Interest, wantsEvent } from '@pairwire/filter'
import type { Codec } from '../codecs/codec.ts'
import type { Hub } from '../fanout/hub.ts'
import { gapNotice } from '../protocol/answers.ts'
import type { Meter } from '../protocol/subscription.ts'
import type { Resuming, Start } from '../resume/resuming.ts'
import type { Successor } from '../seats/seat.ts'
import type { ConnectionSubscriptions } from './connection-subscriptions.ts'

/** The stream that a connection was opened for. */
export type StreamWanted = Readonly<{
  /** The same text for the same stream with the same params. */
  stream: string
  interest: Interest
  commitment: Commitment
  start: Start
  /** Events, and milliseconds, after which it ends. */
  limit: number | undefined
  forMs: number | undefined
}>

/** What it needs from its connection. */
type SingleStreamParts = Readonly<{
  subscriptions: ConnectionSubscriptions
  codec: Codec
  hub: Hub
  resuming: Resuming
  clock: Clock
  isOpen(): boolean
  send(frame: Buffer): void
  /** Called once the client has all that it asked for. */
  complete(): void
}>

/** Cursors kept of signs of life: those of the last hours. */
const TOLD_KEPT = 1_000

/** The only stream of a connection whose client sends no requests. */
export class SingleStream {
  readonly #wanted: StreamWanted
  readonly #parts: SingleStreamParts
  /** Events until its limit, if it has one. */
  #left: number | undefined
  /** Cursors that were sent without an event. The first is where it began, for as long as it is kept. */
  readonly #told = new BoundedMap<string, true>(TOLD_KEPT)
  #cancelEnd = () => {}

  constructor(wanted: StreamWanted, parts: SingleStreamParts) {
    const { limit, forMs } = wanted
    this.#wanted = wanted
    this.#parts = parts
    this.#left = limit
    if (forMs === undefined) return
    this.#cancelEnd = parts.clock.after(forMs, () => this.tellPlace(parts.complete))
  }

  /** Opens it at the edge of a window. */
  open(): void {
    const { hub, isOpen } = this.#parts
    hub.atEdge(() => isOpen() && this.#open())
  }

  /** Tells the client, at the edge, how far its stream was read. */
  tellPlace(then = () => {}): void {
    const { subscriptions, hub, isOpen } = this.#parts
    hub.atEdge(() => {
      if (!isOpen()) return
      this.#tell(subscriptions.place, false)
      then()
    })
  }

  /** What its events draw on: its own limit, and the plan's. */
  meterWithin(plan: Meter | undefined): Meter | undefined {
    if (this.#left === undefined) return plan
    return {
      take: () => {
        if (this.#left === 0 || plan?.take() === false) return false
        this.#left!--
        return true
      },
      giveBack: (count) => {
        this.#left! += count
        plan?.giveBack(count)
      },
    }
  }

  /** Its client was sent something: the event that reaches its limit is the last, also before what its window has left. */
  noteSent(): void {
    if (this.#left === 0) this.#parts.complete()
  }

  /** Whether it was sent this cursor: with a sign of life, or with an event since it began. */
  async continuesIn({ stream, cursor }: Successor): Promise<boolean> {
    const { subscriptions, resuming } = this.#parts
    if (stream !== this.#wanted.stream) return false
    if (this.#told.has(cursor)) return true
    const [begin = ''] = this.#told.keys()
    if (cursor <= begin || cursor > (subscriptions.place ?? '')) return false
    const event = await resuming.at(cursor)
    return event !== undefined && (event.kind === 'gap' || wantsEvent(this.#wanted.interest, event))
  }

  /** The connection has ended. */
  close(): void {
    this.#cancelEnd()
  }

  #open(): void {
    const { subscriptions, codec, hub, send } = this.#parts
    const { interest, commitment, start } = this.#wanted
    const { after, lostFrom } = start
    const { id } =
      after === undefined
        ? subscriptions.subscribe(interest, commitment)
        : subscriptions.replayFrom(interest, after)
    const { place } = subscriptions
    // Only behind a gap may the client come back to this place.
    this.#tell(lostFrom === undefined ? place : undefined, true)
    if (lostFrom === undefined) return
    const toSlot = parseCursor(place ?? hub.newest() ?? '')?.slot ?? 0
    const fromSlot = lostFrom === 'now' ? toSlot : Math.min(lostFrom, toSlot)
    send(codec.notice(gapNotice(id, { fromSlot, toSlot, cause: 'too_old', resume_from: null }), place))
    this.#note(place)
  }

  #tell(place: string | undefined, isFirst: boolean): void {
    const { codec, send } = this.#parts
    const frame = codec.alive?.frame(place, isFirst)
    if (frame && frame.length > 0) send(frame)
    this.#note(place)
  }

  #note(place: string | undefined): void {
    if (place !== undefined) this.#told.set(place, true)
  }
}
