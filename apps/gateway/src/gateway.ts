import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Accounts } from '@pairwire/accounts'
import type { Bus } from '@pairwire/bus'
import type { ControlMessage, StreamKind } from '@pairwire/contract'
import { type Clock, type Log, systemClock, withTimeout } from '@pairwire/process'
import { createAllowances } from './allowance.ts'
import { Connection, type ConnectionContext } from './connection.ts'
import { createConnectionNotes } from './connection-notes.ts'
import { createEarlyLanes } from './early-lanes.ts'
import { createIntake } from './intake.ts'
import { createLanes } from './lanes.ts'
import { DEFAULT_LIMITS, type GatewayLimits } from './limits.ts'
import { createOutbox } from './outbox.ts'
import { OutboxBudget } from './outbox-budget.ts'
import { createPace } from './pace.ts'
import { createProbes } from './probe-seat.ts'
import { createResuming } from './resuming.ts'
import { createRounds } from './rounds.ts'
import { createSeats } from './seats.ts'
import type { SharedSeats, SharedSeatsParts } from './shared-seats.ts'
import { openSharedSpending } from './shared-spending.ts'
import { createUpgrades, type Newcomer } from './upgrades.ts'

/** What the gateway needs. */
export type GatewayOptions = Readonly<{
  bus: Bus
  accounts: Pick<
    Accounts,
    'authorizeKey' | 'authorizeAccount' | 'readStandings' | 'recordDelivered' | 'recordConnections'
  >
  log: Log
  /** Whether the source is the simulator or a recording: said in every answer to a subscribe. */
  simulated: boolean
  /** Whether the source tells what is executed but not confirmed yet; false when left out. */
  servesEarly?: boolean
  /** Where the docs are, without a slash at the end. */
  docsUrl: string
  /** The client's address, with trusted proxies looked through; one rate applies to each. */
  clientAddress(request: IncomingMessage): string
  /** Bounds that differ from {@link DEFAULT_LIMITS}. */
  limits?: Partial<GatewayLimits>
  clock?: Clock
  /** Names this gateway among others, with which rates are shared; left out where it is alone. */
  gatewayId?: string
  /** Has the seats counted together with other gateways; left out where this one is alone. */
  openShared?: (
    parts: Pick<SharedSeatsParts, 'clock' | 'log' | 'limits' | 'giveBack' | 'probe' | 'counted'>,
  ) => SharedSeats
}>

/** The websocket service: checks keys, matches filters and fans events out. */
export type Gateway = Readonly<{
  /** Takes an `upgrade` event of an HTTP server. Never throws or rejects. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  stats(): GatewayStats
  /** An account's open connections, oldest first; how its others ended is noted by then, unless that takes too long. */
  openConnections(accountId: string): Promise<readonly OpenConnection[]>
  /** Whether the gateway's seats count with the others', where there are others. */
  isCounted(): boolean
  /**
   * Takes nobody new and ends every stream, in groups so that not all come back at once: each with 1001 and its cursor.
   * Resolves when all are told, `withinMs` from now at the latest. To be closed afterwards.
   */
  drain(withinMs: number): Promise<void>
  /** Says goodbye to every client (1001), which has `withinMs` to take it, hands the last counts over, and ends. */
  close(withinMs?: number): Promise<void>
}>

