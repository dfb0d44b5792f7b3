import { type Bus, CursorTooOldError } from '@pairwire/bus'
import type { Clock, Log } from '@pairwire/process'
import type { Hub } from './hub.ts'
import type { GatewayLimits } from './limits.ts'
import { createRecentCount } from './rate.ts'
import { createRemembered } from './remembered.ts'
import { Replay, type ReplayCalls, type ReplayClient, type ReplayContext } from './replay.ts'
import { createReplayPages } from './replay-pages.ts'
import { StreamAwayError, StreamFault } from './stream-fault.ts'
import { createTurns } from './turns.ts'

/** How clients come back to where they were. */
export type Resuming = Readonly<{
  /** Notes one more connection of the account that resumes. @throws StreamFault when there were too many */
  assertMayResume(accountId: string): void
  /** Notes connections of the account that resumed at another gateway. */
  drawResumes(accountId: string, amount: number): void
  /**
   * Waits until the stream has come to the cursor, and what follows it can be read. @throws StreamFault when it is too old,
   * or too far ahead; StreamAwayError when the stream cannot be read for as long
   */
  find(cursor: string): Promise<void>
  /** Begins a replay that joins a hub. */
  begin(client: ReplayClient, hub: Hub, calls: ReplayCalls): Replay
}>

const MINUTE_MS = 60_000

/** Makes what all who resume share. */
export function createResuming({
  bus,
  clock,
  limits,
  log,
  onResume,
}: Readonly<{
  bus: Pick<Bus, 'replay' | 'oldestCursor' | 'newestCursor'>
  clock: Clock
  limits: GatewayLimits
  log: Log
  /** Hears of each connection that may resume. */
  onResume(accountId: string): void
}>): Resuming {
  const pages = createReplayPages(bus, clock, limits.replayedEventsKept)
  const turns = createTurns(limits.replayTurnBytes, (begin) => begin())
  const context: Omit<ReplayContext, 'hub'> = { pages, turns, clock, limits, log }
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
    try {
      await pages.after(cursor)
    } catch (error) {
      if (!(error instanceof CursorTooOldError)) throw error
      const { oldest = null } = error
      const held = oldest === null ? 'None are kept.' : `The oldest cursor that is kept is ${oldest}.`
      const message = `The events after this cursor are no longer kept. ${held} Resume from there, or leave resume_from out.`
      throw new StreamFault('CURSOR_TOO_OLD', message, { oldest })
    }
  }

  const ahead = async (): Promise<StreamFault> => {
    const oldest = (await bus.oldestCursor()) ?? null
    const seconds = limits.aheadMs / 1000
    const message = `The stream did not reach this cursor within ${seconds} s. Resume from a cursor of this deployment, or leave resume_from out.`
    return new StreamFault('CURSOR_AHEAD', message, { oldest })
  }

  return {
    assertMayResume(accountId) {
      if (recentOf(accountId).note()) {
        onResume(accountId)
        return
      }
      throw new StreamFault(
        'TOO_MANY_REQUESTS',
        `More than ${limits.resumesPerMinute} connections of this key have resumed within a minute. Wait a moment, or leave resume_from out.`,
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

    begin: (client, hub, calls) => new Replay(client, { ...context, hub }, calls),
  }
}
