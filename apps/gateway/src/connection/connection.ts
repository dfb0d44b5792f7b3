import { afterReading } from '@pairwire/basics'
import {
  CLOSE_REASONS,
  type CloseReasonName,
  COMMITMENTS,
  type Commitment,
  cursorBefore,
  SUPPORT_EMAIL,
} from '@pairwire/contract'
import type { StreamFault } from '@pairwire/filter'
import type { Hub } from '../fanout/hub.ts'
import type { Sent } from '../fanout/hub-member.ts'
import type { Inlet } from '../intake/intake.ts'
import type { Outbox, OutboxOwner } from '../outbox/outbox.ts'
import type { PlaybackEnd } from '../playback/playback.ts'
import { closedNotice, gapNotice } from '../protocol/answers.ts'
import type { ClientSocket } from '../protocol/client-socket.ts'
import { Frames, framePong, frameText } from '../protocol/frames.ts'
import type { Meter, Subscription } from '../protocol/subscription.ts'
import type { Allowance } from '../rates/allowance.ts'
import { createRate, type Rate } from '../rates/rate.ts'
import type { PullingClient } from '../resume/pulled-subscriptions.ts'
import { slowConsumerGap } from '../resume/replay.ts'
import type { Seat, SeatedConnection } from '../seats/seat.ts'
import type { Seats } from '../seats/seats.ts'
import type { SharedSeats } from '../seats/shared-seats.ts'
import { createConnectionState } from './connection-state.ts'
import {
  type ConnectionStreams,
  ConnectionSubscriptions,
  type Ended,
  swapsUsedUp,
} from './connection-subscriptions.ts'
import { createDrainLimit, type DrainLimit } from './drain-limit.ts'
import { createLiveness, type Liveness } from './liveness.ts'
import { type RequestContext, Requests } from './requests.ts'

/** How a connection ended. */
type ConnectionEnd = CloseReasonName | 'unreadable' | 'client' | 'lost'

/** The parts of one connection. */
type ConnectionParts = Readonly<{
  /** A UUID by which its account can name it. */
  id: string
  ws: ClientSocket
  /** Opens its outbox. */
  openOutbox(owner: OutboxOwner): Outbox
  inlet: Inlet
  seat: Seat
  allowance: Allowance
  /** Its remote address, as the proxy settings give it. */
  address: string
  /** The client's name for itself, made safe to show; empty when it has none. */
  client: string
}>

/** The parts that all connections share. */
export type ConnectionContext = RequestContext &
  ConnectionStreams &
  Readonly<{
    seats: Seats
    /** Seats as all gateways count them; undefined for a single gateway. */
    shared: Pick<SharedSeats, 'leave'> | undefined
    /** Called once the socket is closed. */
    onClosed(connection: Connection): void
    /** Called when the gateway ends a connection. */
    onEnd(reason: CloseReasonName | 'unreadable'): void
  }>

/** Close sentence for frames that break the websocket protocol. */
const UNREADABLE = 'A frame could not be read.'

/** The code for a socket that closed without a close frame (RFC 6455 section 7.1.5). */
const NO_CLOSE_FRAME = 1006

/** One client: looks up each input in the table of `connection-state.ts`, and performs the action. */
export class Connection implements SeatedConnection, PullingClient, OutboxOwner {
  /** A UUID by which its account can name it. */
  readonly id: string
  readonly accountId: string
  /** Its remote address, as the proxy settings give it. */
  readonly address: string
  /** The client's name for itself, made safe to show; empty when it has none. */
  readonly client: string
  /** Unix milliseconds. */
  readonly connectedAt: number
  readonly outbox: Outbox
  /** Refused requests by their error type, of which there are two dozen, and other counts since it opened. */
  readonly faultCounts: Record<string, number> = {}
  faults = 0
  sentEvents = 0
  sentBytes = 0
  readonly #parts: ConnectionParts
  readonly #context: ConnectionContext
  readonly #state = createConnectionState()
  readonly #subscriptions: ConnectionSubscriptions
  readonly #liveness: Liveness
  readonly #drainLimit: DrainLimit
  readonly #requests: Requests
  readonly #framesAfterEnd: Rate
  #ended: ConnectionEnd | undefined

