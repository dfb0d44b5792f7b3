import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EventStore, type EventStoreOptions, openEventStore } from '../event-store.ts'

const folders: string[] = []
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A temporary folder: a process that exits by itself removes it, and `npm test` those of Vitest’s workers, which do not. */
export function aFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-test-'))
  folders.push(folder)
  return folder
}

/** A store that keeps a day of a simulator's events, by default in a folder of its own. */
export function aStore(options: Partial<EventStoreOptions> = {}): Promise<EventStore> {
  return openEventStore({
    folder: aFolder(),
    source: 'simulator',
    retention: { milliseconds: 86_400_000, bytes: 100_000_000 },
    now: Date.now,
    log: { info() {}, warn() {} },
    ...options,
  })
}
