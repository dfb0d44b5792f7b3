/** Adds a listener. @returns the function that removes it */
export function register<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** Calls every listener with `value`. @throws the first listener's error, after all were called */
export function callAll<Value>(listeners: ReadonlySet<(value: Value) => void>, value: Value): void {
  const errors: unknown[] = []
  for (const listener of [...listeners]) {
    try {
      listener(value)
    } catch (error) {
      errors.push(error)
    }
  }
  if (errors.length > 0) throw errors[0]
}