  /** Takes over an open websocket and its seat. */
  constructor(parts: ConnectionParts, context: ConnectionContext) {
    const { ws, inlet, seat, allowance } = parts
    const { seats, clock, limits } = context
    this.id = parts.id
    this.accountId = seat.accountId
    this.address = parts.address
    this.client = parts.client
    this.#parts = parts
    this.#context = context
    this.connectedAt = clock.now()
    this.outbox = parts.openOutbox(this)
    this.#subscriptions = new ConnectionSubscriptions(context, this, seat)
    this.#liveness = createLiveness(
      clock,
      limits,
      () => ws.ping(),
      () => inlet.holdsUnread(),
    )
    this.#drainLimit = createDrainLimit(clock, limits, () => ws.terminate())
    this.#framesAfterEnd = createRate(clock, 1, limits.framesAfterEnd)
    this.#requests = new Requests(
      {
        accountId: seat.accountId,
        allowance,
        target: this.#subscriptions,
        isOpen: () => this.#isOpen,
        say: (text) => this.#say(text),
        noteFault: (errorType) => {
          this.faults++
          this.faultCounts[errorType] = (this.faultCounts[errorType] ?? 0) + 1
        },
        end: (reason) => this.end(reason),
      },
      context,
    )

    ws.on('message', (data: Buffer, isBinary: boolean) => this.#onFrame(data, isBinary))
    ws.on('ping', (data: Buffer) => this.#onPing(data))
    ws.on('pong', () => this.#onSign('pong'))
    // A broken socket or frame; a close follows in either case.
    ws.on('error', () => inlet.discard())
    ws.on('close', (code) => this.#onGone(code === NO_CLOSE_FRAME ? 'lost' : 'client'))
    ws.onClientClose = () => this.#onGoodbye()
    ws.onUnreadable = (code) => this.#onUnreadable(code)
    seats.join(seat, this)
  }

  /** All of them, oldest first, and how many. */
  get subscriptions(): Pick<ConnectionSubscriptions, 'all' | 'count'> {
    return this.#subscriptions
  }

  /** Unix milliseconds of the last frame from the client. */
  get lastSeenAt(): number {
    const { clock } = this.#context
    return Math.round(clock.now() - (clock.elapsed() - this.#liveness.lastSeenAt()))
  }

  /** How it ended: by the gateway, by the client, or by a broken socket. Undefined while it is open. */
  get ended(): ConnectionEnd | undefined {
    return this.#ended
  }

  get queuedBytes(): number {
    return this.outbox.queuedBytes()
  }

  /** Pings when due, and ends a connection without a sign of life. */
  tick(): void {
    if (!this.#isOpen) return
    if (this.#liveness.isIdle()) afterReading(() => this.#liveness.isIdle() && this.end('idle'))
    else this.#liveness.check(this.sentBytes)
  }

  // For its seat.

  isOpen(): boolean {
    const { ws } = this.#parts
    return this.#isOpen && ws.readyState === ws.OPEN
  }

  probe(): Promise<boolean> {
    return this.isOpen() ? this.#liveness.probe() : Promise.resolve(false)
  }

  terminate(): void {
    this.#parts.ws.terminate()
  }

  end(reason: CloseReasonName): void {
    const { code, sentence } = CLOSE_REASONS[reason]
    this.#endAs(reason, code, sentence.replace(SUPPORT_EMAIL, this.#context.supportEmail))
  }

  planChanged(): void {
    for (const commitment of COMMITMENTS) {
      this.#hubOf(commitment).atEdge(() => {
        const fault = this.#isOpen ? this.#subscriptions.faultByPlan(commitment) : undefined
        if (fault) this.#endSwaps(fault, commitment)
      })
    }
  }

  swapsUsedUp(): void {
    const fault = swapsUsedUp(this.#parts.seat.plan)
    for (const commitment of COMMITMENTS) this.#endSwaps(fault, commitment)
  }

  // For the hub.

  /** The outbox is full, or the socket has just broken, which ends the connection in any case. */
  overflowed(): void {
    const { ws } = this.#parts
    if (ws.readyState === ws.OPEN) this.end('slowConsumer')
    else for (const commitment of COMMITMENTS) this.#hubOf(commitment).leave(this)
  }

  sent({ newPair, swap, buy, latestBlock, bytes }: Readonly<Sent>): void {
    this.sentEvents += newPair + swap + latestBlock
    this.sentBytes += bytes
    this.#parts.seat.count(newPair, swap, buy)
  }

  swapMeter(): Meter | undefined {
    return this.#parts.seat.swapMeter
  }

  // For its subscriptions.

  played({ id }: Subscription, { message, errorType }: PlaybackEnd): void {
    if (this.#isOpen) this.#say(closedNotice(id, message, errorType))
  }

  // For its outbox.

  moved(): void {
    this.#onSign('moved')
  }

  overBudget(): void {
    this.outbox.giveUp()
    this.end('slowConsumer')
  }

  cut(): void {
    this.terminate()
  }

  get #isOpen(): boolean {
    return this.#state.phase() === 'open'
  }

  #onFrame(data: Buffer, isBinary: boolean): void {
    if (this.#state.on('frame') !== 'serve') {
      this.#overhear()
      return
    }
    this.#liveness.noteFrame()
    if (isBinary) this.end('binary')
    else this.#requests.take(data)
  }

  #onPing(data: Buffer): void {
    const action = this.#state.on('ping')
    if (action === 'answerPing') {
      this.#liveness.noteFrame()
      // Sent through the outbox, which counts a short frame by its bytes; the socket's own queue would need hundreds.
      this.#send(framePong(data))
      return
    }
    this.#overhear()
    if (action === 'answerLastPing') this.outbox.writeAnyhow(framePong(data))
  }

  /** The client reads: a pong shows how far. A client that is ending may send many of them. */
  #onSign(input: 'pong' | 'moved'): void {
    const action = this.#state.on(input)
    if (action === 'noteLife') this.#liveness.noteFrame()
    else if (action === 'noteReading') this.#liveness.noteReading()
    else if (action === 'wait') this.#drainLimit.extend()
  }

  #onGoodbye(): void {
    if (this.#state.on('clientCloses') === 'letGo') this.#letGo('client')
  }

  #onGone(how: 'client' | 'lost'): void {
    if (this.#state.on('gone') === 'letGo') this.#letGo(how)
    this.#drainLimit.end()
    this.#context.onClosed(this)
  }

  #onUnreadable(code: number): void {
    if (code === CLOSE_REASONS.tooBig.code) this.end('tooBig')
    else if (code === CLOSE_REASONS.tooManyFragments.code) this.end('tooManyFragments')
    else this.#endAs('unreadable', code, UNREADABLE)
  }

  #endAs(how: CloseReasonName | 'unreadable', code: number, sentence: string): void {
    if (this.#state.on('end') !== 'sayGoodbye') return
    this.#ended = how
    this.#context.onEnd(how)
    const ended = this.#leave()
    const namesPlace = how === 'restart' || how === 'slowConsumer'
    let lastSentence = sentence
    const lastWords = (lost: string | undefined) => {
      const places = namesPlace ? placesOf(ended, lost) : []
      lastSentence = sentenceWith(sentence, earliest(places))
      return Buffer.concat(
        ended.flatMap((one, at) => this.#farewell(one, sentenceWith(sentence, places[at]), how, places[at])),
      )
    }
    this.outbox.finish(lastWords, () => {
      if (this.#state.on('taken') === 'hangUp') this.#parts.ws.hangUp(code, lastSentence)
    })
  }

  /** Builds the last frames of a subscription: the gap, if known by now, and why it ends. */
  #farewell(
    { id, origin }: Ended,
    sentence: string,
    how: ConnectionEnd,
    place: string | undefined,
  ): Buffer[] {
    const closed = frameText(closedNotice(id, sentence))
    const { hub } = this.#context
    const newest = hub.newest()
    const from = place ?? hub.position() // without cursors, this is only approximate
    if (how !== 'slowConsumer' || origin === 'playback' || from === undefined || newest === undefined)
      return [closed]
    return [frameText(gapNotice(id, slowConsumerGap(from, newest, place ?? null))), closed]
  }

  #letGo(how: ConnectionEnd): void {
    this.#ended ??= how
    this.outbox.close()
    this.#leave()
  }

  /** Leaves the fan-out and the seat, and starts the drain limit; returns the subscriptions that it had. */
  #leave(): Ended[] {
    const { seats, shared } = this.#context
    this.#liveness.noteEnd()
    const ended = this.#subscriptions.clear()
    seats.leave(this.#parts.seat, this)
    shared?.leave(this.id)
    this.#drainLimit.begin()
    return ended
  }

  #hubOf(commitment: Commitment): Hub {
    const { hub, early } = this.#context
    return commitment === 'processed' ? early.hub : hub
  }

  #endSwaps({ message, errorType }: StreamFault, commitment: Commitment): void {
    this.#hubOf(commitment).atEdge(() => {
      const subscription = this.#subscriptions.find('swap', commitment)
      if (!this.#isOpen || !subscription) return
      this.#subscriptions.unsubscribe(subscription)
      this.#say(closedNotice(subscription.id, message, errorType))
    })
  }

  #overhear(): void {
    if (this.#framesAfterEnd.take()) return
    // Unread bytes stay with the sender, which keeps memory flat until the socket is cut.
    this.#parts.inlet.stop()
    this.#context.clock.after(this.#context.limits.floodGraceMs, () => this.terminate())
  }

  #say(text: string): void {
    this.#send(frameText(text))
  }

  #send(frame: Buffer): void {
    if (this.outbox.write(new Frames(frame))) this.sentBytes += frame.length
    else this.overflowed()
  }
}

/**
 * Returns where each subscription has to resume when the event of `lost` and all later ones were not sent. `lost` may
 * belong to another stream than a playback, whose cursor is unknown then.
 */
function placesOf(ended: readonly Ended[], lost: string | undefined): (string | undefined)[] {
  const beforeLost = lost === undefined ? undefined : cursorBefore(lost)
  return ended.map(({ place, origin }) => {
    if (origin === 'playback') return beforeLost === undefined ? place : undefined
    return origin === 'confirmed' ? earliest([place, beforeLost]) : undefined
  })
}

function earliest(places: readonly (string | undefined)[]): string | undefined {
  return places.filter((place) => place !== undefined).sort()[0]
}

function sentenceWith(sentence: string, place: string | undefined): string {
  return place === undefined ? sentence : `${sentence} resume_from: ${place}`
}
