import { useSyncExternalStore } from 'react'

/** The time in whole seconds, as Unix milliseconds; one timer for all who watch it, and none without. */
export function useSecond(): number {
  return useSyncExternalStore(subscribe, read)
}

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
