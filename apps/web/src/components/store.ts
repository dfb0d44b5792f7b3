import { useSyncExternalStore } from 'react'

/** One value outside React that components can watch. */
export type Store<Value> = Readonly<{
  read: () => Value
  write: (value: Value) => void
  /** Calls back after each change. @returns the function that removes the listener. */
  subscribe: (onChange: () => void) => () => void
}>

/** Creates a store with `initial`; writing an equal value notifies no listener. */
export function createStore<Value>(initial: Value): Store<Value> {
  const listeners = new Set<() => void>()
  let current = initial
  return {
    read: () => current,
    write: (value) => {
      if (Object.is(value, current)) return
      current = value
      for (const listener of [...listeners]) listener()
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Returns the store's value, and redraws whenever it changes. */
export function useStore<Value>(store: Store<Value>): Value {
  return useSyncExternalStore(store.subscribe, store.read)
}
