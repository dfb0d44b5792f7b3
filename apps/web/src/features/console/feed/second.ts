import { useSyncExternalStore } from 'react'

/**
 * Returns the time in whole seconds, as Unix milliseconds; all watchers share one timer, and there is none without
 * them. Components out of sight do not watch it.
 */
export function useSecond(isOut = false): number {
  return useSyncExternalStore(isOut ? watchNothing : subscribe, read)
}

const watchNothing = () => () => {}

const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let second = Date.now()

function read(): number {
  return second
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(tick, 1_000)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

function tick() {
  second = Date.now()
  for (const listener of listeners) listener()
}
