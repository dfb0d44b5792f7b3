import type { Accounts } from '@pairwire/accounts'
import type { Archive } from '@pairwire/archive'
import { type Clock, type Log, type Looking, lookAgain, nameOf } from '@pairwire/basics'
import type { Retention } from '@pairwire/bus'
import {
  HISTORY_OFFERS,
  HOUR_MS,
  hourStart,
  type Manifest,
  SOURCE_KINDS,
  type SourceKind,
} from '@pairwire/contract'
import type { Leases } from '../leases.ts'

/** Figures of the running source's archived hours. */
export type ArchiveFigures = Readonly<{
  hours: number
  bytes: number
  /** Incomplete hours, and those missing between two others, among the newest {@link SHOWN_HOURS}. */
  gapHours: number
  /** Hours in which gaps were counted. */
  countedHours: number
  /** End of the newest hour, in Unix milliseconds. */
  completeTo: number
}>

/** Hours in which gaps are counted. */
const SHOWN_HOURS = 720

/** Milliseconds between two checks, and between two removals. */
const LOOK_EVERY_MS = 60_000
const REMOVE_EVERY_MS = 600_000

/** Reads the figures of the archive once a minute, and removes the oldest hours beyond its limits. */
export function createArchiveKeeper(parts: {
  accounts: Pick<Accounts, 'listNeededHours'>
  archive: Pick<Archive, 'list' | 'findSample' | 'remove' | 'removeOrphans'>
  source: SourceKind
  retention: Retention
  /** Only one of several processes removes hours. */
  leases: Pick<Leases, 'have'>
  clock: Pick<Clock, 'now' | 'elapsed' | 'after'>
  log: Log
}): Looking & Readonly<{ figures(): ArchiveFigures | undefined }> {
  const { archive, source, retention, leases, clock, log } = parts
  let figures: ArchiveFigures | undefined
  let removedAt = Number.NEGATIVE_INFINITY
  let isFirst = true

  const look = async (): Promise<number> => {
    try {
      const hours = await archive.list(source, 0, clock.now() + HOUR_MS)
      figures = figuresOf(hours)
      if (isFirst && hours.length > 0) log.info(boundSentence(hours, retention))
      isFirst = false
      if (clock.elapsed() - removedAt >= REMOVE_EVERY_MS) {
        removedAt = clock.elapsed()
        await leases.have('sweeps', () => removeOld(parts))
      }
    } catch (error) {
      log.warn('The archive could not be read; trying again.', { error: nameOf(error) })
    }
    return LOOK_EVERY_MS
  }

  return { ...lookAgain(clock, look), figures: () => figures }
}

/** Removes hours beyond the limits, except those that an order needs and the sample; then orphaned objects. */
async function removeOld({
  accounts,
  archive,
  retention,
  clock,
  log,
}: Parameters<typeof createArchiveKeeper>[0]): Promise<void> {
  const lists = await Promise.all(SOURCE_KINDS.map((kind) => archive.list(kind, 0, clock.now() + HOUR_MS)))
  const samples = await Promise.all(SOURCE_KINDS.map((kind) => archive.findSample(kind)))
  const isSample = (manifest: Manifest) =>
    samples.some((sample) => sample?.hour === manifest.hour && sample.source === manifest.source)
  const hours = lists.flat().sort((one, other) => (one.hour < other.hour ? -1 : 1))
  let bytes = sumOf(hours)
  let removed = 0
  for (const manifest of hours) {
    const at = hourStart(manifest.hour)!
    const isOld = at + HOUR_MS + retention.milliseconds <= clock.now()
    if (!isOld && bytes <= retention.bytes) continue
    // Checked again for each: somebody may be ordering it.
    const needed = await accounts.listNeededHours()
    const isNeeded = needed.some(
      ({ source, from, to }) => source === manifest.source && from.getTime() <= at && at < to.getTime(),
    )
    if (isNeeded || isSample(manifest)) continue
    await archive.remove(manifest)
    bytes -= sumOf([manifest])
    removed++
  }
  if (removed > 0) log.info('Removed old hours from the archive.', { hours: removed })
  for (const kind of SOURCE_KINDS) await archive.removeOrphans(kind)
}

function figuresOf(hours: readonly Manifest[]): ArchiveFigures | undefined {
  const newest = hours.at(-1)
  if (!newest) return undefined
  const completeTo = hourStart(newest.hour)! + HOUR_MS
  const shown = hours.filter(({ hour }) => hourStart(hour)! >= completeTo - SHOWN_HOURS * HOUR_MS)
  const countedHours = (completeTo - hourStart(shown[0]!.hour)!) / HOUR_MS
  const gapHours = countedHours - shown.filter(({ complete }) => complete).length
  return { hours: hours.length, bytes: sumOf(hours), gapHours, countedHours, completeTo }
}

/** How many hours the limit holds at the rate of the last day, and which offers that allows. */
export function heldHours(hours: readonly Manifest[], { milliseconds, bytes }: Retention) {
  const lastDay = hours.slice(-24)
  const bytesPerHour = Math.max(sumOf(lastDay) / lastDay.length, 1)
  const held = Math.floor(Math.min(milliseconds / HOUR_MS, bytes / bytesPerHour))
  return { held, offers: HISTORY_OFFERS.filter((offer) => offer.hours <= held) }
}

function boundSentence(hours: readonly Manifest[], retention: Retention): string {
  const { held, offers } = heldHours(hours, retention)
  const ids = offers.map(({ id }) => id).join(', ')
  const left = offers.length > 0 ? `these can be ordered: ${ids}` : 'nothing can be ordered'
  return `ARCHIVE_RETENTION holds ${held} hours as large as those of the last day, so ${left}.`
}

function sumOf(hours: readonly Manifest[]): number {
  return hours.reduce((sum, { files }) => sum + files.reduce((all, { bytes }) => all + bytes, 0), 0)
}
