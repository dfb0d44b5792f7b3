import type { Clock } from '../clock.ts'
import { createSimulator } from './simulator.ts'
import type { Source } from './source.ts'

/** What {@link openSource} needs beside the setting. */
export type SourceOptions = Readonly<{
  clock: Clock
  /** The next number of a run; the caller keeps it, so that no number comes twice in a deployment. */
  nextRun(): Promise<number>
  /** Whether a replay begins again at its end when its setting does not say. */
  loopByDefault: boolean
}>

/** Swaps a second of the simulator when its setting does not say, and the most that it makes. */
const DEFAULT_SWAPS = 50
const MAX_SWAPS = 2_000

/**
 * The source that the text of `SOLANA_SOURCE` names.
 *
 * @throws Error with a sentence for people when it names none that there is.
 */
export function openSource(setting: string, options: SourceOptions): Source {
  const { clock, nextRun } = options
  const [name, query = ''] = splitOnce(setting, '?')
  if (name === 'simulator') {
    const values = readQuery(query, setting, ['swaps', 'seed'])
    const swapsPerSecond = readNumber(values, 'swaps', DEFAULT_SWAPS)
    if (!(swapsPerSecond > 0 && swapsPerSecond <= MAX_SWAPS)) {
      throw new Error(
        `SOLANA_SOURCE=${setting}: the simulator makes up to ${MAX_SWAPS} swaps a second, above 0.`,
      )
    }
    const seed = readNumber(values, 'seed', 1)
    if (!Number.isInteger(seed)) throw new Error(`SOLANA_SOURCE=${setting}: seed must be a whole number.`)
    return createSimulator({ seed, swapsPerSecond, clock, nextRun })
  }
  throw new Error(`SOLANA_SOURCE=${setting}: unknown`)
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator)
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)]
}

function readQuery(query: string, setting: string, known: readonly string[]): URLSearchParams {
  const values = new URLSearchParams(query)
  for (const name of values.keys()) {
    if (!known.includes(name)) {
      throw new Error(`SOLANA_SOURCE=${setting}: "${name}" is not known here, only ${known.join(' and ')}.`)
    }
  }
  return values
}

function readNumber(values: URLSearchParams, name: string, otherwise: number): number {
  const text = values.get(name)
  return text === null ? otherwise : text.trim() === '' ? Number.NaN : Number(text)
}
