import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { QUICK_NODE } from '@pairwire/basics/testing/quick-node'
import { Manifest } from '@pairwire/contract'
import { build } from 'esbuild'

/** Steps that a kill may interrupt. */
const KINDS = ['spool', 'engine', 'publishing', 'index'] as const
type Kind = (typeof KINDS)[number]

/** The outcome of some kills. */
type KillOutcome = Readonly<{
  kills: number
  /** Kills by the step that they interrupted. */
  hits: Readonly<Record<Kind, number>>
  /** Times that all hours of the stream were complete at the end. */
  rounds: number
  /** Faults found, one sentence each; empty if all is well. */
  problems: readonly string[]
}>

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url))

/** Milliseconds after the beginning of each step within which a kill comes. */
const LIMITS: Readonly<Record<Kind, number>> = { spool: 150, engine: 120, publishing: 4, index: 4 }

/** For each step a kill waits for one of this many beginnings. */
const BEGINS: Readonly<Record<Kind, number>> = { spool: 1, engine: 2, publishing: 8, index: 2 }

/**
 * Kills a process that archives a stream at random moments, again and again, each process continuing the work of the
 * previous one, until all hours exist: they must be byte for byte those of a process that nobody kills. After each kill no
 * visible file may be partial. After `kills` kills it continues, up to three times as many, until more than one in 15 has
 * interrupted each step.
 */
export async function tortureArchiver(
  kills: number,
  random: () => number,
  report = (_line: string) => {},
): Promise<KillOutcome> {
  // Inside node_modules, so that the engine's packages resolve from there.
  const place = mkdtempSync(join(ROOT, 'node_modules', '.archiver-torture-'))
  const problems: string[] = []
  const hits = { spool: 0, engine: 0, publishing: 0, index: 0 }
  let [killed, rounds] = [0, 0]
  try {
    const script = await bundle(place)
    const wanted = await undisturbed(script, join(place, 'undisturbed'))
    const isEnough = () =>
      killed >= 3 * kills || (killed >= kills && Math.min(...Object.values(hits)) > kills / 15)
    while (!isEnough()) {
      const folder = join(place, `round-${rounds++}`)
      for (let lives = 0, isDone = false; !isDone; lives++) {
        // The first process of a round spools for longest: later ones have only the rest of the stream to read.
        const kind = lives === 0 ? 'spool' : leastHit(hits)
        const run = await runAndKill(script, folder, random, isEnough() ? undefined : kind)
        isDone = run.isDone
        problems.push(...run.problems, ...halfFiles(folder))
        if (isDone) continue
        killed++
        for (const hit of run.open) hits[hit]++
        if (killed % 50 === 0)
          report(`${killed} kills, ${problems.length} problems, hits ${JSON.stringify(hits)}`)
      }
      problems.push(...differences(sumsIn(folder), wanted))
      rmSync(folder, { recursive: true })
    }
  } finally {
    rmSync(place, { recursive: true, force: true })
  }
  return { kills: killed, hits, rounds, problems }
}

/** A short step is often over before its kill comes, so the steps cannot take turns. */
const leastHit = (hits: Readonly<Record<Kind, number>>) =>
  KINDS.reduce((least, kind) => (hits[kind] < hits[least] ? kind : least))

/** Bundles both scripts into one folder, since loading TypeScript would take longer than the steps to interrupt. */
async function bundle(place: string): Promise<string> {
  await build({
    entryPoints: {
      'archiver-child': fileURLToPath(new URL('archiver-child.ts', import.meta.url)),
      'engine-child': fileURLToPath(new URL('../engine/engine-child.ts', import.meta.url)),
    },
    ...{ outdir: place, bundle: true, splitting: true, platform: 'node', format: 'esm', target: 'node20' },
    external: ['@duckdb/node-bindings'],
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  })
  return join(place, 'archiver-child.js')
}

