import { afterReading } from '@pairwire/basics'
import {
  CLOSE_REASONS,
  type CloseReasonName,
  COMMITMENTS,
  type Commitment,
  type StreamKind,
  SUPPORT_EMAIL,
} from '@pairwire/contract'
import type { StreamFault } from '@pairwire/filter'
import type { Codec } from '../codecs/codec.ts'
import type { Hub } from '../fanout/hub.ts'
import type { Sent } from '../fanout/hub-member.ts'
import type { Outbox, OutboxOwner } from '../outbox/outbox.ts'
import type { PlaybackEnd } from '../playback/playback.ts'
import { closedNotice } from '../protocol/answers.ts'
import { Frames, framePong, frameText } from '../protocol/frames.ts'
import type { Meter, Subscription } from '../protocol/subscription.ts'
import { createRate, type Rate } from '../rates/rate.ts'
import type { PullingClient } from '../resume/pulled-subscriptions.ts'
import type { SeatedConnection, Successor } from '../seats/seat.ts'
import type { ConnectionContext, ConnectionParts } from './connection-parts.ts'
import { createConnectionState } from './connection-state.ts'
import { ConnectionSubscriptions, type Ended, swapsUsedUp } from './connection-subscriptions.ts'
import { createDrainLimit, type DrainLimit } from './drain-limit.ts'
import { type ConnectionEnd, type EndedHere, farewell } from './farewell.ts'
import { createLiveness, type Liveness } from './liveness.ts'
import { Requests } from './requests.ts'
import { SingleStream } from './single-stream.ts'

/** The code of a stream that has ended as it was asked to (RFC 6455 section 7.4.1). */
const COMPLETE = 1000

/** Close sentence for frames that break the websocket protocol. */
const UNREADABLE = 'A frame could not be read.'

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
  readonly #single: SingleStream | undefined
  #ended: ConnectionEnd | undefined

  /** Takes over an open line and its seat. */
  constructor(parts: ConnectionParts, context: ConnectionContext) {
    const { line, codec, inlet, seat, allowance } = parts
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
    const pingEveryMs = codec.alive?.everyMs
    this.#liveness = createLiveness(
      clock,
      pingEveryMs === undefined ? limits : { ...limits, pingEveryMs, busyPingEveryMs: pingEveryMs },
      () => {
        line.ping()
        this.#single?.tellPlace()
      },
      () => inlet.holdsUnread(),
    )
    this.#drainLimit = createDrainLimit(clock, limits, () => line.terminate())
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

    line.attend({
      onFrame: (data, isBinary) => this.#onFrame(data, isBinary),
      onPing: (data) => this.#onPing(data),
      onPong: () => this.#onSign('pong'),
      onBroken: () => inlet.discard(),
      onUnreadable: (code) => this.#onUnreadable(code),
      onGoodbye: () => this.#onGoodbye(),
      onGone: (how) => this.#onGone(how),
    })
    seats.join(seat, this)
    this.#single =
      parts.wanted &&
      new SingleStream(parts.wanted, {
        ...context,
        codec,
        subscriptions: this.#subscriptions,
        send: (frame) => this.#send(frame),
        isOpen: () => this.#isOpen,
        complete: () => this.#endAs('complete', COMPLETE, ''),
      })
    this.#single?.open()
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
    return this.#isOpen && this.#parts.line.isOpen()
  }

  probe(): Promise<boolean> {
    return this.isOpen() ? this.#liveness.probe() : Promise.resolve(false)
  }

  isContinuedBy(successor: Successor): Promise<boolean> {
    return this.#single?.continuesIn(successor) ?? Promise.resolve(false)
  }

  terminate(): void {
    this.#parts.line.terminate()
  }

  end(reason: CloseReasonName): void {
    const { code, sentence } = CLOSE_REASONS[reason]
    this.#endAs(reason, code, sentence.replace(SUPPORT_EMAIL, this.#context.supportEmail))
  }

  planChanged(): void {
    for (const hub of COMMITMENTS.map((commitment) => this.#hubOf(commitment)))
      hub.atEdge(() => hub.refresh(this))
    this.#endThose((subscription) => this.#subscriptions.faultByPlan(subscription))
  }

  swapsUsedUp(): void {
    const fault = swapsUsedUp(this.#parts.seat.plan)
    this.#endThose(({ kind }) => (kind === 'swap' ? fault : undefined))
  }

  // For the hub.

  /** The outbox is full, or the socket has just broken, which ends the connection in any case. */
  overflowed(): void {
    if (this.#parts.line.isOpen()) this.end('slowConsumer')
    else for (const commitment of COMMITMENTS) this.#hubOf(commitment).leave(this)
  }

  sent({ newPair, swap, buy, latestBlock, bytes }: Readonly<Sent>): void {
    this.sentEvents += newPair + swap + latestBlock
    this.sentBytes += bytes
    this.#parts.seat.count(newPair, swap, buy, this.codec.face)
    this.#single?.noteSent()
  }

  get codec(): Codec {
    return this.#parts.codec
  }

  meter(kind: StreamKind): Meter | undefined {
    const meter = kind === 'swap' ? this.#parts.seat.swapMeter : undefined
    return this.#single ? this.#single.meterWithin(meter) : meter
  }

  // For its subscriptions.

  played({ id }: Subscription, { message, errorType }: PlaybackEnd): void {
    if (this.#isOpen) this.#send(this.codec.notice(closedNotice(id, message, errorType)))
  }

  // For its outbox.

  moved(): void {
    this.#onSign('moved')
  }

  overBudget(): void {
    this.outbox.giveUp()
    this.end('slowConsumer')
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
    this.#context.onClosed()
  }

  #onUnreadable(code: number): void {
    if (code === CLOSE_REASONS.tooBig.code) this.end('tooBig')
    else if (code === CLOSE_REASONS.tooManyFragments.code) this.end('tooManyFragments')
    else this.#endAs('unreadable', code, UNREADABLE)
  }

  #endAs(how: EndedHere, code: number, sentence: string): void {
    if (this.#state.on('end') !== 'sayGoodbye') return
    this.#ended = how
    this.#context.onEnd(how)
    const ended = this.#leave()
    let lastSentence = sentence
    const lastWords = (lost: string | undefined) => {
      const said = farewell({ ended, how, code, sentence, lost }, this.codec, this.#context.hub)
      lastSentence = said.sentence
      return said.frames
    }
    this.outbox.finish(lastWords, () => {
      if (this.#state.on('taken') === 'hangUp') this.#parts.line.hangUp(code, lastSentence)
    })
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
    this.#single?.close()
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

  /** Ends live subscriptions with a fault, after a change of what the plan allows. */
  #endThose(faultOf: (subscription: Subscription) => StreamFault | undefined): void {
    for (const commitment of COMMITMENTS) {
      this.#hubOf(commitment).atEdge(() => {
        for (const subscription of this.#subscriptions.all) {
          const fault = this.#isOpen && subscription.origin === commitment && faultOf(subscription)
          if (!fault) continue
          if (this.codec.isSingle) this.#endAs('noPlan', CLOSE_REASONS.noPlan.code, fault.message)
          else {
            this.#subscriptions.unsubscribe(subscription)
            this.#send(this.codec.notice(closedNotice(subscription.id, fault.message, fault.errorType)))
          }
        }
      })
    }
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
