import { existsSync } from 'node:fs'
import type { Clock, Log } from '@pairwire/basics'
import { namesLiveChain } from './live-addresses.ts'
import { openLiveSource } from './open-live-source.ts'
import { createReplay } from './replay.ts'
import { createSimulator, MAX_SWAPS_PER_SECOND } from './simulator.ts'
import type { Source } from './source.ts'

/** What {@link openSource} needs besides the setting. */
export type SourceOptions = Readonly<{
  clock: Clock
  /** Returns the next run number; the caller stores it, so that no number repeats in a deployment. */
  nextRun(): Promise<number>
  /** Whether a replay starts over at its end if its setting does not say. */
  loopByDefault: boolean
  /** Logs values in a recording that are no transactions, and the state of a live chain's endpoints. */
  log?: Log
  /** Folder where a live chain stores its published position; a live chain cannot be opened without it. */
  dataFolder?: string
  /** Tokens of the live chain's sources, in order. */
  tokens?: readonly string[]
  /** The RPC that fills a live chain's holes. */
  rpcUrl?: string | undefined
  /** Base address of the simulator's token pages; without it they lead nowhere. */
  tokenPages?: string | undefined
}>

/** Default number of swaps a second in the simulator. */
const DEFAULT_SWAPS = 50
/** Default and greatest number of hours that are made up before its first start. */
const DEFAULT_HISTORY = 1
const MAX_HISTORY = 720
/** The fastest replay; faster ones would need shorter pauses than a timer supports. */
const MAX_SPEED = 1_000

/**
 * Opens the source that `SOLANA_SOURCE` names: `simulator[?swaps=N&seed=S&history=H]`, `replay:<file or
 * folder>[?speed=N&loop=yes|no]`, or the live chain as for {@link openLiveSource}.
 *
 * @throws Error with a sentence for people when it names no known source
 */
export function openSource(setting: string, options: SourceOptions): Source {
  const { clock, log, dataFolder, tokens = [], rpcUrl } = options
  if (namesLiveChain(setting) && log && dataFolder !== undefined) {
    return openLiveSource(setting, { clock, log, dataFolder, tokens, rpcUrl })
  }

  const [name, query] = splitQuery(setting.trim())
  if (name === 'simulator') return openSimulator(query, options)
  if (name.startsWith('replay:')) return openReplay(name.slice('replay:'.length), query, options)

  // Only the scheme is repeated: the rest may contain a token.
  const scheme = /^[a-z][a-z0-9+.-]{0,30}(?=:)/i.exec(name)?.[0]
  throw refuse(
    `${scheme ? `names a source "${scheme}:" that` : 'names a source that'} the present version does not have; ` +
      'it has "simulator", "replay:<file or folder>", "yellowstone+https://<host>", "rpc+https://<host>" and "logs+wss://<host>".',
  )
}

/** Reads the hours of history from a simulator's setting. @throws Error with a sentence for people */
export function historyOf(setting: string): number {
  return readHistory(readQuery(splitQuery(setting.trim())[1], SIMULATOR_WORDS))
}

const SIMULATOR_WORDS = ['swaps', 'seed', 'history']

function readHistory(values: URLSearchParams): number {
  const hours = readNumber(values, 'history') ?? DEFAULT_HISTORY
  if (Number.isInteger(hours) && hours >= 0 && hours <= MAX_HISTORY) return hours
  throw refuse(
    `asks the simulator for history=${values.get('history')}; it is a whole number of hours from 0 to ${MAX_HISTORY}.`,
  )
}

function openSimulator(query: string, { clock, nextRun, tokenPages }: SourceOptions): Source {
  const values = readQuery(query, SIMULATOR_WORDS)
  readHistory(values)
  const swapsPerSecond = readNumber(values, 'swaps') ?? DEFAULT_SWAPS
  if (!(swapsPerSecond > 0 && swapsPerSecond <= MAX_SWAPS_PER_SECOND)) {
    throw refuse(
      `asks the simulator for swaps=${values.get('swaps')}; ` +
        `it is a number of swaps a second above 0 and up to ${MAX_SWAPS_PER_SECOND}.`,
    )
  }
  const seed = readNumber(values, 'seed') ?? 1
  if (!Number.isSafeInteger(seed)) {
    throw refuse(
      `asks the simulator for seed=${values.get('seed')}; a seed is a whole number of at most 15 digits.`,
    )
  }
  return createSimulator({ seed, swapsPerSecond, clock, nextRun, tokenPages })
}

function openReplay(path: string, query: string, options: SourceOptions): Source {
  const { clock, nextRun, loopByDefault, log } = options
  const values = readQuery(query, ['speed', 'loop'])
  if (path === '') throw refuse('says "replay:" without the file or folder to replay.')
  if (!existsSync(path)) throw refuse(`says to replay "${path}", but there is no such file or folder.`)

  const speed = readNumber(values, 'speed') ?? 1
  if (!(speed > 0 && speed <= MAX_SPEED)) {
    throw refuse(`asks for speed=${values.get('speed')}; a speed is a number above 0 and up to ${MAX_SPEED}.`)
  }
  const isLooping = readChoice(values, 'loop') ?? loopByDefault
  return createReplay({ path, speed, isLooping, clock, nextRun, ...(log ? { log } : {}) })
}

function refuse(sentence: string): Error {
  return new Error(`SOLANA_SOURCE ${sentence}`)
}

/** A path may contain a question mark, a query none. */
function splitQuery(setting: string): [name: string, query: string] {
  const at = setting.lastIndexOf('?')
  return at < 0 ? [setting, ''] : [setting.slice(0, at), setting.slice(at + 1)]
}

function readQuery(query: string, known: readonly string[]): URLSearchParams {
  const values = new URLSearchParams(query)
  const seen = new Set<string>()
  for (const name of values.keys()) {
    if (!known.includes(name)) {
      throw refuse(`sets "${name}", which the present version does not have; it has ${known.join(' and ')}.`)
    }
    if (seen.has(name)) throw refuse(`sets "${name}" twice.`)
    seen.add(name)
  }
  return values
}

/** NaN for a text that is no plain number; undefined when it is not set. */
function readNumber(values: URLSearchParams, name: string): number | undefined {
  const text = values.get(name)
  if (text === null) return undefined
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN
}

function readChoice(values: URLSearchParams, name: string): boolean | undefined {
  const text = values.get(name)?.toLowerCase()
  if (text === undefined) return undefined
  if (['true', '1', 'yes', 'on'].includes(text)) return true
  if (['false', '0', 'no', 'off'].includes(text)) return false
  throw refuse(`sets ${name}=${text}; it is true or false.`)
}
