import { randomUUID } from 'node:crypto'
import { CLOSE_REASONS, type CloseReasonName, type StreamKind } from '@pairwire/contract'
import type { Allowance } from './allowance.ts'
import { closedNotice, errorAnswer, failureNotice } from './answers.ts'
import type { ClientSocket } from './client-socket.ts'
import type { Clock } from './clock.ts'
import { type CommandTarget, execute, swapsUsedUp } from './commands.ts'
import { frameText } from './framing.ts'
import type { GatewayLog } from './gateway-log.ts'
import type { Hub, HubClient } from './hub.ts'
import type { Inlet } from './intake.ts'
import { assertPlanAllows } from './interest.ts'
import type { GatewayLimits } from './limits.ts'
import type { Outbox } from './outbox.ts'
import { createRecentCount } from './rate.ts'
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

/** Takes over an open websocket. */
export function createConnection(
  ws: ClientSocket,
  outbox: Outbox,
  inlet: Inlet,
  seat: Seat,
  allowance: Allowance,
  peer: Readonly<{ address: string; client: string }>,
  context: ConnectionContext,
): Connection {
  const { hub, seats, clock, limits, log, docsUrl, simulated } = context
  const failures = createRecentCount(clock, limits.failuresPerTenSeconds, TEN_SECONDS)
  const subscriptions = new Map<StreamKind, Subscription>()
  let nextId = 1
  let sentEvents = 0
  let sentBytes = 0
  let lastSeenAt = clock.elapsed()
  let lastPingAt = lastSeenAt
  let ending = false
  let ended: ConnectionEnd | undefined
  let framesAfterEnd = 0
  let cancelGrace: (() => void) | undefined
  /** Answers the probe that runs. */
  let answerProbe: ((isAlive: boolean) => void) | undefined

  const send = (text: string) => {
    const frame = frameText(text)
    if (outbox.write(frame)) sentBytes += frame.length
    else overflowed()
  }

  /** The outbox takes nothing: too much is unread, or the client is closing by itself, which ends it in any case. */
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
    if (hasUsableId && id !== undefined) send(errorAnswer(id, fault, docsUrl))
    else if (failures.note()) send(failureNotice(fault))
    else end('malformed')
  }

  const carryOut = (request: ClientRequest) => {
    if (ending) return
    const { call, id } = request
    try {
      if (call instanceof StreamFault) throw call
      const answer = execute(target, call, id, simulated)
      if (answer !== undefined) send(answer)
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
      if (!ending) refuse(request, fault)
    })
  }

  /** Unread bytes stay with the sender: that keeps our memory flat until the socket is cut. */
  const stopReading = () => {
    inlet.stop()
    cancelGrace?.()
    cancelGrace = clock.after(limits.floodGraceMs, () => ws.terminate())
  }

  /** Notes a frame of any kind; false when it is not to be looked at. */
  const seen = () => {
    if (ending) {
      framesAfterEnd++
      if (framesAfterEnd === limits.framesAfterEnd) stopReading()
      return false
    }
    lastSeenAt = clock.elapsed()
    answerProbe?.(true)
    return true
  }

  const sayClosed = (sentence: string) => {
    for (const { id } of [...subscriptions.values()].sort((first, second) => first.id - second.id)) {
      outbox.writeLast(frameText(closedNotice(id, sentence)))
    }
    subscriptions.clear()
  }

  const endWith = (code: number, sentence: string) => {
    ending = true
    answerProbe?.(false)
    hub.leave(client)
    seats.leave(seat, connection)
    sayClosed(sentence)
    ws.close(code, sentence)
    cancelGrace = clock.after(limits.closeGraceMs, () => ws.terminate())
  }

  const end = (reason: CloseReasonName) => {
    if (ending) return
    ended = reason
    context.onEnd(reason)
    endWith(CLOSE_REASONS[reason].code, CLOSE_REASONS[reason].sentence)
  }

  const endSwaps = (sentence: string) => {
    hub.atEdge(() => {
      const subscription = subscriptions.get('swap')
      if (ending || !subscription) return
      target.unsubscribe('swap')
      send(closedNotice(subscription.id, sentence))
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
    if (!seen()) return
    if (outbox.queuedBytes() > limits.outboxMaxBytes) overflowed()
    else ws.pong(data)
  })
  ws.on('pong', seen)
  // A broken socket or frame; what follows is a close in either case.
  ws.on('error', () => inlet.discard())
  ws.on('close', (code) => {
    ending = true
    ended ??= code === NO_CLOSE_FRAME ? 'lost' : 'client'
    answerProbe?.(false)
    cancelGrace?.()
    hub.leave(client)
    seats.leave(seat, connection)
    context.onClosed(connection)
  })
  ws.onUnreadable = (code) => {
    if (ending) return
    if (code === CLOSE_REASONS.tooBig.code) end('tooBig')
    else if (code === CLOSE_REASONS.tooManyFragments.code) end('tooManyFragments')
    else {
      ended = 'unreadable'
      context.onEnd('unreadable')
      endWith(code, UNREADABLE)
    }
  }

  const connection: Connection = {
    id: randomUUID(),
    accountId: seat.accountId,
    ...peer,
    connectedAt: clock.now(),
    subscriptions,
    isOpen: () => !ending && ws.readyState === ws.OPEN,
    end,
    figures: () => ({ sentEvents, sentBytes, queuedBytes: outbox.queuedBytes() }),

    lastSeenAt: () => Math.round(clock.now() - (clock.elapsed() - lastSeenAt)),
    ended: () => ended,

    planChanged() {
      hub.atEdge(() => {
        hub.refresh(client)
        const swaps = subscriptions.get('swap')
        if (ending || !swaps) return
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
      if (ending) return
      const now = clock.elapsed()
      if (now - lastSeenAt >= limits.idleAfterMs) end('idle')
      else if (now - lastPingAt >= limits.pingEveryMs) {
        lastPingAt = now
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
