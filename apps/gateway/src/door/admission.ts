import { createHash, randomUUID } from 'node:crypto'
import type { Accounts, KeyAuthorization } from '@pairwire/accounts'
import type { Clock, Log } from '@pairwire/basics'
import { isApiKey, planById } from '@pairwire/contract'
import { StreamFault } from '@pairwire/filter'
import type { GatewayLimits } from '../limits.ts'
import { createRates, type Rates } from '../rates/rate.ts'
import type { SharedSpending } from '../rates/shared-spending.ts'
import { type Allowed, isOver, type Seat, type Successor } from '../seats/seat.ts'
import type { Seats } from '../seats/seats.ts'
import type { SharedSeats } from '../seats/shared-seats.ts'
import { addressRange } from './address-range.ts'
import { createKeyCheck, type KeyCheck } from './key-check.ts'
import { nameOfRefusal, REFUSALS, type Refusal } from './refusal.ts'

/** What admission needs. */
export type AdmissionParts = Readonly<{
  accounts: Pick<Accounts, 'authorizeKey'>
  seats: Seats
  clock: Clock
  limits: GatewayLimits
  log: Log
  /** Seats as all gateways count them; undefined for a single gateway. */
  shared: Pick<SharedSeats, 'take' | 'leave'> | undefined
  /** Called for each attempt with a known key that its rate allows. */
  spending: Pick<SharedSpending, 'note'>
  /** Called when a client with an account's key is refused. */
  onRefused(accountId: string, refusal: string): void
}>

/** A client that wants a connection. */
type Visitor = Readonly<{
  key: string | undefined
  /** What it continues, if it says so: an open connection that sent it this has to give way. */
  successor?: Successor
  /** Whether it has gone in the meantime. */
  isGone(): boolean
  /** Called once its account is known to have a plan; may throw. */
  prepare?(answer: Allowed): Promise<void>
  /** Called in the turn in which its seat was found: a connection has to join that at once. @returns whether one did */
  join(id: string, seat: Seat): boolean
}>

/** Decides who may have a connection: by address, key, plan and seats. */
export class Admission {
  readonly #parts: AdmissionParts
  readonly #keys: KeyCheck
  readonly #keyRates: Rates
  readonly #addressRates: Rates
  #isClosed = false

  constructor(parts: AdmissionParts) {
    const { clock, limits } = parts
    const { connectsPerSecondPerKey, connectsBurstPerKey, connectsPerSecondPerAddress: perAddress } = limits
    this.#parts = parts
    this.#keys = createKeyCheck(parts)
    this.#keyRates = createRates(clock, connectsPerSecondPerKey, connectsBurstPerKey, limits.rememberedRates)
    this.#addressRates = createRates(clock, perAddress, perAddress, limits.rememberedRates)
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

  /** Returns why nothing of this client is read, if so. Counts it as an attempt of its address. */
  refusalOf(address: string): Refusal | undefined {
    if (this.#isClosed) return REFUSALS.restarting
    return this.#addressRates.take(addressRange(address)) ? undefined : REFUSALS.tooFast
  }

  /** Gives the client a seat, or returns why it has none. Rejects with what `prepare` or `join` throws. */
  async admit(visitor: Visitor): Promise<Refusal | undefined> {
    const { shared, seats, onRefused } = this.#parts
    const { key, isGone, prepare, join } = visitor
    const refusal = this.#refusalOfKey(key)
    if (refusal || key === undefined) return refusal ?? REFUSALS.keyMissing

    const id = randomUUID()
    const check = this.#keys.open(key)
    let hasJoined = false
    let answer: KeyAuthorization | Refusal | undefined
    const refuse = (why: Refusal) => {
      if (answer && 'accountId' in answer) onRefused(answer.accountId, nameOfRefusal(why))
      return why
    }
    try {
      answer = await check.ask()
      if (!this.#takeConnect(key, answer)) return refuse(REFUSALS.tooFast)
      if ('connectionLimit' in answer) await prepare?.(answer)
      const place = await this.#placeFor(id, answer, visitor.successor)
      if (place === 'looked' || !check.holds()) answer = await check.ask()
      if (isGone()) return undefined

      // Nothing is awaited between checking the limit and seating the connection.
      const seat = typeof place === 'object' ? place : this.#seatFor(answer)
      if ('status' in seat) return refuse(seat)
      try {
        hasJoined = join(id, seat)
      } finally {
        seats.leave(seat) // unless a connection joined it
      }
      return undefined
    } catch (error) {
      if (error instanceof StreamFault && answer && 'accountId' in answer)
        onRefused(answer.accountId, error.errorType)
      throw error
    } finally {
      check.end()
      if (!hasJoined) shared?.leave(id)
    }
  }

  /** Returns why a key is not even looked up. */
  #refusalOfKey(key: string | undefined): Refusal | undefined {
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
  async #placeFor(
    id: string,
    answer: KeyAuthorization | Refusal,
    successor: Successor | undefined,
  ): Promise<'free' | 'looked' | Refusal> {
    const { shared } = this.#parts
    if (!('connectionLimit' in answer)) return 'free'
    if (!shared) {
      const full = this.#fullSeat(answer)
      await full?.probe(successor)
      return full ? 'looked' : 'free'
    }
    const outcome = await shared.take(id, answer.accountId, answer.connectionLimit, successor)
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
