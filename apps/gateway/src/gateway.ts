import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Accounts } from '@pairwire/accounts'
import { BoundedMap, type Clock, type Log, systemClock, withTimeout } from '@pairwire/basics'
import type { Bus } from '@pairwire/bus'
import type { ControlMessage, OpenStream, SourceKind } from '@pairwire/contract'
import { type ConnectionFigures, Connections } from './connection/connections.ts'
import { Upgrades } from './door/upgrades.ts'
import { createEarlyHub } from './fanout/early-hub.ts'
import { Shards } from './fanout/shards.ts'
import { Scheduler } from './fanout/window.ts'
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
    | 'mayReplay'
  >
  log: Log
  /** Where events come from: those of the simulator, or of a recording, are called simulated in every answer to a subscribe. */
  source: SourceKind
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
    parts: Pick<SharedSeatsParts, 'clock' | 'log' | 'limits' | 'seats'>,
  ) => Pick<SharedSeats, keyof SharedSeats>
}>

/** The websocket service: checks keys, matches filters and fans events out. */
export type Gateway = Readonly<{
  /** Takes an `upgrade` event of an HTTP server. Never throws or rejects. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void
  stats(): GatewayStats
  /** An account's open connections, oldest first; how its others ended is noted by then, unless that takes too long. */
  openConnections(accountId: string): Promise<readonly OpenStream[]>
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

/** Figures of the gateway. */
export type GatewayStats = ConnectionFigures &
  Readonly<{
    /** Milliseconds since the newest slot came; since the start before one did. */
    newestSlotAgeMs: number
    /** Since the start, by HTTP status. */
    refusedUpgrades: Readonly<Record<string, number>>
  }>

/** Makes a gateway, which takes events from the bus from now on. */
export function createGateway(options: GatewayOptions): Gateway {
  const parts = createParts(options)
  const { clock, limits, upgrades, connections, shared } = parts
  const fed = feed(parts)
  let closing: Promise<void> | undefined

  return {
    handleUpgrade: (request, socket, head) => upgrades.handle(request, socket, head),
    stats: () => ({
      ...connections.figures(),
      newestSlotAgeMs: clock.elapsed() - fed.heardAt(),
      refusedUpgrades: upgrades.refused.counts(),
    }),
    openConnections: (accountId) => connections.ofAccount(accountId),
    isCounted: () => shared?.isCounted() ?? true,
    drain(withinMs) {
      upgrades.close()
      return connections.drain(withinMs)
    },
    close(withinMs = limits.closeGraceMs) {
      upgrades.close()
      fed.stop()
      closing ??= shutDown(parts, withinMs)
      return closing
    },
  }
}

type Parts = ReturnType<typeof createParts>

/** Makes the parts. Each knows only those above it. */
function createParts(options: GatewayOptions) {
  const { bus, accounts, gatewayId, log, docsUrl, source, servesEarly = false, clientAddress } = options
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
  const seats = new Seats({ ...common, spending })
  const shared = options.openShared?.({ clock, log, limits, seats })

  const scheduler = new Scheduler(clock, limits.turnMs)
  const windows = { clock, limits, scheduler, beforeFlush: () => seats.turnDay() }
  const shards = new Shards(windows)
  const early = createEarlyHub({ ...windows, bus })
  const resuming = new Resuming({ ...common, spending })
  const playbacks = createPlaybacks({ ...common, source, shareOf: resuming.shareOf })
  const intake = new Intake(clock, limits, (change) => shards.atEdge(change))

  const connections = new Connections({
    ...{ ...common, docsUrl, simulated: source !== 'chain', servesEarly },
    ...{ allowanceOf, seats, shared, shards, early, resuming, playbacks, intake },
  })
  const upgrades = new Upgrades({
    ...{ ...common, docsUrl, clientAddress, spending, seats, shared, intake },
    onNewcomer: (newcomer) => connections.open(newcomer),
  })
  return {
    ...{ ...common, gatewayId, spending, allowanceOf, seats, shared, shards, early, resuming },
    ...{ connections, upgrades },
  }
}

/** Has events and control messages go to the parts that they are for. */
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
  const { gatewayId, connections, upgrades, seats, shards, early } = parts
  switch (message.type) {
    case 'pairUpdate':
      shards.tell(message)
      early.hub.tell(message)
      return
    case 'spent':
      if (gatewayId !== undefined && gatewayId !== message.gatewayId) drawElsewhere(parts, message)
      return
    case 'closeConnection':
      connections.end(message.accountId, message.connectionId)
      return
    case 'planChanged':
      upgrades.accountChanged(message.accountId)
      seats.rereadPlan(message.accountId)
      return
    default:
      upgrades.accountChanged(message.accountId)
      seats.find(message.accountId)?.endAll(message.type === 'disconnect' ? 'disconnected' : 'keyUnknown')
  }
}

/** Takes what accounts and keys have spent at another gateway from their rates and caps here. */
function drawElsewhere(parts: Parts, { spent }: ControlMessage & { type: 'spent' }): void {
  const { allowanceOf, resuming, seats, upgrades } = parts
  for (const [name, { requests, requestBytes, resumes, connects, swaps }] of Object.entries(spent)) {
    if (requests > 0) allowanceOf(name).drawElsewhere(requests, requestBytes)
    if (resumes > 0) resuming.drawResumes(name, resumes)
    if (swaps !== 0) seats.find(name)?.drawSwaps(swaps)
    if (connects > 0) upgrades.drawConnects(name, connects)
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
