import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MIGRATIONS } from './pglite-folders.ts'

const JOURNAL = join('meta', '_journal.json')

/** How many migrations there are. */
export const MIGRATION_COUNT: number = JSON.parse(readFileSync(join(MIGRATIONS, JOURNAL), 'utf8')).entries
  .length

/** Puts the first `count` migrations into a folder, as they were released, and returns the folder. */
export function copyFirstMigrations(count: number, folder: string): string {
  cpSync(MIGRATIONS, folder, { recursive: true })
  const file = join(folder, JOURNAL)
  const journal = JSON.parse(readFileSync(file, 'utf8'))
  writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, count) }))
  return folder
}
