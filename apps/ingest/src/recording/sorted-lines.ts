import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type ChainPlace, compareChainPlaces } from './chain-order.ts'

/** A line of text with its position. It contains no line break. */
export type PlacedLine = Readonly<{ place: ChainPlace; line: string }>

/** Sorts lines into chain order, in memory while they are few, else with sorted files in a temporary folder. */
export type SortedLines = ReturnType<typeof createSortedLines>

/** Characters held in memory before they are written to a file. */
const MEMORY_LIMIT = 64 * 1024 * 1024

/** Creates an empty list. `memoryLimit` counts characters. */
export function createSortedLines(memoryLimit = MEMORY_LIMIT) {
  let held: PlacedLine[] = []
  let heldLength = 0
  let folder: string | undefined
  const runs: string[] = []

  const spill = async () => {
    folder ??= await mkdtemp(join(tmpdir(), 'pairwire-sort-'))
    const file = join(folder, String(runs.length))
    const sorted = held.sort((a, b) => compareChainPlaces(a.place, b.place))
    held = []
    heldLength = 0
    await pipeline(Readable.from(writeLines(sorted)), createWriteStream(file))
    runs.push(file)
  }

  return {
    add: async (placed: PlacedLine) => {
      held.push(placed)
      heldLength += placed.line.length
      if (heldLength > memoryLimit) await spill()
    },
    /** All lines in order; may be read more than once. */
    read: async function* () {
      held.sort((a, b) => compareChainPlaces(a.place, b.place))
      yield* merge([...runs.map(readRun), Readable.from(held)])
    },
    /** Removes the files. */
    close: async () => {
      held = []
      if (folder !== undefined) await rm(folder, { recursive: true, force: true })
    },
  }
}

function* writeLines(sorted: readonly PlacedLine[]): Iterable<string> {
  for (const { place, line } of sorted) yield `${place.slot} ${place.index} ${place.sequence} ${line}\n`
}

async function* readRun(file: string): AsyncIterable<PlacedLine> {
  const lines = createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })
  for await (const text of lines) {
    const [slot, index, sequence] = text.split(' ', 3).map(Number) as [number, number, number]
    const line = text.slice(`${slot} ${index} ${sequence} `.length)
    yield { place: { slot, index, sequence }, line }
  }
}

/** Merges sorted iterables into one; they are few, so each step checks all. */
async function* merge(sources: readonly AsyncIterable<PlacedLine>[]): AsyncIterable<PlacedLine> {
  const heads: { current: PlacedLine; rest: AsyncIterator<PlacedLine> }[] = []
  const all: AsyncIterator<PlacedLine>[] = []
  try {
    for (const source of sources) {
      const rest = source[Symbol.asyncIterator]()
      all.push(rest)
      const first = await rest.next()
      if (!first.done) heads.push({ current: first.value, rest })
    }
    while (heads.length > 0) {
      let least = 0
      for (let at = 1; at < heads.length; at++) {
        if (compareChainPlaces(heads[at]!.current.place, heads[least]!.current.place) < 0) least = at
      }
      const head = heads[least]!
      yield head.current
      const next = await head.rest.next()
      if (next.done) heads.splice(least, 1)
      else head.current = next.value
    }
  } finally {
    for (const rest of all) await rest.return?.()
  }
}
