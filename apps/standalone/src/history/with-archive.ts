import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Archive } from '@pairwire/archive'
import { createEngine, HourPages, LocalFiles } from '@pairwire/archiver'
import { systemClock } from '@pairwire/basics'
import { CursorTooOldError, type EventReader } from '@pairwire/bus'
import { eventsOfText, type Manifest, type StreamEvent } from '@pairwire/contract'

/** The published events, from the archive where the stream no longer has them; `close` ends the reading. */
export async function withArchive(
  published: EventReader,
  archive: Archive,
): Promise<EventReader & Readonly<{ close(): Promise<void> }>> {
  const folder = await mkdtemp(join(tmpdir(), 'pairwire-audit-'))
  const engine = createEngine(systemClock)
  const pages = new HourPages({ archive, engine, files: new LocalFiles(archive, folder) })

  async function* replay(cursor: string): AsyncGenerator<readonly StreamEvent[]> {
    let place = cursor
    const oldest = await published.oldestCursor()
    const isKept = () => oldest !== undefined && place >= oldest
    const hours = isKept() ? [] : await archive.list('chain', 0, Date.now())
    for (const [at, hour] of hours.entries()) {
      if (isKept()) break
      if (!hour.cursors || hour.cursors.last <= place) continue
      // Between hours that do not link to each other it is unknown what was published.
      const isJoined = hour.cursors.first <= place || hours[at - 1]?.to === hour.from
      if (!isJoined) throw new CursorTooOldError(hour.cursors.first)
      for await (const events of eventsOf(hour, place)) {
        place = events.at(-1)!.cursor
        yield events
      }
    }
    yield* published.replay(place)
  }

  async function* eventsOf(
    { source, hour }: Manifest,
    after: string,
  ): AsyncGenerator<readonly StreamEvent[]> {
    for (let place = after; ; ) {
      const page = await pages.page({ source, hour, after: place })
      if (page.outcome === 'missing') return
      const events = eventsOfText(page.events)
      if (events.length > 0) yield events
      if (page.isLast) return
      place = events.at(-1)!.cursor
    }
  }

  return {
    ...published,
    replay,
    async close() {
      await pages.close()
      engine.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
