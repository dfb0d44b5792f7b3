import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Archive } from '@pairwire/archive'
import { type Log, messageOf } from '@pairwire/basics'
import type { Bus } from '@pairwire/bus'
import { HOUR_MS, hourStart, parseCursor, timeText } from '@pairwire/contract'
import { blockTimeOf, historyOf } from '@pairwire/ingest'
import type { Config } from '../config.ts'

/** Dependencies of {@link makeUpPast}. */
type PastParts = Readonly<{
  archive: Pick<Archive, 'list'>
  bus: Pick<Bus, 'oldestCursor'>
  log: Log
}>

/** Heap of the process in MB. */
const HEAP_MB = 256

/** The operator's tool: in the bundle beside this file, in the sources one folder up. */
const SCRIPT = ['./pairwire.js', '../pairwire.ts']
  .map((name) => fileURLToPath(new URL(name, import.meta.url)))
  .find(existsSync)

/**
 * Simulates the past hours that the simulator's setting asks for: those before everything it has streamed. A separate process
 * does it, at lower priority, so that the stream is not disturbed. @returns a function that ends it
 */
export function makeUpPast({ solanaSource }: Pick<Config, 'solanaSource'>, parts: PastParts): () => void {
  const { log } = parts
  let child: ChildProcess | undefined
  let isStopped = false
  const begin = async () => {
    const span = await spanOf(historyOf(solanaSource), parts)
    if (!span || isStopped) return
    child = forkTool(['backfill', '--force', '--from', span.from, '--to', span.to])
    const said: string[] = []
    child.stderr?.setEncoding('utf8').on('data', (text: string) => said.push(text))
    child.on('exit', (code) => {
      if (code === 0) log.info('The hours before the start have been simulated.', span)
      else if (!isStopped)
        log.warn('The hours before the start could not be simulated.', { ...span, error: said.join('') })
    })
  }
  begin().catch((error) => {
    log.warn('The hours before the start could not be simulated.', { error: messageOf(error) })
  })
  return () => {
    isStopped = true
    child?.kill()
  }
}

/** The hours to simulate; streamed or archived hours began in one stretch up to now, and stay. */
async function spanOf(hours: number, { archive, bus }: PastParts) {
  const now = Date.now() - (Date.now() % HOUR_MS)
  const oldest = parseCursor((await bus.oldestCursor()) ?? '')
  const [first] = await archive.list('simulator', 0, now)
  const streamedAt = oldest ? blockTimeOf(oldest.slot) * 1000 : now
  const to = Math.min(now, streamedAt - (streamedAt % HOUR_MS), first ? hourStart(first.hour)! : now)
  const from = now - hours * HOUR_MS
  return from < to ? { from: timeText(from), to: timeText(to) } : undefined
}

function forkTool(words: readonly string[]): ChildProcess {
  if (SCRIPT === undefined) throw new Error('The script of the operator’s tool is missing.')
  return fork(SCRIPT, words, {
    execArgv: [`--max-old-space-size=${HEAP_MB}`, ...(SCRIPT.endsWith('.ts') ? ['--import', 'tsx'] : [])],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
}
