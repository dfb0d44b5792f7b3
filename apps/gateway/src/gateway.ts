import type { IncomingMessage } from 'node:http'
import type { Accounts } from '@pairwire/accounts'
import { BoundedMap, type Clock, type Log, systemClock, withTimeout } from '@pairwire/basics'
import type { Bus } from '@pairwire/bus'
import type { AnyStream, ControlMessage, OpenStream, SourceKind, StreamsWanted } from '@pairwire/contract'
import { type ConnectionFigures, Connections } from './connection/connections.ts'
import { Admission } from './door/admission.ts'
import type { GatewayDoors } from './door/take-streams.ts'
import { Upgrades } from './door/upgrades.ts'
import { createEarlyHub } from './fanout/early-hub.ts'
import { Shards } from './fanout/shards.ts'
import { Scheduler } from './fanout/window.ts'
import { StreamDoor } from './http/stream-door.ts'
import { Intake } from './intake/intake.ts'
import { DEFAULT_LIMITS, type GatewayLimits } from './limits.ts'
import { createPlaybacks } from './playback/playbacks.ts'
import { type Allowance, createAllowance } from './rates/allowance.ts'
import { ALONE, createSharedSpending } from './rates/shared-spending.ts'
import { Resuming } from './resume/resuming.ts'
import { Seats } from './seats/seats.ts'
import type { SharedSeats, SharedSeatsParts } from './seats/shared-seats.ts'

/** What the gateway needs. */
export type GatewayOptions = Readonly<{
  bus: Bus
  accounts: Pick<
    Accounts,
    | 'authorizeKey'
    | 'authorizeAccount'
    | 'readStandings'
    | 'recordDelivered'
    | 'recordConnections'
    | 'recordRefusedUpgrades'
    | 'mayReplay'
  >
  log: Log
  /** Where events come from: every subscribe answer calls those of the simulator or of a recording simulated. */
  source: SourceKind
  /** Whether the source sends transactions before they are confirmed; false by default. */
  servesEarly?: boolean
  /** Address of the docs, without a trailing slash. */
  docsUrl: string
  /** Where people write to if their account is suspended. */
  supportEmail: string
  /** Returns the client's address, seen through trusted proxies; each has one rate. */
  clientAddress(request: IncomingMessage): string
  /** Limits that differ from {@link DEFAULT_LIMITS}. */
  limits?: Partial<GatewayLimits>
  clock?: Clock
  /** This gateway's name among others that share its rates; absent for a single one. */
  gatewayId?: string
  /** Seats of an account at the gateways whose ids come before this one's; absent for a single one. */
  seatsBefore?: (accountId: string) => Promise<number>
  /** Counts the seats together with other gateways; absent for a single one. */
  openShared?: (
    parts: Pick<SharedSeatsParts, 'clock' | 'log' | 'limits' | 'seats'>,
  ) => Pick<SharedSeats, keyof SharedSeats>
}>

/** The service of streams: checks keys, matches filters and fans events out. */
export type Gateway = GatewayDoors &
  Readonly<{
    stats(): GatewayStats
    /** Returns an account's open connections, oldest first, once others' ends are recorded or that takes too long. */
    openConnections(accountId: string): Promise<readonly OpenStream[]>
    /** Returns the open connections of all accounts that stand highest in a sort order. */
    listConnections(wanted: StreamsWanted): Promise<readonly AnyStream[]>
    /** Whether the gateway's seats count together with the others', if there are others. */
    isCounted(): boolean
    /**
     * Accepts no more clients and ends every stream with 1001 and its cursor, in groups so that not all reconnect at
     * once. Resolves when all are told, at the latest after `withinMs`. Close the gateway afterwards.
     */
    drain(withinMs: number): Promise<void>
    /** Closes every client (1001), which has `withinMs` to read that, records the last counts, and ends. */
    close(withinMs?: number): Promise<void>
  }>

/** Figures of the gateway. */
export type GatewayStats = ConnectionFigures &
  Readonly<{
    /** Milliseconds since the newest slot arrived; before the first, since the start. */
    newestSlotAgeMs: number
    /** Since the start, by HTTP status; streams over HTTP are among them. */
    refusedUpgrades: Readonly<Record<string, number>>
  }>

/** Creates a gateway, which takes events from the bus from now on. */
export function createGateway(options: GatewayOptions): Gateway {
  const parts = createParts(options)
  const { clock, limits, admission, streamDoor, upgrades, connections, shared, refused } = parts
  const fed = feed(parts)
  let closing: Promise<void> | undefined

  return {
    handleUpgrade: (request, socket, head) => upgrades.handle(request, socket, head),
    handleRequest: (request, response) => streamDoor.handle(request, response),
    stats: () => ({
      ...connections.figures(),
      newestSlotAgeMs: clock.elapsed() - fed.heardAt(),
      refusedUpgrades: { ...refused },
    }),
    openConnections: (accountId) => connections.ofAccount(accountId),
    listConnections: (wanted) => connections.list(wanted),
    isCounted: () => shared?.isCounted() ?? true,
    drain(withinMs) {
      admission.close()
      return connections.drain(withinMs)
    },
    close(withinMs = limits.closeGraceMs) {
      admission.close()
      fed.stop()
      closing ??= shutDown(parts, withinMs)
      return closing
    },
  }
}

