import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openArchive } from '@pairwire/archive'
import { type Engine, keepPast, lowerPriority } from '@pairwire/archiver'
import { systemClock } from '@pairwire/basics'
import { HOUR_MS, hourName, hourStart, type Manifest } from '@pairwire/contract'
import { openPast, TOKEN_PAGES_PATH } from '@pairwire/ingest'
import { type SourceKeys, sourceToRead } from '../audit-verb.ts'
import type { Config } from '../config.ts'
import { type HourSpan, hoursOf, readHourSpan } from './hour-flags.ts'
import { ownFolder } from './own-folder.ts'

/** Dependencies of the verbs on hours. */
export type HoursVerbOptions = Readonly<{
  config: Pick<Config, SourceKeys | 'archivePlace' | 'dataFolder' | 'isLocal' | 'publicUrl' | 'sourceKind'>
  write(line: string): void
  report(line: string): void
  signal: AbortSignal
  /** Makes and reads files of hours, closed at the end; a verb creates its own if none is given. */
  engine?: Engine
}>

/** Milliseconds after its end in which an hour is left to the archiver. */
const ARCHIVERS_MS = 2 * HOUR_MS

/**
 * `pairwire backfill`: makes missing or incomplete hours from blocks that are read again, and prints a line for each. A
 * restart continues with those that are still missing.
 *
 * @throws Error with a sentence if it cannot be done
 */
export async function runBackfillVerb(words: string[], options: HoursVerbOptions): Promise<void> {
  const { config, write, report, signal, engine } = options
  const { values } = parseArgs({ args: words, options: FLAGS })
  const { gaps, force: isForced = false } = values
  if (gaps && (values.from ?? values.to))
    throw new Error('--gaps: finds the hours itself, without --from and --to.')
  lowerPriority(process.pid)
  const { setting, rpcUrl } = sourceToRead(config, values.source)
  const log = { info() {}, warn: report, error: report }
  const tokenPages = config.isLocal ? `${config.publicUrl}${TOKEN_PAGES_PATH}` : undefined
  const past = openPast(setting, { tokens: config.solanaSourceTokens, rpcUrl, tokenPages, log })
  const archive = await openHours(config, report)

  const kept = await archive.list(past.kind, 0, Date.now())
  const span = gaps ? spanOf(kept) : readHourSpan(values)
  const complete = new Set(kept.filter((manifest) => manifest.complete).map(({ hour }) => hour))
  const until = Date.now() - HOUR_MS - (isForced ? 0 : ARCHIVERS_MS)
  const hours = hoursOf(span).filter((at) => at <= until && (isForced || !complete.has(hourName(at))))
  if (hours.length === 0) report('No hour is missing there; the archiver makes the last two hours.')

  for (const stretch of stretchesOf(hours, past.kind === 'simulator')) {
    const left = new Set(stretch.map(hourName))
    await keepPast(past.events(stretch[0]!, stretch.at(-1)! + HOUR_MS, signal), {
      ...{ source: past.kind, archive, isForced, log, ...(engine && { engine }) },
      folder: ownFolder(join(config.dataFolder, 'archiver', 'past')),
      wanted: new Set(left),
      kept: (manifest) => left.delete(manifest.hour) && write(JSON.stringify(lineOf(manifest))),
    })
    signal.throwIfAborted()
    for (const hour of left) report(`${hour}: was not made: the source does not have all of its blocks.`)
  }
}

const [text, flag] = [{ type: 'string' }, { type: 'boolean' }] as const
const FLAGS = { from: text, to: text, source: text, force: flag, gaps: flag }

/** The configured archive. @throws Error with a sentence if there is none */
export async function openHours(config: Pick<Config, 'archivePlace'>, report: (line: string) => void) {
  const log = { info() {}, warn: report, error: report }
  const archive = await openArchive(config.archivePlace, { clock: systemClock, log })
  if (!archive) throw new Error('ARCHIVE_URL: is off, so no hours are archived.')
  return archive
}

/** From the oldest archived hour to the newest. */
function spanOf(kept: readonly Manifest[]): HourSpan {
  const [first, last] = [kept[0], kept.at(-1)]
  if (!first || !last) return { from: 0, to: 0 }
  return { from: hourStart(first.hour)!, to: hourStart(last.hour)! + HOUR_MS }
}

/** Consecutive hours are read in one run; simulated ones need nothing before them: the sample comes first, then the newest. */
function stretchesOf(hours: readonly number[], isMadeUp: boolean): number[][] {
  if (isMadeUp) {
    const newestMonth = hourName(hours.at(-1) ?? 0).slice(0, 6)
    const sample = hours.findIndex((at) => hourName(at).startsWith(newestMonth))
    return [...hours.slice(sample, sample + 1), ...hours.toSpliced(sample, 1).reverse()].map((at) => [at])
  }
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
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0)
  return { hour, source, made, revision, complete, swaps, pairs, blocks, bytes }
}
