/** Why the list holds still by itself. */
export type HoldReason = 'popup' | 'focus' | 'select' | 'scroll' | 'point'

/** The state of a hold. */
export type HoldState = Readonly<{
  isHeld: boolean
  isPaused: boolean
  /** The most important reason; absent while paused without one. */
  reason: HoldReason | undefined
}>

/** Milliseconds for which a pointer must rest on the list. */
export const REST_MS = 150
/** Milliseconds between the end of the last reason and the next new row. */
export const LINGER_MS = 400

/**
 * Decides whether the list holds still. Times are Unix milliseconds and are passed in.
 *
 *     running --a reason begins (pointing: 150 ms later)--> held --400 ms after the last one ends--> running
 *     running, held --pause--> paused --resume--> running
 *
 * `resume` drops the reasons too: one that still lasts counts only once it begins again.
 */
export function createHold() {
  /** Since when each reason counts. */
  const reasons = new Map<HoldReason, number>()
  let isPaused = false
  let isHeld = false
  let last: HoldReason | undefined
  let lingerUntil = 0

  return {
    begin(reason: HoldReason, now: number): void {
      if (!reasons.has(reason)) reasons.set(reason, now + (reason === 'point' ? REST_MS : 0))
    },
    end(reason: HoldReason, now: number): void {
      const since = reasons.get(reason)
      reasons.delete(reason)
      if (since !== undefined && since <= now) lingerUntil = now + LINGER_MS
    },
    pause(): void {
      isPaused = true
    },
    resume(): void {
      reasons.clear()
      isPaused = false
      isHeld = false
      last = undefined
      lingerUntil = 0
    },
    at(now: number): HoldState {
      const counting = WEIGHT.find((reason) => (reasons.get(reason) ?? Number.POSITIVE_INFINITY) <= now)
      if (counting) last = counting
      isHeld = isPaused || counting !== undefined || now < lingerUntil
      if (!isHeld) last = undefined
      return { isHeld, isPaused, reason: counting ?? last }
    },
  }
}

/** The reasons by importance. */
const WEIGHT: readonly HoldReason[] = ['popup', 'select', 'focus', 'scroll', 'point']
