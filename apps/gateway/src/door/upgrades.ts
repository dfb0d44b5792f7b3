import { createHash, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Accounts, KeyAuthorization } from '@pairwire/accounts'
import type { Clock, Log } from '@pairwire/basics'
import { isApiKey, planById } from '@pairwire/contract'
import { type ServerOptions, WebSocketServer } from 'ws'
import type { Intake } from '../intake/intake.ts'
import type { GatewayLimits } from '../limits.ts'
import { ClientSocket } from '../protocol/client-socket.ts'
import { createRates, type Rates } from '../rates/rate.ts'
import type { SharedSpending } from '../rates/shared-spending.ts'
import { type Allowed, isOver, type Seat } from '../seats/seat.ts'
import type { Seats } from '../seats/seats.ts'
import type { SharedSeats } from '../seats/shared-seats.ts'
import { addressRange } from './address-range.ts'
import { giveBack } from './give-back.ts'
import { createKeyCheck, type KeyCheck } from './key-check.ts'
import { nameOfRefusal, REFUSALS, type Refusal, wrongPath } from './refusal.ts'
import { createRefusedSockets, type RefusedSockets, type Upgrade } from './refused-sockets.ts'
import { asksForWebsocket, handshakeFault, readUpgradeRequest } from './upgrade-request.ts'

/** An admitted client. Give it a connection at once. */
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
  supportEmail: string
  /** Seats as all gateways count them; undefined for a single gateway. */
  shared: Pick<SharedSeats, 'take' | 'leave'> | undefined
  /** Called for each attempt with a known key that its rate allows. */
  spending: Pick<SharedSpending, 'note'>
  clientAddress(request: IncomingMessage): string
  onNewcomer(newcomer: Newcomer): void
  /** Called when an upgrade with an account's key is refused. */
  onRefused(accountId: string, refusal: string): void
}>

/** The door: decides who may connect, and answers the others. */
export class Upgrades {
  /** Refused clients, until their sockets close. */
  readonly refused: RefusedSockets
  readonly #parts: UpgradeParts
  readonly #server: ReturnType<typeof createWebSocketServer>
  readonly #keys: KeyCheck
  readonly #keyRates: Rates
  readonly #addressRates: Rates
  #isClosed = false

  /** Opens the door. */
  constructor(parts: UpgradeParts) {
    const { clock, limits } = parts
    const { connectsPerSecondPerKey, connectsBurstPerKey, connectsPerSecondPerAddress: perAddress } = limits
    this.#parts = parts
    this.#server = createWebSocketServer(limits)
    this.#keys = createKeyCheck(parts)
    this.refused = createRefusedSockets({ ...parts, server: this.#server })
    this.#keyRates = createRates(clock, connectsPerSecondPerKey, connectsBurstPerKey, limits.rememberedRates)
    this.#addressRates = createRates(clock, perAddress, perAddress, limits.rememberedRates)
  }

  /** Handles an `upgrade` event of an HTTP server. Never throws or rejects. */
  handle(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    // First of all: without a listener, a reset connection would end the process.
    socket.on('error', () => socket.destroy())
    if (!asksForWebsocket(request)) {
      if (!giveBack(request, socket, head)) socket.destroy()
      return
    }
    // `ws` accepts only the bare name, not a list.
    request.headers.upgrade = 'websocket'
    this.#accept({ request, socket, head }).catch((error: unknown) => {
      this.#parts.log.error('An upgrade failed inside the gateway.', { error })
      socket.destroy()
    })
  }

  /** The account has changed: earlier answers about its keys are void. */
  accountChanged(accountId: string): void {
    this.#keys.accountChanged(accountId)
  }

  /** Counts connects at another gateway against the key's rate. */
  drawConnects(keyName: string, amount: number): void {
    this.#keyRates.drawElsewhere(keyName, amount)
  }

  /** Refuses every client from now on. */
  close(): void {
    this.#isClosed = true
  }

  async #accept(upgrade: Upgrade): Promise<void> {
    const { shared, seats, clientAddress, onNewcomer, onRefused } = this.#parts
    const { request, socket, head } = upgrade
    const address = clientAddress(request)
    const { path, key, client, isToldByClose } = readUpgradeRequest(request)
    let answer: KeyAuthorization | Refusal | undefined
    const refuse = (refusal: Refusal) => {
      if (answer && 'accountId' in answer) onRefused(answer.accountId, nameOfRefusal(refusal))
      this.refused.refuse(upgrade, refusal, isToldByClose)
    }
    const refusal = this.#refusalOf(request, path, key, address)
    if (refusal || key === undefined) return refuse(refusal ?? REFUSALS.keyMissing)