type Parts = ReturnType<typeof createParts>

/** Creates the parts. Each knows only those above it. */
function createParts(options: GatewayOptions) {
  const { bus, accounts, gatewayId, log, docsUrl, supportEmail, source, clientAddress } = options
  const { servesEarly = false, seatsBefore = async () => 0 } = options
  const clock = options.clock ?? systemClock
  const limits: GatewayLimits = { ...DEFAULT_LIMITS, ...options.limits }
  const common = { bus, accounts, clock, limits, log }

  const spending =
    gatewayId === undefined
      ? ALONE
      : createSharedSpending({ ...common, gatewayId, everyMs: limits.spentEveryMs })
  const allowances = new BoundedMap<string, Allowance>(limits.rememberedRates)
  const allowanceOf = (accountId: string) =>
    allowances.ensure(accountId, () =>
      createAllowance(clock, limits, (requestBytes) =>
        spending.note(accountId, { requests: 1, requestBytes }),
      ),
    )
  const seats = new Seats({ ...common, spending, seatsBefore })
  const shared = options.openShared?.({ clock, log, limits, seats })

  const scheduler = new Scheduler(clock, limits.turnMs)
  const windows = { clock, limits, scheduler }
  const shards = new Shards(windows)
  const early = createEarlyHub({ ...windows, bus })
  const resuming = new Resuming({ ...common, spending })
  const playbacks = createPlaybacks({ ...common, source, shareOf: resuming.shareOf })
  const intake = new Intake(clock, limits, (change) => shards.atEdge(change))

  const connections = new Connections({
    ...{ ...common, docsUrl, supportEmail, simulated: source !== 'chain', servesEarly },
    ...{ allowanceOf, seats, shared, shards, early, resuming, playbacks },
  })
  const admission = new Admission({
    ...{ ...common, spending, seats, shared },
    onRefused: (accountId, refusal) => connections.noteRefused(accountId, refusal),
  })
  const refused: Record<string, number> = {}
  const countRefused = (status: number) => {
    refused[status] = (refused[status] ?? 0) + 1
  }
  const doors = { ...common, docsUrl, supportEmail, clientAddress, countRefused, admission }
  const upgrades = new Upgrades({
    ...{ ...doors, intake },
    onNewcomer: (newcomer) => void connections.open(newcomer),
  })
  const streamDoor = new StreamDoor({ ...doors, connections, resuming, servesEarly })
  return {
    ...{ ...common, gatewayId, spending, allowanceOf, seats, shared, shards, early, resuming },
    ...{ connections, admission, upgrades, streamDoor, refused },
  }
}

/** Passes events and control messages to their parts. */
function feed(parts: Parts): Readonly<{ heardAt(): number; stop(): void }> {
  const { bus, clock, shards, early } = parts
  let heardAt = clock.elapsed()
  const leaveEvents = bus.subscribe((events) => {
    heardAt = clock.elapsed()
    early.confirm(events)
    shards.publish(events)
  })
  const leaveControl = bus.onControl((message) => obey(parts, message))
  return {
    heardAt: () => heardAt,
    stop() {
      leaveEvents()
      leaveControl()
    },
  }
}

function obey(parts: Parts, message: ControlMessage): void {
  const { gatewayId, connections, admission, seats, shards, early } = parts
  switch (message.type) {
    case 'pairUpdate':
      shards.tell(message)
      early.hub.tell(message)
      return
    case 'spent':
      if (gatewayId !== undefined && gatewayId !== message.gatewayId) drawElsewhere(parts, message)
      return
    case 'webhooksChanged':
      return
    case 'closeConnection':
      connections.end(message.accountId, message.connectionId)
      return
    case 'disconnect':
      admission.accountChanged(message.accountId)
      seats.find(message.accountId)?.endAll('disconnected')
      return
    default:
      admission.accountChanged(message.accountId)
      seats.rereadPlan(message.accountId)
  }
}

/** Subtracts what accounts and keys have spent at another gateway from their rates and caps here. */
function drawElsewhere(parts: Parts, { spent }: ControlMessage & { type: 'spent' }): void {
  const { allowanceOf, resuming, seats, admission } = parts
  for (const [name, { requests, requestBytes, resumes, connects, swaps }] of Object.entries(spent)) {
    if (requests > 0) allowanceOf(name).drawElsewhere(requests, requestBytes)
    if (resumes > 0) resuming.drawResumes(name, resumes)
    if (swaps !== 0) seats.find(name)?.drawSwaps(swaps)
    if (connects > 0) admission.drawConnects(name, connects)
  }
}

async function shutDown(parts: Parts, withinMs: number): Promise<void> {
  const { clock, limits, log, spending, seats, shared, shards, early, connections, upgrades } = parts
  spending.close()
  shards.close()
  early.close()
  const gone = Promise.all([connections.endAll(), upgrades.refused.untilGone()])
  const recorded = withTimeout(seats.recordCounts(), clock, limits.closeGraceMs).catch(() => {
    log.error('The last event counts were not recorded in time.')
  })
  await Promise.all([withTimeout(gone, clock, withinMs).catch(() => {}), recorded])
  await connections.close()
  upgrades.refused.cut()
  seats.close()
  await shared?.close()
}
