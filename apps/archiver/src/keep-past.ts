import { rm } from 'node:fs/promises'
import type { Archive } from '@pairwire/archive'
import { type Log, systemClock } from '@pairwire/basics'
import type { Manifest, SourceKind, StreamEvent } from '@pairwire/contract'
import { createEngine, type Engine } from './engine/engine.ts'
import { Hours } from './hours.ts'
import { Spooler } from './spool/spooler.ts'

type KeepPastOptions = Readonly<{
  source: SourceKind
  /** Names of the hours to keep; the others are only read past. */
  wanted: ReadonlySet<string>
  /** A folder for this call alone, removed at the end. */
  folder: string
  archive: Pick<Archive, 'publish' | 'find'>
  log: Log
  /** Whether to replace a published hour in any case. */
  isForced: boolean
  /** Called for each hour once it is archived, with the manifest in force. */
  kept(manifest: Manifest): void
  engine?: Engine
}>

/** What may wait: hours for their files while the next one is read, and events to be written with later ones. */
const MOST_WAITING = { hours: 1, events: 1_000 }

/** Archives hours of a past stream. @throws Error if one of them cannot be archived; those before it are */
export async function keepPast(
  events: AsyncIterable<readonly StreamEvent[]>,
  options: KeepPastOptions,
): Promise<void> {
  const { source, wanted, folder, kept, engine = createEngine(systemClock) } = options
  const hours = new Hours({
    ...{ ...options, engine, clock: systemClock, hasRoom: () => true },
    published: async (manifest) => kept(manifest),
  })
  const spooler = new Spooler({
    ...{ folder, source, made: 'backfill' },
    ended: (spool) => wanted.has(spool.slice(-'20261123-130000'.length)) && hours.add(spool),
  })
  const settle = async () => {
    await hours.settled()
    const [hour] = hours.stats().waiting
    if (hour !== undefined) throw new Error(`The hour ${hour} could not be kept.`)
  }
  try {
    await spooler.open()
    const unwritten: StreamEvent[] = []
    for await (const batch of events) {
      if (unwritten.push(...batch) < MOST_WAITING.events) continue
      await spooler.append(unwritten.splice(0))
      if (hours.stats().waiting.length > MOST_WAITING.hours) await settle()
    }
    await spooler.append(unwritten)
    // A recording may end anywhere; from any other source an hour without its end is incomplete.
    if (source === 'recording') await spooler.end()
    await settle()
  } finally {
    engine.close()
    await hours.stop()
    await spooler.close()
    await rm(folder, { recursive: true, force: true })
  }
}
