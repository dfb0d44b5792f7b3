import { useSyncExternalStore } from 'react'

/** One value outside React that components can watch. */
export type Store<Value> = Readonly<{
  read: () => Value
  write: (value: Value) => void
  /** Calls back after each change. @returns what ends it. */
  subscribe: (onChange: () => void) => () => void
}>

/** A store that begins with `initial`; writing the same value again tells nobody. */
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

/** The store's value, drawn again whenever it changes. */
export function useStore<Value>(store: Store<Value>): Value {
  return useSyncExternalStore(store.subscribe, store.read)
}
