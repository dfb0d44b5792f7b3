import { CursorTooOldError, type EventReader } from '@pairwire/bus'
import { parseCursor } from '@pairwire/contract'
import { type Audited, auditSlots, beginOf } from './audit-slots.ts'
import type { ChainReader } from './chain-reader.ts'
import type { AuditFault } from './compare-slot.ts'

/** What {@link reportAudit} needs. */
type AuditReportOptions = Readonly<{
  /** Both inclusive. */
  fromSlot: number
  toSlot: number
  published: EventReader
  chain: Pick<ChainReader, 'host' | 'blocks'>
  /** Writes a line for a fault. */
  write(line: string): void
  /** Writes a line about progress or the result. */
  report(line: string): void
  signal: AbortSignal
}>

/** Slots between two progress lines. */
const SAY_EVERY = 1_000

/**
 * Audits these slots and reports to the operator: a line for each fault, the progress, and the totals by venue.
 *
 * @returns whether everything on the chain was published correctly. @throws Error with a sentence if it cannot tell
 */
export async function reportAudit(options: AuditReportOptions): Promise<boolean> {
  const { fromSlot, toSlot, published, chain, write, report, signal } = options
  await assertKept(published, fromSlot, toSlot)
  report(`Comparing slots ${fromSlot} to ${toSlot} with the blocks of ${chain.host}.`)
  let passed = 0
  const audited = await auditSlots({
    fromSlot,
    toSlot,
    replay: published.replay,
    blocks: (from, to) => chain.blocks(from, to, signal),
    found: (fault) => write(lineOf(fault)),
    passed: (slot) => {
      if (++passed % SAY_EVERY === 0) report(`${passed} blocks compared, up to slot ${slot}.`)
    },
  }).catch((error) => {
    throw error instanceof CursorTooOldError ? new Error(tooOld(fromSlot, error.oldest)) : error
  })
  for (const line of sumsOf(audited)) report(line)
  return audited.faults === 0
}

async function assertKept({ newestCursor, oldestCursor, replay }: EventReader, from: number, to: number) {
  const newest = newestCursor()
  if (newest === undefined)
    throw new Error('No events of a live chain are kept in DATA_DIR, or in NATS where NATS_URL is set.')
  const { slot } = parseCursor(newest)!
  if (slot < to) throw new Error(`--to-slot: events are kept up to slot ${slot}.`)
  try {
    for await (const _batch of replay(beginOf(from))) break
  } catch (error) {
    if (!(error instanceof CursorTooOldError)) throw error
    throw new Error(tooOld(from, await oldestCursor()))
  }
}

function tooOld(slot: number, oldest: string | undefined): string {
  // Part of the oldest slot may be gone already.
  const from = oldest === undefined ? '' : `; begin with slot ${parseCursor(oldest)!.slot + 1}`
  return `--from-slot: events of slot ${slot} are not kept, or no longer${from}.`
}

/** Puts the words that people search for first, so that lines can be found and cut. */
function lineOf({ kind, event, venue, slot, signature, fields, announced }: AuditFault): string {
  const detail = fields ? ` ${fields.map((field) => field.replace(/^params\./, '')).join(',')}` : ''
  return `${kind} ${venue} ${event} slot ${slot} ${signature ?? '-'}${detail}${announced ? ' (a gap was said)' : ''}`
}

function sumsOf({ blocks, expected, faults, announced, byVenue }: Audited): string[] {
  const rows = [...byVenue].sort(([left], [right]) => left.localeCompare(right))
  const width = Math.max(5, ...rows.map(([venue]) => venue.length))
  const cells = (...counts: readonly (number | string)[]) =>
    counts.map((count) => String(count).padStart(10)).join('')
  const table = [
    `${'venue'.padEnd(width)}${cells('missing', 'extra', 'different')}`,
    ...rows.map(
      ([venue, { missing, extra, different }]) => `${venue.padEnd(width)}${cells(missing, extra, different)}`,
    ),
  ]
  const compared = `${expected} events of ${blocks} blocks were compared.`
  if (faults === 0) return [`${compared} All of them were published as the chain has them.`]
  const said = announced > 0 ? ` Of ${announced} of the missing ones a gap was said.` : ''
  return [...table, `${compared} ${faults} are at fault.${said}`]
}
