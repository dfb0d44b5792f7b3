import { existsSync, readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Log, readObject } from '@pairwire/basics'
import { isSlot, readBlockTime } from './chain-numbers.ts'

/** The newest position up to which the chain was published, or given up. */
export type Place = Readonly<{
  slot: number
  /** Empty if unknown, as after a gap. */
  blockhash: string
  /** Unix seconds; null if the chain has none. */
  blockTime: number | null
  /** Measured milliseconds of a slot; null if unknown. */
  slotMs: number | null
  /** When it was published, Unix milliseconds. */
  at: number
}>

/** Stores the position in the chain across restarts. */
export type Checkpoint = Readonly<{
  /** Undefined if nothing was stored. */
  load(): Place | undefined
  /** Stores a position soon; of several in a row only the last. */
  save(place: Place): void
  /** Resolves once the last position is on disk. */
  settled(): Promise<void>
}>

/** Stores the position in `chain.json` of the data folder, which must exist by the first save. */
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
        // Written to a new file and renamed: a crash in between leaves the old position, never half a file.
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
