import type { Bus, InTurn } from '@pairwire/bus'
import { STREAM_SENTENCES, StreamFault } from '@pairwire/contract'
import type { Clock, Log } from '@pairwire/process'
import type { Hub } from './hub.ts'
import type { GatewayLimits } from './limits.ts'
import { createRate, createRecentCount } from './rate.ts'
import { createRemembered } from './remembered.ts'
import { Replay, type ReplayCalls, type ReplayClient, type ReplayShare } from './replay.ts'
import { createReplayPages } from './replay-pages.ts'
import { StreamAwayError } from './stream-fault.ts'
import { createTurns } from './turns.ts'

/** How clients come back to where they were. */
export type Resuming = Readonly<{
  /** Notes that the account resumes once more. @throws StreamFault when it did so too often */
  assertMayResume(accountId: string): void
  /** Notes how often the account resumed at another gateway. */
  drawResumes(accountId: string, amount: number): void
  /**
   * Waits until the stream has come to the cursor, and what follows it can be read. @throws StreamFault when it is too old,
   * or too far ahead; StreamAwayError when the stream cannot be read for as long
   */
  find(cursor: string): Promise<void>
  /** Begins a replay of a client of the account, which joins a hub. */
  begin(accountId: string, client: ReplayClient, hub: Hub, calls: ReplayCalls): Replay
}>

const MINUTE_MS = 60_000

/** The turns tell amounts apart up to here. */
const MOST_SPENT = 2 ** 31

/** Makes what all who resume share. */
export function createResuming({
  bus,
  clock,
  limits,
  log,
  onResume,
}: Readonly<{
  bus: Pick<Bus, 'replay' | 'holds' | 'oldestCursor' | 'newestCursor'>
  clock: Clock
  limits: GatewayLimits
  log: Log
  /** Hears of each time that an account may resume. */
  onResume(accountId: string): void
}>): Resuming {
  const pages = createReplayPages(bus, clock, limits)
  const turns = createTurns(limits.replayTurnBytes, (begin) => begin())
  const shareOf = createRemembered((accountId): ReplayShare => {
    const spending = createRate(clock, limits.replayForgivenPerSecond, MOST_SPENT)
    const spend = (cost: number) => {
      spending.draw(cost)
      turns.spend(cost)
    }
    const turn: ReplayShare['turn'] = (work) =>
      new Promise((resolve, reject) => {
        turns.wait(Math.min(1 + spending.spent(), MOST_SPENT), () => {
          try {
            resolve(work())
          } catch (error) {
            reject(error)
          }
        })
      })
    return {
      turn,
      spend,
      usePage(cursor, isAskedAgain, use) {
        let isInTurn = false
        const inTurn: InTurn = (bytes, work) => {
          isInTurn = true
          return turn(() => {
            spend(bytes)
            return work()
          })
        }
        return pages.after(cursor, isAskedAgain, accountId, inTurn, (page) => use(page, isInTurn))
      },
    }
  }, limits.rememberedRates)
  const recentOf = createRemembered(
    () => createRecentCount(clock, limits.resumesPerMinute, MINUTE_MS),
    limits.rememberedRates,
  )

  /** Whether what follows the cursor can be had at once. */
  const isHere = async (cursor: string): Promise<boolean> => {
    if (await isAhead(cursor)) return false
    await assertHeld(cursor)
    return true
  }

  const isAhead = async (cursor: string): Promise<boolean> => {
    const newest = await bus.newestCursor()
    return newest === undefined || cursor > newest
  }

  const assertHeld = async (cursor: string): Promise<void> => {
    if (await bus.holds(cursor)) return
    const oldest = (await bus.oldestCursor()) ?? null
    throw new StreamFault('CURSOR_TOO_OLD', STREAM_SENTENCES.CURSOR_TOO_OLD(oldest), { oldest })
  }

  const ahead = async (): Promise<StreamFault> => {
    const oldest = (await bus.oldestCursor()) ?? null
    return new StreamFault('CURSOR_AHEAD', STREAM_SENTENCES.CURSOR_AHEAD(), { oldest })
  }

  return {
    assertMayResume(accountId) {
      if (recentOf(accountId).note()) {
        onResume(accountId)
        return
      }
      throw new StreamFault(
        'TOO_MANY_REQUESTS',
        `This account has resumed more than ${limits.resumesPerMinute} times within a minute. Wait a moment, or leave resume_from out.`,
      )
    },

    drawResumes: (accountId, amount) => recentOf(accountId).drawElsewhere(amount),

    async find(cursor) {
      const until = clock.elapsed() + limits.aheadMs
      for (;;) {
        try {
          if (await isHere(cursor)) return
          if (clock.elapsed() >= until) throw await ahead()
        } catch (error) {
          if (error instanceof StreamFault) throw error
          if (clock.elapsed() >= until) throw new StreamAwayError(error)
        }
        await new Promise<void>((resolve) => clock.after(limits.aheadCheckMs, resolve))
      }
    },

    begin: (accountId, client, hub, calls) =>
      new Replay(client, { share: shareOf(accountId), hub, clock, limits, log }, calls),
  }
}
