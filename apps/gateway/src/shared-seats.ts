import type { Accounts, RunningGateway } from '@pairwire/accounts'
import { type Bus, NoAnswerError } from '@pairwire/bus'
import { AliveAnswer, ASKS, OfAccount } from '@pairwire/contract'
import { type Clock, type Log, nameOf, oneAtATime, withTimeout } from '@pairwire/process'
import type { GatewayLimits } from './limits.ts'

/** Seats of accounts as all gateways count them together. */
export type SharedSeats = Readonly<{
  /**
   * Takes one of the account's seats. Where all are taken, the gateways that hold them look whether their connections
   * are alive: `freed` when that made room. `unknown` when it cannot be counted: the database is away, or a gateway that
   * holds a seat.
   */
  take(
    connectionId: string,
    accountId: string,
    limit: number,
  ): Promise<'taken' | 'freed' | 'full' | 'unknown'>
  /** The connection is ending: its seat is free. */
  leave(connectionId: string): void
  /** Whether this gateway has said lately that it runs, so that its seats count. */
  isCounted(): boolean
  /** Frees all that is left and says that this gateway is gone. */
  close(): Promise<void>
}>

/** What the seats are counted with. */
export type SharedSeatsParts = Readonly<{
  gateway: RunningGateway
  accounts: Pick<Accounts, 'noteGateway' | 'forgetGateway' | 'takeSeat' | 'listSeats' | 'restoreSeats'>
  bus: Pick<Bus, 'request' | 'answer'>
  clock: Clock
  log: Log
  limits: Pick<
    GatewayLimits,
    | 'seatBeatMs'
    | 'seatAnswerMs'
    | 'seatLeaseMs'
    | 'authorizeTimeoutMs'
    | 'probeMs'
    | 'retryAfterMs'
    | 'closeGraceMs'
  >
  /** Records what was sent to accounts together with the seats that their connections have left. */
  giveBack(accountIds: ReadonlySet<string>, connectionIds: readonly string[]): Promise<void>
  /** Ends the connections of the account that are dead; resolves with how many are open. */
  probe(accountId: string): Promise<number>
  /** There are so many seats in all after a pause: what is too much has to end. */
  counted(accountId: string, seats: number): void
}>

/** Milliseconds beyond the probe itself in which another gateway has to say what it found. */
const ANSWER_MS = 1_000

/** Seats that are given back in one statement, with the counts of their accounts. */
const LEFT_AT_ONCE = 100

const NOBODY: ReadonlySet<string> = new Set()