async function undisturbed(script: string, folder: string): Promise<ReadonlyMap<string, string>> {
  const { problems } = await runAndKill(script, folder, () => 0, undefined)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return sumsIn(folder)
}

/** Runs a process until it ends or kills itself within `kind`. */
async function runAndKill(script: string, folder: string, random: () => number, kind: Kind | undefined) {
  mkdirSync(join(folder, 'archive'), { recursive: true })
  const when = kind ? [kind, 1 + Math.floor(random() * BEGINS[kind]), random() * LIMITS[kind]] : []
  const child = spawn(process.execPath, [...QUICK_NODE, script, folder, ...when.map(String)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const open = new Map<Kind, number>()
  const problems: string[] = []
  let isDone = false
  readLines(child, (line) => {
    const [word, what] = line.split(' ') as [string, Kind]
    if (word === 'error') problems.push(line)
    if (word === 'done') isDone = true
    if (word === 'done') child.kill('SIGKILL')
    if (word === 'begin') open.set(what, (open.get(what) ?? 0) + 1)
    if (word === 'end') open.set(what, open.get(what)! - 1)
  })
  const [status, signal] = await once(child, 'close')
  if (signal !== 'SIGKILL' && !isDone)
    throw new Error(`The process that was to be killed ended by itself: ${status ?? signal}.`)
  return { isDone, problems, open: KINDS.filter((each) => (open.get(each) ?? 0) > 0) }
}

function readLines(child: ChildProcess, take: (line: string) => void): void {
  let rest = ''
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    const lines = (rest + text).split('\n')
    rest = lines.pop()!
    for (const line of lines) take(line)
  })
}

/** The existing hours, by name: the checksums of their files in the manifest. */
function sumsIn(folder: string): Map<string, string> {
  const manifests = visible(folder).flatMap((path) => manifestAt(path) ?? [])
  return new Map(
    manifests.map(({ hour, revision, files, complete, counts }) => [
      hour,
      JSON.stringify([revision, complete, counts, files]),
    ]),
  )
}

function differences(found: ReadonlyMap<string, string>, wanted: ReadonlyMap<string, string>): string[] {
  const hours = [...new Set([...wanted.keys(), ...found.keys()])]
  return hours
    .filter((hour) => found.get(hour) !== wanted.get(hour))
    .map((hour) => `${hour} differs: ${found.get(hour)} is not ${wanted.get(hour)}.`)
}

/** Sentences about visible files in the archive that are incomplete. */
function halfFiles(folder: string): string[] {
  return visible(folder).flatMap((path) => {
    const [, sum] = basename(path).split('.')
    if (/^[0-9a-f]{8}$/.test(sum!) && !path.endsWith('.json')) {
      return sumOf(path).startsWith(sum!) ? [] : [`${path} is incomplete.`]
    }
    if (basename(path) === 'hours.json') return isJson(path) ? [] : [`${path} is incomplete.`]
    const manifest = manifestAt(path)
    if (!manifest) return [`${path} is not a manifest.`]
    if (dirname(path).endsWith('offered')) return []
    return manifest.files.flatMap(({ name, bytes, sha256 }) => {
      const file = join(dirname(path), name)
      const isWhole = existsSync(file) && readFileSync(file).length === bytes && sumOf(file) === sha256
      return isWhole ? [] : [`${path} names ${name}, which does not match.`]
    })
  })
}

/** What readers other than its writers see of the archive. */
function visible(folder: string): string[] {
  const archive = join(folder, 'archive')
  return readdirSync(archive, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((path) => !path.slice(archive.length).includes('/.'))
}

const sumOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex')

function isJson(path: string): boolean {
  try {
    return typeof JSON.parse(readFileSync(path, 'utf8')) === 'object'
  } catch {
    return false
  }
}

function manifestAt(path: string): Manifest | undefined {
  if (!/^\d{8}-\d{6}(\.[0-9a-f]{8})?\.json$/.test(basename(path)) || !isJson(path)) return undefined
  return Manifest.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data
}
