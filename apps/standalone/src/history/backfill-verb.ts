import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openArchive } from '@pairwire/archive'
import { type Engine, keepPast, lowerPriority } from '@pairwire/archiver'
import { systemClock } from '@pairwire/basics'
import { HOUR_MS, hourName, hourStart, type Manifest } from '@pairwire/contract'
import { openPast, TOKEN_PAGES_PATH } from '@pairwire/ingest'
import { readSource } from '../audit-verb.ts'
import type { Config } from '../config.ts'
import { type HourSpan, hoursOf, readHourSpan } from './hour-flags.ts'
import { ownFolder } from './own-folder.ts'

/** What the verbs on hours need. */
export type HoursVerbOptions = Readonly<{
  config: Pick<
    Config,
    | 'archivePlace'
    | 'dataFolder'
    | 'isLocal'
    | 'publicUrl'
    | 'solanaSource'
    | 'solanaSourceTokens'
    | 'solanaRpcUrl'
    | 'sourceKind'
  >
  write(line: string): void
  report(line: string): void
  signal: AbortSignal
  /** What makes files and looks into them, closed at the end; a verb has its own if none is given. */
  engine?: Engine
}>

/** Milliseconds after its end in which an hour is the archiver's to make. */
const ARCHIVERS_MS = 2 * HOUR_MS

/**
 * `pairwire backfill`: makes hours from blocks that are read again, those that are missing or incomplete, and writes a line
 * for each. Begun again, it goes on with those that are still missing.
 *
 * @throws Error with a sentence when it cannot be done
 */
export async function runBackfillVerb(words: string[], options: HoursVerbOptions): Promise<void> {
  const { config, write, report, signal, engine } = options
  const { values } = parseArgs({ args: words, options: FLAGS })
  const { gaps, force: isForced = false } = values
  if (gaps && (values.from ?? values.to))
    throw new Error('--gaps: finds the hours itself, without --from and --to.')
  lowerPriority(process.pid)
  const { solanaSource: setting, solanaSourceTokens: tokens, solanaRpcUrl: rpcUrl } = config
  const named = values.source === undefined ? { setting, rpcUrl } : readSource(values.source)
  const log = { info() {}, warn: report, error: report }
  const tokenPages = config.isLocal ? `${config.publicUrl}${TOKEN_PAGES_PATH}` : undefined
  const past = openPast(named.setting, { tokens, rpcUrl: named.rpcUrl, tokenPages, log })
  const archive = await openHours(config, report)

  const kept = await archive.list(past.kind, 0, Date.now())
  const span = gaps ? spanOf(kept) : readHourSpan(values)
  const complete = new Set(kept.filter((manifest) => manifest.complete).map(({ hour }) => hour))
  const until = Date.now() - HOUR_MS - (isForced ? 0 : ARCHIVERS_MS)
  const hours = hoursOf(span).filter((at) => at <= until && (isForced || !complete.has(hourName(at))))
  if (hours.length === 0) report('No hour is missing there; those of the last two hours are the archiver’s.')

  for (const stretch of stretchesOf(hours, past.kind === 'simulator')) {
    await keepPast(past.events(stretch[0]!, stretch.at(-1)! + HOUR_MS, signal), {
      ...{ source: past.kind, archive, isForced, log, ...(engine && { engine }) },
      folder: await ownFolder(join(config.dataFolder, 'archiver', 'past')),
      wanted: new Set(stretch.map(hourName)),
      kept: (manifest) => write(JSON.stringify(lineOf(manifest))),
    })
    signal.throwIfAborted()
  }
}

const text = { type: 'string' } as const
const flag = { type: 'boolean' } as const
const FLAGS = { from: text, to: text, source: text, force: flag, gaps: flag }

/** The archive of the settings. @throws Error with a sentence where there is none */
export async function openHours(
  { archivePlace }: HoursVerbOptions['config'],
  report: (line: string) => void,
) {
  const log = { info() {}, warn: report, error: report }
  const archive = await openArchive(archivePlace, { clock: systemClock, log })
  if (!archive) throw new Error('ARCHIVE_URL: with off no hours are kept.')
  return archive
}

/** From the oldest hour that is kept to the newest. */
function spanOf(kept: readonly Manifest[]): HourSpan {
  const [first, last] = [kept[0], kept.at(-1)]
  return first && last
    ? { from: hourStart(first.hour)!, to: hourStart(last.hour)! + HOUR_MS }
    : { from: 0, to: 0 }
}

/** Hours that follow on each other are read at once; what is made up needs nothing before, so the newest comes first. */
function stretchesOf(hours: readonly number[], isMadeUp: boolean): number[][] {
  if (isMadeUp) return hours.map((at) => [at]).reverse()
  const stretches: number[][] = []
  for (const at of hours) {
    const last = stretches.at(-1)
    if (last?.at(-1) === at - HOUR_MS) last.push(at)
    else stretches.push([at])
  }
  return stretches
}

function lineOf({ hour, source, made, revision, complete, counts, files }: Manifest) {
  const { swaps, pairs, blocks } = counts
  return {
    hour,
    source,
    made,
    revision,
    complete,
    swaps,
    pairs,
    blocks,
    bytes: files.reduce((sum, file) => sum + file.bytes, 0),
  }
}
