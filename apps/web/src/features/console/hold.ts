/** Why the list stands still by itself. */
export type HoldReason = 'popup' | 'focus' | 'select' | 'scroll' | 'point'

/** Where a {@link Hold} stands. */
export type HoldState = Readonly<{
  isHeld: boolean
  isPaused: boolean
  /** The weightiest of the reasons; absent while paused without one. */
  reason: HoldReason | undefined
}>

/**
 * Decides whether the list stands still. Times are Unix milliseconds and are passed in.
 *
 *     running --a reason begins (pointing: 150 ms later)--> held --400 ms after the last one ends--> running
 *     running, held --pause--> paused --resume--> running
 *
 * `resume` forgets the reasons as well: one that still lasts counts again only when it begins anew.
 */
type Hold = Readonly<{
  begin(reason: HoldReason, now: number): void
  end(reason: HoldReason, now: number): void
  pause(): void
  resume(): void
  at(now: number): HoldState
}>

/** Milliseconds for which a pointer must rest on the list. */
export const REST_MS = 150
/** Milliseconds between the end of the last reason and the next new row. */
export const LINGER_MS = 400

/** Makes a hold that lets the list run. */
export function createHold(): Hold {
  /** Since when each reason counts. */
  const reasons = new Map<HoldReason, number>()
  let isPaused = false
  let isHeld = false
  let last: HoldReason | undefined
  let lingerUntil = 0

  return {
    begin(reason, now) {
      if (!reasons.has(reason)) reasons.set(reason, now + (reason === 'point' ? REST_MS : 0))
    },
    end(reason, now) {
      const since = reasons.get(reason)
      reasons.delete(reason)
      if (since !== undefined && since <= now) lingerUntil = now + LINGER_MS
    },
    pause() {
      isPaused = true
    },
    resume() {
      reasons.clear()
      isPaused = false
      isHeld = false
      last = undefined
      lingerUntil = 0
    },
    at(now) {
      const counting = WEIGHT.find((reason) => (reasons.get(reason) ?? Number.POSITIVE_INFINITY) <= now)
      if (counting) last = counting
      isHeld = isPaused || counting !== undefined || now < lingerUntil
      if (!isHeld) last = undefined
      return { isHeld, isPaused, reason: counting ?? last }
    },
  }
}

/** What is said first when several hold. */
const WEIGHT: readonly HoldReason[] = ['popup', 'select', 'focus', 'scroll', 'point']