/** Says from now on that this gateway runs; nobody has a seat before that was said. */
export function openSharedSeats(parts: SharedSeatsParts): SharedSeats {
  const { gateway, accounts, bus, clock, log, limits, probe, counted } = parts
  /** Seats that are taken or being taken here, by connection. */
  const held = new Map<string, { readonly accountId: string; isTaken: boolean }>()
  /** Accounts of seats that were left, by connection. */
  const leaving = new Map<string, string>()
  let countedAt = Number.NEGATIVE_INFINITY
  const alone = oneAtATime()
  let cancelBeat = () => {}
  let cancelRetry: (() => void) | undefined
  /** Said once: a database that is away for a night would fill the log. */
  let isSilent = false
  let isClosed = false

  const isCounted = () => clock.elapsed() - countedAt < limits.seatLeaseMs
  const inTime = <Answer>(asked: Promise<Answer>) => withTimeout(asked, clock, limits.authorizeTimeoutMs)

  /** Says again which seats are taken, and hears of those that were given to others meanwhile. */
  const restore = async () => {
    const taken = [...held].filter(([, { isTaken }]) => isTaken)
    if (taken.length === 0) return
    log.warn('This gateway could not report in time that it is running; its seats are counted again.', {
      connections: taken.length,
    })
    const seats = taken.map(([connectionId, { accountId }]) => ({
      ...{ connectionId, accountId, gatewayId: gateway.id },
    }))
    await freeEmpty(await inTime(accounts.listSeats(gateway.id)))
    const totals = await inTime(accounts.restoreSeats(gateway.id, seats))
    for (const [accountId, total] of totals) counted(accountId, total)
  }

  const say = async () => {
    const at = clock.elapsed()
    const { wasAway } = await withTimeout(accounts.noteGateway(gateway), clock, limits.seatAnswerMs)
    // The answer that said so may have come too late to be heard.
    if (wasAway || !isCounted()) {
      countedAt = Number.NEGATIVE_INFINITY
      await restore()
    }
    countedAt = at
  }

  /** A question that is lost leaves time for another one before the lease ends. */
  const beat = async () => {
    const at = clock.elapsed()
    const isHeard = await say().then(
      () => true,
      (error: unknown) => {
        if (!isSilent)
          log.warn('This gateway cannot report that it is running.', { errorName: nameOf(error) })
        return false
      },
    )
    isSilent = !isHeard
    const restMs = Math.max(0, limits.seatBeatMs - (clock.elapsed() - at))
    if (!isClosed) cancelBeat = clock.after(restMs, () => void beat())
  }

  const sendLeaving = async () => {
    try {
      while (leaving.size > 0) {
        const left = [...leaving].slice(0, LEFT_AT_ONCE)
        const ids = left.map(([id]) => id)
        await parts.giveBack(new Set(left.map(([, accountId]) => accountId)), ids)
        for (const id of ids) leaving.delete(id)
      }
    } catch (error) {
      log.warn('Seats could not be given back; retrying.', { errorName: nameOf(error) })
      cancelRetry ??= clock.after(limits.retryAfterMs, () => {
        cancelRetry = undefined
        void flush()
      })
    }
  }

  /** Gives back what was left up to now. */
  const flush = () => alone(sendLeaving)

  /**
   * Of these seats those on which nobody sits: what timed out may have been done later. They are named one by one, as a
   * seat that is being taken just now must stay.
   */
  const freeEmpty = async (connectionIds: readonly string[]) => {
    await inTime(flush())
    const empty = connectionIds.filter((id) => !held.has(id) && !leaving.has(id))
    if (empty.length > 0) await inTime(parts.giveBack(NOBODY, empty))
  }

  /** Ends what is dead, and gives back every seat on which nobody sits. */
  const look = async (accountId: string): Promise<number> => {
    const open = await probe(accountId)
    await freeEmpty(await inTime(accounts.listSeats(gateway.id, accountId)))
    return open
  }

  /** Whether the gateway said what it holds. */
  const ask = async (gatewayId: string, accountId: string): Promise<boolean> => {
    try {
      if (gatewayId === gateway.id) {
        await look(accountId)
        return true
      }
      const body = { accountId } satisfies OfAccount
      AliveAnswer.parse(await bus.request(ASKS.alive(gatewayId), body, limits.probeMs + ANSWER_MS))
      return true
    } catch (error) {
      if (!(error instanceof NoAnswerError))
        log.warn('A message from another gateway could not be read.', { errorName: nameOf(error) })
      return false
    }
  }

  const stopAnswering = bus.answer(ASKS.alive(gateway.id), async (body) => {
    const { accountId } = OfAccount.parse(body)
    return { open: await look(accountId) }
  })

  const leave = (connectionId: string) => {
    const seat = held.get(connectionId)
    if (!seat) return
    held.delete(connectionId)
    leaving.set(connectionId, seat.accountId)
    void flush()
  }

  void beat()

  return {
    async take(connectionId, accountId, limit) {
      const seat = { connectionId, accountId, gatewayId: gateway.id }
      const own = { accountId, isTaken: false }
      held.set(connectionId, own)
      const tryToTake = async () => {
        const outcome = await inTime(accounts.takeSeat(seat, limit))
        own.isTaken = outcome.outcome === 'taken'
        return outcome
      }
      try {
        const first = await tryToTake()
        if (first.outcome === 'taken') return 'taken'
        if (first.outcome === 'full') {
          const answers = await Promise.all(first.gatewayIds.map((id) => ask(id, accountId)))
          const second = await tryToTake()
          if (second.outcome === 'taken') return 'freed'
          if (second.outcome === 'full' && answers.every(Boolean)) {
            held.delete(connectionId)
            return 'full'
          }
        }
      } catch (error) {
        log.error('A seat could not be counted.', { errorName: nameOf(error) })
      }
      // It may have been taken although nobody said so in time.
      leave(connectionId)
      return 'unknown'
    },
    leave,
    isCounted,
    async close() {
      isClosed = true
      cancelBeat()
      cancelRetry?.()
      stopAnswering()
      await withTimeout(accounts.forgetGateway(gateway.id), clock, limits.closeGraceMs).catch(() => {
        log.warn('This gateway could not report that it is stopping; its seats are freed in a few seconds.')
      })
    },
  }
}
