import { existsSync, readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Log, readObject } from '@pairwire/basics'
import { isSlot, readBlockTime } from './chain-numbers.ts'

/** The newest place up to which the chain was published, or given up. */
export type Place = Readonly<{
  slot: number
  /** Empty where it is not known, as after a gap. */
  blockhash: string
  /** Unix seconds; null where the chain has none. */
  blockTime: number | null
  /** Milliseconds of a slot as measured; null before it was known. */
  slotMs: number | null
  /** When it was published, Unix milliseconds. */
  at: number
}>

/** Where the chain stood, across restarts. */
export type Checkpoint = Readonly<{
  /** Undefined where nothing was kept. */
  load(): Place | undefined
  /** Keeps a place soon; of several in a row only the last. */
  save(place: Place): void
  /** Resolves once the last place given is on disk. */
  settled(): Promise<void>
}>

/** Keeps the place in `chain.json` of the data folder, which must be there by the first save. */
export function createCheckpoint(dataFolder: string, log: Log): Checkpoint {
  const file = join(dataFolder, 'chain.json')
  let next: Place | undefined
  let writing: Promise<void> | undefined
  let hasFailed = false

  const write = async (): Promise<void> => {
    while (next) {
      const place = next
      next = undefined
      try {
        // Beside it, then over it: a crash in between leaves the old place, never half a file.
        await writeFile(`${file}.new`, JSON.stringify(place))
        await rename(`${file}.new`, file)
        hasFailed = false
      } catch (error) {
        if (!hasFailed) log.error('The last published slot cannot be stored.', { error: String(error) })
        hasFailed = true
      }
    }
    writing = undefined
  }

  return {
    load() {
      if (!existsSync(file)) return undefined
      const place = readPlace(readFileSync(file, 'utf8'))
      if (!place)
        log.warn('The last published slot cannot be read; the stream continues where the source is.')
      return place
    },
    save(place) {
      next = place
      writing ??= write()
    },
    settled: async () => {
      await writing
    },
  }
}

function readPlace(text: string): Place | undefined {
  const { slot, blockhash, blockTime, slotMs, at } = readObject(text) ?? {}
  if (!isSlot(slot) || typeof blockhash !== 'string' || typeof at !== 'number') return undefined
  const pace = typeof slotMs === 'number' && slotMs > 0 ? slotMs : null
  return { slot, blockhash, blockTime: readBlockTime(blockTime, at), slotMs: pace, at }
}
