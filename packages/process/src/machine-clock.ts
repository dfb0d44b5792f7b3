/** The machine's clock, for what looks at something now and then. */
export const machineClock = {
  /** Unix milliseconds. */
  now: () => Date.now(),
  /** Calls back once, in so many milliseconds, unless it is called off. */
  after(milliseconds: number, action: () => void): () => void {
    const timer = setTimeout(action, milliseconds)
    return () => clearTimeout(timer)
  },
}
