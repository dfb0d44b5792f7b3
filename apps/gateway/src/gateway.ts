import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Accounts, KeyAuthorization } from '@pairwire/accounts'
import type { Bus } from '@pairwire/bus'
import { CLOSE_REASONS, type CloseReasonName, type ControlMessage, type StreamKind } from '@pairwire/contract'
import { type ServerOptions, WebSocketServer } from 'ws'
import { addressRange } from './address-range.ts'
import { createAllowance, createAllowances } from './allowance.ts'
import { ClientSocket } from './client-socket.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Connection, type ConnectionContext, createConnection } from './connection.ts'
import { createConnectionNotes } from './connection-notes.ts'
import { createDeliveryCounts } from './delivery-counts.ts'
import type { GatewayLog } from './gateway-log.ts'
import { giveBack } from './give-back.ts'
import { createHub } from './hub.ts'
import { createIntake } from './intake.ts'
import { DEFAULT_LIMITS, type GatewayLimits } from './limits.ts'
import { createOutbox, type OutboxOwner } from './outbox.ts'
import { OutboxBudget } from './outbox-budget.ts'
import { createProbes } from './probe-seat.ts'
import { createRates } from './rate.ts'
import { REFUSALS, type Refusal, writeRefusal, wrongPath } from './refusal.ts'
import { createSeats, isOver, type Seat } from './seats.ts'
import { asksForWebsocket, handshakeFault, isKey, readUpgradeRequest } from './upgrade-request.ts'
import { withTimeout } from './with-timeout.ts'

/** What the gateway needs. */
export type GatewayOptions = Readonly<{
  bus: Bus
  accounts: Pick<Accounts, 'authorizeKey' | 'authorizeAccount' | 'recordDelivered' | 'recordConnections'>
  log: GatewayLog
  /** Whether the source is the simulator or a recording: said in every answer to a subscribe. */
  simulated: boolean
  /** Where the docs are, without a slash at the end. */
  docsUrl: string
  /** The client's address, with trusted proxies looked through; one rate applies to each. */
  clientAddress(request: IncomingMessage): string
  /** Bounds that differ from {@link DEFAULT_LIMITS}. */
  limits?: Partial<GatewayLimits>
  clock?: Clock
}>

/** The websocket service: checks keys, matches filters and fans events out. */
export type Gateway = Readonly<{
  /** Takes an `upgrade` event of an HTTP server. Never throws or rejects. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  stats(): GatewayStats
  /** An account's open connections, oldest first. */
  openConnections(accountId: string): readonly OpenConnection[]
  /** Says goodbye to every client (1001), hands the last counts over, and ends. Takes at most some seconds. */
  close(): Promise<void>
}>

/** Figures since the start, but for the first four, which are of now. */
export type GatewayStats = Readonly<{
  connections: number
  subscriptions: number
  queuedBytes: number
  /** Bytes of memory behind the queues: what several clients wait for counts once. */
  heldBytes: number
  sentEvents: number
  sentBytes: number
  acceptedUpgrades: number
  /** By HTTP status. */
  refusedUpgrades: Readonly<Record<string, number>>
  /** Connections ended by us, by reason. */
  ended: Readonly<Record<string, number>>
}>

/** One open connection of an account. Times are Unix milliseconds. */
export type OpenConnection = Readonly<{
  /** Names it in `closeConnection`. */
  id: string
  address: string
  /** What the client calls itself; empty when it does not say. */
  client: string
  /** Its last frame of any kind. */
  lastSeenAt: number
  connectedAt: number
  subscriptions: readonly { id: number; kind: StreamKind }[]
  sentEvents: number
  sentBytes: number
  queuedBytes: number
}>

/** An upgrade whose key is being looked up. */
type PendingUpgrade = { readonly changedAccounts: Set<string> }

/** Looks at an upgrade's key again at most so often when its account changes meanwhile. */
const MAX_AUTHORIZE_ROUNDS = 3