/** Figures since the start, but for the first five, which are of now. */
export type GatewayStats = Readonly<{
  connections: number
  subscriptions: number
  queuedBytes: number
  /** Bytes of memory behind the queues: what several clients wait for counts once. */
  heldBytes: number
  /** Milliseconds since the newest slot came; since the start before one did. */
  newestSlotAgeMs: number
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

/** Makes a gateway, which takes events from the bus from now on. Each part knows only those above it. */
export function createGateway(options: GatewayOptions): Gateway {
  const { bus, accounts, log, docsUrl, simulated, servesEarly = false, clock = systemClock } = options
  const limits: GatewayLimits = { ...DEFAULT_LIMITS, ...options.limits }
  const probe = createProbes()
  const seats = createSeats({
    ...{ accounts, clock, limits, log },
    onLeave: ({ id }) => shared?.leave(id),
    tellSwaps: (accountId, swaps) => spending?.note(accountId, { swaps }),
    beforeRecord: () => spending?.tell(),
  })
  const shared = options.openShared?.({
    ...{ clock, log, limits, giveBack: seats.giveBack },
    async probe(accountId) {
      const seat = seats.find(accountId)
      if (seat) await probe(seat)
      return seat?.openConnections.length ?? 0
    },
    counted(accountId, total) {
      const seat = seats.find(accountId)
      if (seat && total > seat.connectionLimit) seat.endExcess(total - seat.connectionLimit)
    },
  })
  const windows = {
    clock,
    limits,
    pace: createPace(clock, limits.turnMs),
    beforeFlush: seats.followClock,
    afterFlush: seats.countSoon,
  }
  const lanes = createLanes(windows)
  const early = createEarlyLanes({ ...windows, bus })
  const spending =
    options.gatewayId === undefined
      ? undefined
      : openSharedSpending({
          ...{ gatewayId: options.gatewayId, bus, clock, log, everyMs: limits.spentEveryMs },
          draw(name, { requests, requestBytes, resumes, connects, swaps }) {
            if (requests > 0) allowanceOf(name).drawElsewhere(requests, requestBytes)
            if (resumes > 0) resuming.drawResumes(name, resumes)
            if (swaps !== 0) seats.find(name)?.drawSwaps(swaps)
            if (connects > 0) upgrades.drawConnects(name, connects)
          },
        })
  const resuming = createResuming({
    ...{ bus, clock, limits, log },
    onResume: (accountId) => spending?.note(accountId, { resumes: 1 }),
  })
  const intake = createIntake(clock, limits, lanes.atEdges)
  const budget = new OutboxBudget(limits.outboxesMaxBytes)
  const allowanceOf = createAllowances(clock, limits, (accountId, requestBytes) =>
    spending?.note(accountId, { requests: 1, requestBytes }),
  )
  const notes = createConnectionNotes({
    record: (batch) => accounts.recordConnections(batch),
    clock,
    everyMs: limits.countEveryMs,
    log,
  })
  const connections = new Set<Connection>()
  const ended: Record<string, number> = {}
  /** Of connections that have gone; the others know their own. */
  const sentByGone = { sentEvents: 0, sentBytes: 0 }
  let acceptedUpgrades = 0
  /** When all open connections were noted as still open, milliseconds of the clock. */
  let notedAt = clock.elapsed()
  let isNoteTime = false
  let whenEmpty: (() => void) | undefined
  let closing: Promise<void> | undefined

  const context: Omit<ConnectionContext, 'hub' | 'earlyHub' | 'atEdge'> = {
    seats,
    resuming,
    clock,
    limits,
    log,
    docsUrl,
    simulated,
    servesEarly,
    early,
    onClosed(connection) {
      if (!connections.delete(connection)) return
      const { sentEvents, sentBytes } = connection.figures()
      sentByGone.sentEvents += sentEvents
      sentByGone.sentBytes += sentBytes
      notes.note(connection)
      onGone()
    },
    onEnd(reason) {
      ended[reason] = (ended[reason] ?? 0) + 1
    },
  }

  const onNewcomer = ({ id, ws, socket, seat, address, client }: Newcomer) => {
    acceptedUpgrades++
    const { outboxMaxBytes: maxBytes } = limits
    const allowance = allowanceOf(seat.accountId)
    const hub = lanes.assign()
    const connection = new Connection(
      {
        id,
        ws,
        openOutbox: (owner) => createOutbox({ ws, socket, budget, owner, clock, maxBytes }),
        inlet: intake.open(ws, socket, allowance.reading),
        seat,
        allowance,
        address,
        client,
      },
      { ...context, hub, earlyHub: early.assign(), atEdge: hub.atEdge },
    )
    connections.add(connection)
    notes.note(connection)
    sweep.wake()
  }

  const isEmpty = () => connections.size === 0 && upgrades.refused.isEmpty()
  const onGone = () => {
    if (isEmpty()) whenEmpty?.()
  }

  const upgrades = createUpgrades({
    ...options,
    seats,
    shared,
    probe,
    intake,
    clock,
    limits,
    onConnect: (keyName) => spending?.note(keyName, { connects: 1 }),
    onNewcomer,
    onGone,
  })

  let heardAt = clock.elapsed()
  const leaveBunch = bus.subscribe((events) => {
    heardAt = clock.elapsed()
    early.confirm(events)
    lanes.publish(events)
  })
  const leaveControl = bus.onControl((message) => obey(message))

  const obey = (message: ControlMessage) => {
    if (message.type === 'pairUpdate') {
      lanes.tell(message)
      early.tell(message)
      return
    }
    if (message.type === 'spent') return
    const { type, accountId } = message
    if (type === 'closeConnection') {
      endOne(accountId, message.connectionId)
      return
    }
    upgrades.accountChanged(accountId)
    if (type === 'planChanged') seats.rereadPlan(accountId)
    else seats.find(accountId)?.endAll(type === 'disconnect' ? 'disconnected' : 'keyUnknown')
  }

  /** An account can name its own connections only. */
  const endOne = (accountId: string, connectionId: string) => {
    const connection = [...connections].find(({ id }) => id === connectionId)
    if (connection?.accountId === accountId) connection.end('disconnected')
  }

  const sweep = createRounds({
    items: connections,
    begin() {
      isNoteTime = clock.elapsed() - notedAt >= limits.noteEveryMs
      if (isNoteTime) notedAt = clock.elapsed()
      seats.followClock()
    },
    look(connection) {
      connection.tick()
      if (isNoteTime) notes.note(connection)
    },
    clock,
    everyMs: limits.sweepEveryMs,
  })

  const openOnes = () => [...connections].filter((connection) => connection.isOpen())

  const shutDown = async (withinMs: number) => {
    upgrades.close()
    leaveBunch()
    leaveControl()
    spending?.close()
    lanes.close()
    early.close()
    for (const connection of [...connections]) connection.end('restart')
    await Promise.all([untilEmpty(withinMs), recordLast()])
    for (const connection of [...connections]) connection.terminate()
    await noteLast()
    upgrades.refused.cut()
    sweep.close()
    seats.close()
    await shared?.close()
  }

  /** Resolves once every client has gone, or has had its time to. */
  const untilEmpty = async (withinMs: number) => {
    if (isEmpty()) return
    await new Promise<void>((resolve) => {
      const cancel = clock.after(withinMs, resolve)
      whenEmpty = () => {
        cancel()
        resolve()
      }
    })
  }

  /** Connections that were cut just now are closed by the next turn. */
  const noteLast = async () => {
    await new Promise(setImmediate)
    await withTimeout(notes.flush(), clock, limits.closeGraceMs).catch(() => {
      log.error('The ends of the last connections were not recorded in time.')
    })
  }

  const recordLast = () =>
    withTimeout(seats.recordCounts(), clock, limits.closeGraceMs).catch(() => {
      log.error('The last event counts were not recorded in time.')
    })

  return {
    handleUpgrade: upgrades.handle,

    stats() {
      const sum = { ...sentByGone, queuedBytes: 0, subscriptions: 0 }
      for (const connection of connections) {
        const { sentEvents, sentBytes, queuedBytes } = connection.figures()
        sum.sentEvents += sentEvents
        sum.sentBytes += sentBytes
        sum.queuedBytes += queuedBytes
        sum.subscriptions += connection.subscriptions.length
      }
      return {
        connections: connections.size,
        heldBytes: budget.bytes,
        newestSlotAgeMs: clock.elapsed() - heardAt,
        ...sum,
        acceptedUpgrades,
        refusedUpgrades: upgrades.refused.counts(),
        ended: { ...ended },
      }
    },

    async openConnections(accountId) {
      const own = [...connections].filter((connection) => connection.accountId === accountId)
      const open = own
        .filter((connection) => connection.isOpen())
        .map((connection) => ({
          id: connection.id,
          address: connection.address,
          client: connection.client,
          lastSeenAt: connection.lastSeenAt,
          connectedAt: connection.connectedAt,
          subscriptions: connection.subscriptions.map(({ id, kind }) => ({ id, kind })),
          ...connection.figures(),
        }))
      for (const connection of own) if (connection.ended) notes.note(connection)
      // Without it they are noted a little later, and look until then as if this gateway had died.
      await withTimeout(notes.flush(), clock, limits.countEveryMs).catch(() => {})
      return open
    },

    isCounted: () => shared?.isCounted() ?? true,

    async drain(withinMs) {
      upgrades.close()
      const groups = Math.max(1, Math.floor(withinMs / limits.drainEveryMs))
      const size = Math.max(limits.drainGroup, Math.ceil(connections.size / groups))
      // Those that end drop out; what is still open stands first.
      for (let group = openOnes(); group.length > 0; group = openOnes()) {
        for (const connection of group.slice(0, size)) connection.end('restart')
        if (group.length <= size) return
        await new Promise<void>((resolve) => clock.after(limits.drainEveryMs, resolve))
      }
    },

    close(withinMs = limits.closeGraceMs) {
      closing ??= shutDown(withinMs)
      return closing
    },
  }
}