    const id = randomUUID()
    const check = this.#keys.open(key)
    let hasJoined = false
    try {
      answer = await check.ask()
      if (!this.#takeConnect(key, answer)) return refuse(REFUSALS.tooFast)
      const place = await this.#placeFor(id, answer)
      if (place === 'looked' || !check.holds()) answer = await check.ask()
      if (socket.destroyed) return

      // Nothing is awaited between checking the limit and seating the connection.
      const seat = typeof place === 'object' ? place : this.#seatFor(answer)
      if ('status' in seat) return refuse(seat)
      this.#server.handleUpgrade(request, socket, head, (ws) => {
        hasJoined = true
        onNewcomer({ id, ws, socket, seat, address, client })
      })
      seats.leave(seat) // unless a connection joined it: the handshake may have failed
    } finally {
      check.end()
      if (!hasJoined) shared?.leave(id)
    }
  }

  /** Returns why a key is not even looked up. */
  #refusalOf(
    request: IncomingMessage,
    path: string | undefined,
    key: string | undefined,
    address: string,
  ): Refusal | undefined {
    if (this.#isClosed) return REFUSALS.restarting
    if (!this.#addressRates.take(addressRange(address))) return REFUSALS.tooFast
    if (path !== '/') return wrongPath(this.#parts.docsUrl)
    const fault = handshakeFault(request)
    if (fault) return REFUSALS[fault]
    if (key === undefined) return undefined
    if (!isApiKey(key)) return REFUSALS.keyUnknown
    if (!this.#keyRates.has(nameOfKey(key))) return REFUSALS.tooFast
    return this.#keys.isFull() ? REFUSALS.unavailable : undefined
  }

  /** Unknown keys are counted by address only: made-up ones would push known keys out of memory. */
  #takeConnect(key: string, answer: KeyAuthorization | Refusal): boolean {
    if ('status' in answer || answer.outcome === 'unknown_key') return true
    const keyName = nameOfKey(key)
    if (!this.#keyRates.take(keyName)) return false
    this.#parts.spending.note(keyName, { connects: 1 })
    return true
  }

  /**
   * Secures a place for one more connection; `looked` if that took time, after which key and plan must be checked
   * again.
   */
  async #placeFor(id: string, answer: KeyAuthorization | Refusal): Promise<'free' | 'looked' | Refusal> {
    const { shared } = this.#parts
    if (!('connectionLimit' in answer)) return 'free'
    if (!shared) {
      const full = this.#fullSeat(answer)
      await full?.probe()
      return full ? 'looked' : 'free'
    }
    const outcome = await shared.take(id, answer.accountId, answer.connectionLimit)
    if (outcome === 'unknown') return REFUSALS.uncounted
    if (outcome === 'full') return REFUSALS.connectionLimit
    // Counts of the previous connection may have been recorded since the key was looked up.
    const isCapped = planById(answer.planId)?.swapEventsPerPeriod !== null
    return outcome === 'taken' && !isCapped ? 'free' : 'looked'
  }

  /** Returns the seat for one more connection, or why there is none. Use it in the same turn. */
  #seatFor(answer: KeyAuthorization | Refusal): Seat | Refusal {
    const { seats, clock } = this.#parts
    if (this.#isClosed) return REFUSALS.restarting
    if ('status' in answer) return answer
    if (answer.outcome === 'unknown_key') return REFUSALS.keyUnknown
    if (answer.outcome === 'suspended') return REFUSALS.accountSuspended
    if (answer.outcome === 'no_plan' || isOver(answer, clock)) return REFUSALS.noPlan
    return this.#fullSeat(answer) ? REFUSALS.connectionLimit : seats.admit(answer)
  }

  /** Returns the account's seat if it is full; closing sockets do not count. */
  #fullSeat({ accountId, connectionLimit }: Allowed): Seat | undefined {
    const seat = this.#parts.seats.find(accountId)
    if (!seat || seat.connections.size < connectionLimit) return undefined
    return seat.openConnections.length >= connectionLimit ? seat : undefined
  }
}

/** Returns a name for a key that does not reveal it; the same at every gateway. */
function nameOfKey(key: string): string {
  return createHash('sha256').update(key).digest('base64url')
}

function createWebSocketServer(limits: GatewayLimits) {
  // Two options are missing from the library's types.
  const options: ServerOptions<typeof ClientSocket> & { closeTimeout: number; maxFragments: number } = {
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    autoPong: false,
    maxPayload: limits.frameMaxBytes,
    maxFragments: limits.frameMaxFragments,
    // Applies to neither: connections limit their own closing, and refused sockets are watched.
    closeTimeout: limits.drainMs,
    WebSocket: ClientSocket,
  }
  const server = new WebSocketServer(options)
  server.on('headers', (headers) => headers.push('Referrer-Policy: no-referrer'))
  return server
}