/** Makes a gateway, which takes events from the bus from now on. */
export function createGateway(options: GatewayOptions): Gateway {
  const { bus, accounts, log, docsUrl, clientAddress, clock = systemClock } = options
  const limits: GatewayLimits = { ...DEFAULT_LIMITS, ...options.limits }
  const connections = new Set<Connection>()
  /** Sockets that were refused and are not gone yet. */
  const leaving = new Set<Duplex>()
  const pending = new Set<PendingUpgrade>()
  const ended: Record<string, number> = {}
  const refusedUpgrades: Record<string, number> = {}
  let acceptedUpgrades = 0
  /** Of connections that have gone; the others know their own. */
  let sentEvents = 0
  let sentBytes = 0
  /** When all open connections were noted as still open, milliseconds of the clock. */
  let notedAt = clock.elapsed()
  let cancelSweep: (() => void) | undefined
  let onEmpty: (() => void) | undefined
  let closing: Promise<void> | undefined

  const keyRates = createRates(
    clock,
    limits.connectsPerSecondPerKey,
    limits.connectsBurstPerKey,
    limits.rememberedRates,
  )
  const addressRates = createRates(
    clock,
    limits.connectsPerSecondPerAddress,
    limits.connectsPerSecondPerAddress,
    limits.rememberedRates,
  )
  const counts = createDeliveryCounts({
    record: (rows) => accounts.recordDelivered(rows),
    collect: () => hub.settle(),
    handedOver: () => seats.sweep(),
    clock,
    everyMs: limits.countEveryMs,
    log,
  })
  const notes = createConnectionNotes({
    record: (batch) => accounts.recordConnections(batch),
    clock,
    everyMs: limits.countEveryMs,
    log,
  })
  const seats = createSeats({ accounts, counts, settle: () => hub.settle(), clock, limits, log })
  const probe = createProbes()
  const budget = new OutboxBudget(limits.outboxesMaxBytes)
  const beforeFlush = () => {
    counts.turnDay()
    seats.tick()
  }
  const hub = createHub({ clock, limits, beforeFlush, afterFlush: counts.wake })
  const server = createWebSocketServer(limits)
  const intake = createIntake(clock, limits, hub.atEdge)
  const allowanceOf = createAllowances(clock, limits)
  /** All who are refused share one: there is next to nothing to read of them. */
  const allowanceOfRefused = createAllowance(clock, limits)

  const context: ConnectionContext = {
    hub,
    seats,
    clock,
    limits,
    log,
    docsUrl,
    simulated: options.simulated,
    onClosed(connection) {
      if (!connections.delete(connection)) return
      const figures = connection.figures()
      sentEvents += figures.sentEvents
      sentBytes += figures.sentBytes
      notes.note(connection)
      if (connections.size === 0 && leaving.size === 0) onEmpty?.()
    },
    onEnd(reason) {
      ended[reason] = (ended[reason] ?? 0) + 1
    },
  }

  const leaveBunch = bus.subscribe(hub.publish)
  const leaveControl = bus.onControl((message) => obey(message))

  const obey = (message: ControlMessage) => {
    const { type, accountId } = message
    if (type === 'closeConnection') {
      endOne(accountId, message.connectionId)
      return
    }
    for (const upgrade of pending) upgrade.changedAccounts.add(accountId)
    if (type === 'planChanged') seats.reauthorize(accountId)
    else endAll(seats.find(accountId), type === 'disconnect' ? 'disconnected' : 'keyUnknown')
  }

  /** An account can name its own connections only. */
  const endOne = (accountId: string, connectionId: string) => {
    const connection = [...connections].find(({ id }) => id === connectionId)
    if (connection?.accountId === accountId) connection.end('disconnected')
  }

  const endAll = (seat: Seat | undefined, reason: CloseReasonName) => {
    if (seat) for (const connection of [...seat.connections]) connection.end(reason)
  }

  const sweep = () => {
    cancelSweep = undefined
    const isNoteTime = clock.elapsed() - notedAt >= limits.noteEveryMs
    if (isNoteTime) notedAt = clock.elapsed()
    seats.tick()
    for (const connection of [...connections]) {
      connection.tick()
      if (isNoteTime) notes.note(connection)
    }
    scheduleSweep()
  }

  const scheduleSweep = () => {
    if (connections.size > 0) cancelSweep ??= clock.after(limits.sweepEveryMs, sweep)
  }

  /** Cuts a refused socket whose other side does not end it. */
  const watchLeaving = (socket: Duplex, cut: () => void) => {
    leaving.add(socket)
    const cancel = clock.after(limits.closeGraceMs, cut)
    socket.on('close', () => {
      cancel()
      leaving.delete(socket)
      if (connections.size === 0 && leaving.size === 0) onEmpty?.()
    })
  }

  /** Reads on, so that the answer is not lost in a reset, but no more than a client sends that does not wait for it. */
  const letGo = (socket: Duplex) => {
    let bytes = 0
    socket.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > limits.refusedReadBytes) socket.destroy()
    })
  }

  const refuse = (
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    refusal: Refusal,
    isBrowser = false,
  ) => {
    refusedUpgrades[refusal.status] = (refusedUpgrades[refusal.status] ?? 0) + 1
    const { close } = refusal
    watchLeaving(socket, () => socket.destroy())
    if (!isBrowser || !close) {
      writeRefusal(socket, refusal, docsUrl)
      letGo(socket)
      return
    }
    server.handleUpgrade(request, socket, head, (ws) => {
      const inlet = intake.open(ws, socket, allowanceOfRefused.reading)
      ws.on('error', () => inlet.discard()) // the close is all there is to say
      ws.hangUp(CLOSE_REASONS[close].code, refusal.sentence)
    })
  }

  /** What the accounts say of a key at this moment. */
  const authorize = async (key: string): Promise<KeyAuthorization | Refusal> => {
    const upgrade: PendingUpgrade = { changedAccounts: new Set() }
    pending.add(upgrade)
    try {
      for (let round = 1; ; round++) {
        upgrade.changedAccounts.clear()
        const answer = await withTimeout(accounts.authorizeKey(key), clock, limits.authorizeTimeoutMs)
        const isStale = 'accountId' in answer && upgrade.changedAccounts.has(answer.accountId)
        if (isStale && round < MAX_AUTHORIZE_ROUNDS) continue
        return isStale ? REFUSALS.unavailable : answer
      }
    } catch (error) {
      const errorName = error instanceof Error ? error.name : typeof error
      log.error('A key could not be checked.', { errorName })
      return REFUSALS.unavailable
    } finally {
      pending.delete(upgrade)
    }
  }

  /** The seat for one more connection, or why there is none. To be taken in the same turn. */
  const seatFor = (answer: KeyAuthorization | Refusal): Seat | Refusal => {
    if (closing) return REFUSALS.restarting
    if ('status' in answer) return answer
    if (answer.outcome === 'unknown_key') return REFUSALS.keyUnknown
    if (answer.outcome === 'no_plan' || isOver(answer, clock)) return REFUSALS.noPlan

    return fullSeat(answer) ? REFUSALS.connectionLimit : seats.admit(answer)
  }

  /** The account's seat when it has no room; sockets that are closing take none. */
  const fullSeat = (answer: KeyAuthorization | Refusal): Seat | undefined => {
    if (!('connectionLimit' in answer)) return undefined
    const { accountId, connectionLimit } = answer
    const seat = seats.find(accountId)
    if (!seat || seat.connections.size < connectionLimit) return undefined
    const open = [...seat.connections].filter((connection) => connection.isOpen())
    return open.length >= connectionLimit ? seat : undefined
  }

  const accept = async (request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const address = clientAddress(request)
    const { path, key, client, isBrowser } = readUpgradeRequest(request)
    if (closing) return refuse(request, socket, head, REFUSALS.restarting)
    if (!addressRates.take(addressRange(address))) return refuse(request, socket, head, REFUSALS.tooFast)
    if (path !== '/') return refuse(request, socket, head, wrongPath(docsUrl))
    const fault = handshakeFault(request)
    if (fault) return refuse(request, socket, head, REFUSALS[fault])
    if (key === undefined) return refuse(request, socket, head, REFUSALS.keyMissing, isBrowser)
    if (!isKey(key)) return refuse(request, socket, head, REFUSALS.keyUnknown, isBrowser)
    if (!keyRates.take(key)) return refuse(request, socket, head, REFUSALS.tooFast)
    if (pending.size >= limits.pendingUpgrades) return refuse(request, socket, head, REFUSALS.unavailable)

    let answer = await authorize(key)
    const full = fullSeat(answer)
    if (full) {
      await probe(full)
      answer = await authorize(key)
    }
    if (socket.destroyed) return

    // From the look at the limit to the connection in its seat nothing is waited for.
    const seat = seatFor(answer)
    if ('status' in seat) return refuse(request, socket, head, seat, isBrowser)
    server.handleUpgrade(request, socket, head, (ws) => {
      acceptedUpgrades++
      const { outboxMaxBytes: maxBytes } = limits
      const openOutbox = (owner: OutboxOwner) => createOutbox({ ws, socket, budget, owner, clock, maxBytes })
      const allowance = allowanceOf(seat.accountId)
      const inlet = intake.open(ws, socket, allowance.reading)
      const connection = createConnection(
        ws,
        openOutbox,
        inlet,
        seat,
        allowance,
        { address, client },
        context,
      )
      connections.add(connection)
      notes.note(connection)
      scheduleSweep()
    })
    seats.leave(seat) // unless it was joined: the handshake may have failed
  }

  const shutDown = async () => {
    leaveBunch()
    leaveControl()
    hub.close()
    for (const connection of [...connections]) connection.end('restart')
    await Promise.all([untilEmpty(), recordLast()])
    for (const connection of [...connections]) connection.terminate()
    await noteLast()
    for (const socket of [...leaving]) socket.destroy()
    cancelSweep?.()
    seats.close()
  }

  /** Resolves once every client has gone, or has had its time to. */
  const untilEmpty = async () => {
    if (connections.size === 0 && leaving.size === 0) return
    await new Promise<void>((resolve) => {
      const cancel = clock.after(limits.closeGraceMs, resolve)
      onEmpty = () => {
        cancel()
        resolve()
      }
    })
  }

  /** Connections that were cut just now are closed by the next turn. */
  const noteLast = async () => {
    await new Promise(setImmediate)
    await withTimeout(notes.flush(), clock, limits.closeGraceMs).catch(() => {
      log.error('The ends of the last connections were not noted in time.')
    })
  }

  const recordLast = () =>
    withTimeout(counts.flush(), clock, limits.closeGraceMs).catch(() => {
      log.error('The last event counts were not recorded in time.')
    })

  return {
    handleUpgrade(request, socket, head) {
      // Before anything else: without a listener a reset connection would end the process.
      socket.on('error', () => socket.destroy())
      if (!asksForWebsocket(request)) {
        if (!giveBack(request, socket, head)) socket.destroy()
        return
      }
      // `ws` takes the name alone, without others beside it in a list.
      request.headers.upgrade = 'websocket'
      accept(request, socket, head).catch((error: unknown) => {
        log.error('An upgrade failed inside the gateway.', { error })
        socket.destroy()
      })
    },

    stats() {
      hub.settle()
      const sum = { sentEvents, sentBytes, queuedBytes: 0 }
      for (const connection of connections) {
        const figures = connection.figures()
        sum.sentEvents += figures.sentEvents
        sum.sentBytes += figures.sentBytes
        sum.queuedBytes += figures.queuedBytes
      }
      return {
        connections: connections.size,
        subscriptions: hub.subscriptionCount(),
        heldBytes: budget.bytes,
        ...sum,
        acceptedUpgrades,
        refusedUpgrades: { ...refusedUpgrades },
        ended: { ...ended },
      }
    },

    openConnections(accountId) {
      const seat = seats.find(accountId)
      hub.settle()
      return [...connections]
        .filter((connection) => seat?.connections.has(connection) && connection.isOpen())
        .map((connection) => ({
          id: connection.id,
          address: connection.address,
          client: connection.client,
          lastSeenAt: connection.lastSeenAt(),
          connectedAt: connection.connectedAt,
          subscriptions: [...connection.subscriptions.values()].map(({ id, kind }) => ({ id, kind })),
          ...connection.figures(),
        }))
    },

    close() {
      closing ??= shutDown()
      return closing
    },
  }
}

function createWebSocketServer(limits: GatewayLimits) {
  // Two options are younger than the types of the library.
  const options: ServerOptions<typeof ClientSocket> & { closeTimeout: number; maxFragments: number } = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: limits.frameMaxBytes,
    maxFragments: limits.frameMaxFragments,
    // A connection bounds its own closing, and a refused socket is watched: this is for neither.
    closeTimeout: limits.drainMs,
    WebSocket: ClientSocket,
  }
  const server = new WebSocketServer(options)
  server.on('headers', (headers) => headers.push('Referrer-Policy: no-referrer'))
  return server
}
