import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { DescribedEvent } from './describe-event.ts'
import type { RpcRecord } from './recordings.ts'

const PROGRAMS = new URL('../programs/', import.meta.url).pathname

/**
 * A transaction in the repository: recorded on the chain or executed by the real program, so that the reader of a
 * layout cannot be wrong in the same way as its writer.
 */
type Fixture = Readonly<{
  name: string
  /** Its origin: a public repository and its commit, or the program that executed it. */
  source: string
  /** In order; as much of each event as is known from elsewhere. Includes venues that are not decoded. */
  events: readonly DescribedEvent[]
  /** A `getTransaction` result, freshly parsed. */
  read: () => RpcRecord
}>

/** Reads the programs' folders, each with its fixtures. */
export function readFixtures(): ReadonlyMap<string, readonly Fixture[]> {
  const programs = readdirSync(PROGRAMS).filter((name) => existsSync(`${PROGRAMS}${name}/decode.ts`))
  return new Map(programs.map((program) => [program, readFolder(`${PROGRAMS}${program}/fixtures`)]))
}

function readFolder(folder: string): Fixture[] {
  if (!existsSync(folder)) return []
  return readdirSync(folder).map((file) => {
    const text = readFileSync(`${folder}/${file}`, 'utf8')
    const { source, events } = JSON.parse(text)
    return { name: file.replace('.json', ''), source, events, read: () => JSON.parse(text).transaction }
  })
}
