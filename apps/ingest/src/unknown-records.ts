import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock, Log } from '@pairwire/basics'
import { encodeBase58 } from '@pairwire/contract'
import { type CallTally, type Transaction, writeRpcTransaction } from '@pairwire/decoders'

/**
 * Keeps transactions with calls that the decoders do not know, the last few of each kind, so that they can be decoded
 * again by a later release:
 *
 *     <program>/<discriminator in hex>/<Unix milliseconds>-<signature>.json
 */
type UnknownRecords = Readonly<{
  /** Counts as the tally that it was made with, and takes note of what is unknown. */
  tally: CallTally
  /** Keeps the transaction that was decoded last, soon, where a call of it was noted. */
  keepNoted(transaction: Transaction): void
  /** Resolves once what was kept is on the disk, or the disk did not take it. */
  settled(): Promise<void>
}>

/** What {@link createUnknownRecords} needs. */
type UnknownRecordsOptions = Readonly<{
  tally: CallTally
  folder: string
  clock: Pick<Clock, 'now' | 'elapsed'>
  log: Log
}>

/** Records of each kind. */
export const RECORDS_KEPT = 20

/** Kinds of a program: bytes that strangers choose must not fill the disk. */
export const MAX_KINDS = 16

/** Milliseconds after which a newer record takes the place of the oldest of its kind. */
const RENEW_EVERY_MS = 60_000

/** Records that wait for the disk at most; those beyond are left out. */
const MAX_WAITING = 50

type Kind = { readonly folder: string; names: string[] | undefined; kept: number; keptAt: number }

/** Makes the folder when there is something to keep. */
export function createUnknownRecords({ tally, folder, clock, log }: UnknownRecordsOptions): UnknownRecords {
  const programs = new Map<string, Map<string, Kind>>()
  let noted: Kind[] = []
  let waiting = 0
  let writing = Promise.resolve()
  let hasFailed = false

  const kindOf = (program: string, discriminator: string): Kind | undefined => {
    const kinds = programs.get(program) ?? new Map<string, Kind>()
    programs.set(program, kinds)
    const known = kinds.get(discriminator)
    if (known || kinds.size >= MAX_KINDS) return known
    const kind = { folder: join(folder, program, discriminator), names: undefined, kept: 0, keptAt: 0 }
    kinds.set(discriminator, kind)
    return kind
  }

  const write = async (kind: Kind, name: string, text: string): Promise<void> => {
    try {
      await mkdir(kind.folder, { recursive: true, mode: 0o700 })
      kind.names ??= (await readdir(kind.folder)).filter((each) => each.endsWith('.json')).sort()
      await writeFile(join(kind.folder, name), text, { mode: 0o600 })
      kind.names.push(name)
      for (const old of kind.names.splice(0, Math.max(0, kind.names.length - RECORDS_KEPT))) {
        await rm(join(kind.folder, old), { force: true })
      }
      hasFailed = false
    } catch (error) {
      if (!hasFailed) log.warn('Transactions with unknown calls cannot be stored.', { error: String(error) })
      hasFailed = true
    }
    waiting--
  }

  return {
    tally: {
      ...tally,
      unknown(program, decoder, data, signature) {
        tally.unknown(program, decoder, data, signature)
        const bytes = data.subarray(0, decoder.discriminatorBytes ?? 8)
        const kind = kindOf(program, Buffer.from(bytes).toString('hex') || 'none')
        if (kind && !noted.includes(kind)) noted.push(kind)
      },
    },
    keepNoted(transaction) {
      if (noted.length === 0) return
      const kinds = noted
      noted = []
      for (const kind of kinds) {
        const isDue = kind.kept < RECORDS_KEPT || clock.elapsed() - kind.keptAt >= RENEW_EVERY_MS
        if (!isDue || waiting >= MAX_WAITING) continue
        kind.kept++
        kind.keptAt = clock.elapsed()
        waiting++
        // Now, as the bytes of the message that it came in are let go of soon.
        const text = JSON.stringify(writeRpcTransaction(transaction))
        const name = `${clock.now()}-${encodeBase58(transaction.signature)}.json`
        writing = writing.then(() => write(kind, name, text))
      }
    },
    settled: () => writing,
  }
}
