import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock, Log } from '@pairwire/basics'
import { encodeBase58 } from '@pairwire/contract'
import { type Transaction, writeRpcTransaction } from '@pairwire/decoders'

/** What {@link createUnknownRecords} needs. */
type UnknownRecordsOptions = Readonly<{
  folder: string
  clock: Pick<Clock, 'now' | 'elapsed'>
  log: Log
}>

/** Records of each kind. */
export const RECORDS_KEPT = 20

/** Kinds of a program: bytes that strangers choose must not fill the disk. */
export const MAX_KINDS = 16

/** Milliseconds before a newer record may replace the oldest of its kind. */
const RENEW_EVERY_MS = 60_000

/** Most records waiting for the disk; further ones are dropped. */
const MAX_WAITING = 50

type Kind = { readonly folder: string; names: string[] | undefined; kept: number; keptAt: number }

/**
 * Keeps transactions with unknown calls, the last few of each kind, so that a later release can decode them:
 *
 *     <program>/<discriminator in hex>/<Unix milliseconds>-<signature>.json
 *
 * Creates the folder when there is something to keep.
 */
export function createUnknownRecords({ folder, clock, log }: UnknownRecordsOptions) {
  const kinds = new Map<string, Kind>()
  const kindsOf = new Map<string, number>()
  let waiting = 0
  let writing = Promise.resolve()
  let hasFailed = false

  const kindOf = (path: string): Kind | undefined => {
    const known = kinds.get(path)
    const [program = ''] = path.split('/')
    const others = kindsOf.get(program) ?? 0
    if (known || others >= MAX_KINDS) return known
    const kind = { folder: join(folder, path), names: undefined, kept: 0, keptAt: 0 }
    kinds.set(path, kind)
    kindsOf.set(program, others + 1)
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
    /** Stores the transaction soon, under each of these kinds of calls: `<program>/<discriminator in hex>`. */
    keep(transaction: Transaction, paths: readonly string[]): void {
      for (const kind of paths.flatMap((path) => kindOf(path) ?? [])) {
        const isDue = kind.kept < RECORDS_KEPT || clock.elapsed() - kind.keptAt >= RENEW_EVERY_MS
        if (!isDue || waiting >= MAX_WAITING) continue
        kind.kept++
        kind.keptAt = clock.elapsed()
        waiting++
        // Now, as the bytes of its message are released soon.
        const text = JSON.stringify(writeRpcTransaction(transaction))
        const name = `${clock.now()}-${encodeBase58(transaction.signature)}.json`
        writing = writing.then(() => write(kind, name, text))
      }
    },
    /** Resolves once everything kept is on disk, or the disk refused it. */
    settled: () => writing,
  }
}
