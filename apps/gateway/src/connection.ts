import { randomUUID } from 'node:crypto'
import { CLOSE_REASONS, type CloseReasonName, type StreamKind } from '@pairwire/contract'
import type { Allowance } from './allowance.ts'
import { closedNotice, errorAnswer, failureNotice } from './answers.ts'
import type { ClientSocket } from './client-socket.ts'
import type { Clock } from './clock.ts'
import { type CommandTarget, execute, swapsUsedUp } from './commands.ts'
import { Frames } from './frames.ts'
import { framePong, frameText } from './framing.ts'
import type { GatewayLog } from './gateway-log.ts'
import type { Hub, HubClient } from './hub.ts'
import type { Inlet } from './intake.ts'
import { assertPlanAllows } from './interest.ts'
import { createLifetime } from './lifetime.ts'
import type { GatewayLimits } from './limits.ts'
import type { Outbox, OutboxOwner } from './outbox.ts'
import { createRate, createRecentCount } from './rate.ts'
import { type ClientRequest, readRefused, readRequest } from './request.ts'
import type { Seat, SeatedConnection, Seats } from './seats.ts'
import { StreamFault } from './stream-fault.ts'
import type { Subscription } from './subscription.ts'

/** One client. */
export type Connection = SeatedConnection &
  Readonly<{
    /** A UUID, by which its account can name it. */
    id: string
    accountId: string
    /** Where it came from, as the service was told to see it. */
    address: string
    /** What the client calls itself, made safe to show; empty when it does not say. */
    client: string
    /** Unix milliseconds. */
    connectedAt: number
    subscriptions: ReadonlyMap<StreamKind, Subscription>
    figures(): { sentEvents: number; sentBytes: number; queuedBytes: number }
    /** Unix milliseconds of the last frame from the client. */
    lastSeenAt(): number
    /** How it ended: for a reason of ours, by the client, or by a socket that broke. Undefined while it is open. */
    ended(): ConnectionEnd | undefined
    /** Pings when it is time, and ends a connection without a sign of life. */
    tick(): void
  }>

/** The ways in which a connection ends. */
export type ConnectionEnd = CloseReasonName | 'unreadable' | 'client' | 'lost'

/** What all connections share. */
export type ConnectionContext = Readonly<{
  hub: Hub
  seats: Seats
  clock: Clock
  limits: GatewayLimits
  log: GatewayLog
  docsUrl: string
  simulated: boolean
  /** Called once the socket is closed. */
  onClosed(connection: Connection): void
  /** Called when a connection ends for a reason of ours. */
  onEnd(reason: CloseReasonName | 'unreadable'): void
}>

/** Close sentence for frames that break the websocket protocol itself. */
const UNREADABLE = 'A frame could not be read.'

/** The code that stands for a socket that closed without a word (RFC 6455 section 7.1.5). */
const NO_CLOSE_FRAME = 1006

const TEN_SECONDS = 10_000

