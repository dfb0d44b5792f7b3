/** Draws from a seeded generator: the same seed gives the same draws on every machine. */
export type Random = ReturnType<typeof createRandom>

/**
 * Generator sfc32 over 128 bits of state.
 *
 * @see https://pracrand.sourceforge.net/RNG_engines.txt
 */
export function createRandom(seed: number, stream = 0) {
  let a = seed | 0
  let b = stream | 0
  let c = Math.floor(stream / 4294967296) | 0
  let counter = 1

  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0
    counter = (counter + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (c << 21) | (c >>> 11)
    c = (c + sum) | 0
    return sum >>> 0
  }
  for (let round = 0; round < 16; round++) next()

  /** Uniform in [0, 1). */
  const unit = () => next() / 4294967296
  /** Normal distribution with mean 0 and deviation 1. */
  const normal = () => Math.sqrt(-2 * Math.log(1 - unit())) * Math.cos(2 * Math.PI * unit())
  return {
    unit,
    /** Whole number from [0, below). */
    integer: (below: number) => Math.floor(unit() * below),
    /** True with this probability. */
    chance: (probability: number) => unit() < probability,
    normal,
    /** Log-normal with this median; `sigma` is the deviation of the logarithm. */
    logNormal: (median: number, sigma: number) => median * Math.exp(sigma * normal()),
    pick: <Item>(items: readonly Item[]): Item => {
      const item = items[Math.floor(unit() * items.length)]
      if (item === undefined) throw new Error('nothing to pick from')
      return item
    },
    bytes: (length: number) => {
      const bytes = new Uint8Array(length)
      for (let at = 0; at < length; at += 4) {
        const word = next()
        for (let byte = 0; byte < 4 && at + byte < length; byte++) bytes[at + byte] = word >>> (byte * 8)
      }
      return bytes
    },
  }
}
