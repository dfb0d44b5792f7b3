import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Accounts, KeyAuthorization } from '@pairwire/accounts'
import { planById } from '@pairwire/contract'
import type { Clock, Log } from '@pairwire/process'
import { type ServerOptions, WebSocketServer } from 'ws'
import { addressRange } from './address-range.ts'
import { ClientSocket } from './client-socket.ts'
import { giveBack } from './give-back.ts'
import type { Intake } from './intake.ts'
import { createKeyCheck, type KeyCheck } from './key-check.ts'
import type { GatewayLimits } from './limits.ts'
import { createRates } from './rate.ts'
import { REFUSALS, type Refusal, wrongPath } from './refusal.ts'
import { createRefusedSockets, type RefusedSockets, type Upgrade } from './refused-sockets.ts'
import { isOver, type Seat } from './seat.ts'
import type { Seats } from './seats.ts'
import type { SharedSeats } from './shared-seats.ts'
import { asksForWebsocket, handshakeFault, isKey, readUpgradeRequest } from './upgrade-request.ts'

/** The door: who may connect, and what the others are told. */
type Upgrades = Pick<KeyCheck, 'accountChanged'> &
  Readonly<{
    /** Takes an `upgrade` event of an HTTP server. Never throws or rejects. */
    handle(request: IncomingMessage, socket: Duplex, head: Buffer): void
    /** Takes connects with a key at another gateway from the key's rate. */
    drawConnects(keyName: string, amount: number): void
    /** Refuses everyone from now on. */
    close(): void
    refused: Omit<RefusedSockets, 'refuse'>
  }>

/** Who was let in. To be given a connection at once. */
export type Newcomer = Readonly<{
  id: string
  ws: ClientSocket
  socket: Duplex
  seat: Seat
  address: string
  client: string
}>

/** What the door needs. */
type UpgradeParts = Readonly<{
  accounts: Pick<Accounts, 'authorizeKey'>
  seats: Seats
  intake: Intake
  clock: Clock
  limits: GatewayLimits
  log: Log
  docsUrl: string
  /** Seats as all gateways count them; undefined where this one is alone. */
  shared: Pick<SharedSeats, 'take' | 'leave'> | undefined
  probe: (seat: Seat) => Promise<void>
  clientAddress(request: IncomingMessage): string
  /** Hears of each try with a known key that its rate allows. */
  onConnect(keyName: string): void
  onNewcomer(newcomer: Newcomer): void
  /** Called when a refused socket has gone. */
  onGone(): void
}>

/** Opens the door. */
export function createUpgrades(parts: UpgradeParts): Upgrades {
  const { seats, shared, probe, clock, limits, log, docsUrl, clientAddress, onNewcomer } = parts
  const server = createWebSocketServer(limits)
  const keys = createKeyCheck(parts)
  const refused = createRefusedSockets({ ...parts, server })
  let isClosed = false
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

  /** The seat for one more connection, or why there is none. To be taken in the same turn. */
  const seatFor = (answer: KeyAuthorization | Refusal): Seat | Refusal => {
    if (isClosed) return REFUSALS.restarting
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
    return seat.openConnections.length >= connectionLimit ? seat : undefined
  }

  /**
   * Makes sure of a place for one more connection; `looked` when that took a while, after which key and plan have to be
   * looked at again.
   */
  const placeFor = async (
    id: string,
    answer: KeyAuthorization | Refusal,
  ): Promise<'free' | 'looked' | Refusal> => {
    if (!('connectionLimit' in answer)) return 'free'
    if (shared) {
      const outcome = await shared.take(id, answer.accountId, answer.connectionLimit)
      if (outcome === 'unknown') return REFUSALS.uncounted
      if (outcome === 'full') return REFUSALS.connectionLimit
      // What the connection that had the seat was sent may have been recorded since the key was looked up.
      const isCapped = planById(answer.planId)?.swapEventsPerPeriod !== null
      return outcome === 'taken' && !isCapped ? 'free' : 'looked'
    }
    const full = fullSeat(answer)
    if (!full) return 'free'
    await probe(full)
    return 'looked'
  }

  /** Why a key is not even looked up. */
  const refusalOf = (
    request: IncomingMessage,
    path: string | undefined,
    key: string | undefined,
    address: string,
  ): Refusal | undefined => {
    if (isClosed) return REFUSALS.restarting
    if (!addressRates.take(addressRange(address))) return REFUSALS.tooFast
    if (path !== '/') return wrongPath(docsUrl)
    const fault = handshakeFault(request)
    if (fault) return REFUSALS[fault]
    if (key === undefined) return undefined
    if (!isKey(key)) return REFUSALS.keyUnknown
    if (!keyRates.has(nameOfKey(key))) return REFUSALS.tooFast
    return keys.isFull() ? REFUSALS.unavailable : undefined
  }

  /** A key that nobody has is counted by address only: made-up ones would push those that are known out of memory. */
  const takeConnect = (key: string, answer: KeyAuthorization | Refusal): boolean => {
    if ('status' in answer || answer.outcome === 'unknown_key') return true
    const keyName = nameOfKey(key)
    if (!keyRates.take(keyName)) return false
    parts.onConnect(keyName)
    return true
  }

  const accept = async (upgrade: Upgrade): Promise<void> => {
    const { request, socket, head } = upgrade
    const address = clientAddress(request)
    const { path, key, client, isBrowser } = readUpgradeRequest(request)
    const refusal = refusalOf(request, path, key, address)
    if (refusal || key === undefined)
      return refused.refuse(upgrade, refusal ?? REFUSALS.keyMissing, isBrowser)

    const id = randomUUID()
    const check = keys.open(key)
    let hasJoined = false
    try {
      let answer = await check.ask()
      if (!takeConnect(key, answer)) return refused.refuse(upgrade, REFUSALS.tooFast, isBrowser)
      const place = await placeFor(id, answer)
      if (place === 'looked' || !check.holds()) answer = await check.ask()
      if (socket.destroyed) return

      // Nothing is waited for between the look at the limit and the connection in its seat.
      const seat = typeof place === 'object' ? place : seatFor(answer)
      if ('status' in seat) return refused.refuse(upgrade, seat, isBrowser)
      server.handleUpgrade(request, socket, head, (ws) => {
        hasJoined = true
        onNewcomer({ id, ws, socket, seat, address, client })
      })
      seats.leave(seat) // unless it was joined: the handshake may have failed
    } finally {
      check.end()
      if (!hasJoined) shared?.leave(id)
    }
  }

  return {
    handle(request, socket, head) {
      // Before anything else: without a listener a reset connection would end the process.
      socket.on('error', () => socket.destroy())
      if (!asksForWebsocket(request)) {
        if (!giveBack(request, socket, head)) socket.destroy()
        return
      }
      // `ws` takes the name alone, without others beside it in a list.
      request.headers.upgrade = 'websocket'
      accept({ request, socket, head }).catch((error: unknown) => {
        log.error('An upgrade failed inside the gateway.', { error })
        socket.destroy()
      })
    },
    accountChanged: keys.accountChanged,
    drawConnects: keyRates.drawElsewhere,
    close() {
      isClosed = true
    },
    refused,
  }
}

/** A name for a key that tells nothing of it; the same at every gateway. */
function nameOfKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
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