/** Takes over an open websocket; `openOutbox` makes its way out. */
export function createConnection(
  ws: ClientSocket,
  openOutbox: (owner: OutboxOwner) => Outbox,
  inlet: Inlet,
  seat: Seat,
  allowance: Allowance,
  peer: Readonly<{ address: string; client: string }>,
  context: ConnectionContext,
): Connection {
  const { hub, seats, clock, limits, log, docsUrl, simulated } = context
  const framesAfterEnd = createRate(clock, 1, limits.framesAfterEnd)
  const failures = createRecentCount(clock, limits.failuresPerTenSeconds, TEN_SECONDS)
  const subscriptions = new Map<StreamKind, Subscription>()
  let nextId = 1
  let sentEvents = 0
  let sentBytes = 0
  let lastSeenAt = clock.elapsed()
  let lastPingAt = lastSeenAt
  let sentBytesAtPing = 0
  let ended: ConnectionEnd | undefined
  /** Answers the probe that runs. */
  let answerProbe: ((isAlive: boolean) => void) | undefined

  const lifetime = createLifetime({
    clock,
    limits,
    leave() {
      answerProbe?.(false)
      hub.leave(client)
      seats.leave(seat, connection)
    },
    cut: () => ws.terminate(),
  })
  const isOpen = () => lifetime.phase() === 'open'

  const outbox = openOutbox({
    moved() {
      answerProbe?.(true)
      lifetime.moved()
    },
    overBudget() {
      outbox.giveUp()
      end('slowConsumer')
    },
    cut: () => ws.terminate(),
  })

  const send = (frame: Buffer) => {
    if (outbox.write(new Frames(frame))) sentBytes += frame.length
    else overflowed()
  }
  const say = (text: string) => send(frameText(text))

  /** The outbox takes nothing: too much is unread, or the socket has just broken, which ends it in any case. */
  const overflowed = () => {
    if (ws.readyState === ws.OPEN) end('slowConsumer')
    else hub.leave(client)
  }

  const client: HubClient = {
    outbox,
    overflowed,
    sent({ newPair, swap, buy, latestBlock, bytes }) {
      sentEvents += newPair + swap + latestBlock
      sentBytes += bytes
      seats.count(seat, newPair, swap, buy)
    },
    swapMeter: () => seat.swapMeter,
  }

  const target: CommandTarget = {
    subscriptions,
    plan: () => seat.plan,
    areSwapsUsedUp: () => isUsedUp(seat),
    subscribe(interest) {
      const subscription = { id: nextId++, kind: interest.kind, interest }
      subscriptions.set(interest.kind, subscription)
      hub.put(client, interest.kind, subscription)
      return subscription
    },
    replace({ id, kind }, interest) {
      const subscription = { id, kind, interest }
      subscriptions.set(kind, subscription)
      hub.put(client, kind, subscription)
    },
    unsubscribe(kind) {
      subscriptions.delete(kind)
      hub.put(client, kind, undefined)
    },
  }

  const refuse = ({ id, hasUsableId }: ClientRequest, fault: StreamFault) => {
    if (hasUsableId && id !== undefined) say(errorAnswer(id, fault, docsUrl))
    else if (failures.note()) say(failureNotice(fault))
    else end('malformed')
  }

  const carryOut = (request: ClientRequest) => {
    if (!isOpen()) return
    const { call, id } = request
    try {
      if (call instanceof StreamFault) throw call
      const answer = execute(target, call, id, simulated)
      if (answer !== undefined) say(answer)
    } catch (error) {
      if (error instanceof StreamFault) {
        refuse(request, error)
        return
      }
      log.error('A request failed inside the gateway.', { error, accountId: seat.accountId })
      refuse(request, new StreamFault('INTERNAL_ERROR', 'The request failed on our side. Try again.'))
    }
  }

  /** Beyond the rates a request is read only to answer it by its id. */
  const refuseForRate = (text: string) => {
    const mebibytes = limits.requestBytesPerSecond / 1024 / 1024
    const fault = new StreamFault(
      'TOO_MANY_REQUESTS',
      `More than ${limits.requestsPerSecond} requests or ${mebibytes} MiB a second. Wait a moment before the next.`,
    )
    const request = readRefused(text, fault)
    hub.atEdge(() => {
      if (isOpen()) refuse(request, fault)
    })
  }

  /** Unread bytes stay with the sender: that keeps our memory flat until the socket is cut. */
  const stopReading = () => {
    inlet.stop()
    clock.after(limits.floodGraceMs, () => ws.terminate())
  }

  /** Notes a frame of any kind; false when it is not to be looked at. */
  const seen = () => {
    if (!isOpen()) {
      if (!framesAfterEnd.take()) stopReading()
      return false
    }
    lastSeenAt = clock.elapsed()
    answerProbe?.(true)
    return true
  }

  /** A pong tells how far the client has read, and so one that is ending may send many of them. */
  const ponged = () => {
    if (isOpen()) seen()
    else lifetime.moved()
  }

  const endAs = (how: CloseReasonName | 'unreadable', code: number, sentence: string) => {
    if (!isOpen()) return
    ended = how
    context.onEnd(how)
    const ids = [...subscriptions.values()].map(({ id }) => id).sort((first, second) => first - second)
    subscriptions.clear()
    const lastWords = Buffer.concat(ids.map((id) => frameText(closedNotice(id, sentence))))
    lifetime.on('end')
    outbox.finish(lastWords, () => {
      if (lifetime.on('taken')) ws.hangUp(code, sentence)
    })
  }

  const end = (reason: CloseReasonName) =>
    endAs(reason, CLOSE_REASONS[reason].code, CLOSE_REASONS[reason].sentence)

  const endSwaps = (sentence: string) => {
    hub.atEdge(() => {
      const subscription = subscriptions.get('swap')
      if (!isOpen() || !subscription) return
      target.unsubscribe('swap')
      say(closedNotice(subscription.id, sentence))
    })
  }

  ws.on('message', (data: Buffer, isBinary: boolean) => {
    if (!seen()) return
    if (isBinary) end('binary')
    else if (!allowance.takeRequest(data.length)) refuseForRate(data.toString())
    else {
      const request = readRequest(data.toString(), limits)
      hub.atEdge(() => carryOut(request))
    }
  })
  ws.on('ping', (data: Buffer) => {
    // Through the outbox, whose queue holds a short frame in its bytes; the socket's own takes hundreds for each.
    if (seen()) send(framePong(data))
    else if (lifetime.phase() === 'draining') outbox.writeAnyhow(framePong(data))
  })
  ws.on('pong', ponged)
  // A broken socket or frame; what follows is a close in either case.
  ws.on('error', () => inlet.discard())
  ws.on('close', (code) => {
    ended ??= code === NO_CLOSE_FRAME ? 'lost' : 'client'
    outbox.close()
    lifetime.on('gone')
    context.onClosed(connection)
  })
  ws.onClientClose = () => {
    ended ??= 'client'
    outbox.close()
    lifetime.on('clientCloses')
  }
  ws.onUnreadable = (code) => {
    if (code === CLOSE_REASONS.tooBig.code) end('tooBig')
    else if (code === CLOSE_REASONS.tooManyFragments.code) end('tooManyFragments')
    else endAs('unreadable', code, UNREADABLE)
  }

  const connection: Connection = {
    id: randomUUID(),
    accountId: seat.accountId,
    ...peer,
    connectedAt: clock.now(),
    subscriptions,
    isOpen: () => isOpen() && ws.readyState === ws.OPEN,
    end,
    figures: () => ({ sentEvents, sentBytes, queuedBytes: outbox.queuedBytes() }),

    lastSeenAt: () => Math.round(clock.now() - (clock.elapsed() - lastSeenAt)),
    ended: () => ended,

    planChanged() {
      hub.atEdge(() => {
        hub.refresh(client)
        const swaps = subscriptions.get('swap')
        if (!isOpen() || !swaps) return
        if (isUsedUp(seat)) {
          endSwaps(swapsUsedUp(seat.plan).message)
          return
        }
        try {
          assertPlanAllows(swaps.interest, seat.plan)
        } catch (error) {
          if (!(error instanceof StreamFault)) throw error
          endSwaps(error.message)
        }
      })
    },

    swapsUsedUp: () => endSwaps(swapsUsedUp(seat.plan).message),

    tick() {
      if (!isOpen()) return
      const now = clock.elapsed()
      if (now - lastSeenAt >= limits.idleAfterMs) {
        end('idle')
        return
      }
      const isBusy = sentBytes - sentBytesAtPing > limits.busyBytes
      if (now - lastPingAt >= (isBusy ? limits.busyPingEveryMs : limits.pingEveryMs)) {
        lastPingAt = now
        sentBytesAtPing = sentBytes
        ws.ping()
      }
    },

    probe() {
      if (!connection.isOpen()) return Promise.resolve(false)
      return new Promise((resolve) => {
        const cancel = clock.after(limits.probeMs, () => answerProbe?.(false))
        answerProbe = (isAlive) => {
          answerProbe = undefined
          cancel()
          resolve(isAlive)
        }
        ws.ping()
      })
    },

    terminate: () => ws.terminate(),
  }
  seats.join(seat, connection)
  return connection
}

function isUsedUp(seat: Seat): boolean {
  const cap = seat.plan.swapEventsPerPeriod
  return cap !== null && seat.swapsSent >= cap
}
