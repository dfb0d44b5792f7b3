import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promises, Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import { type Archive, customersFileName } from '@pairwire/archive'
import { readHourLines } from '@pairwire/archiver'
import { makeFolder } from '@pairwire/basics'
import { HOUR_MS, type HourFileKind, type Manifest } from '@pairwire/contract'
import { type HoursVerbOptions, openHours } from './backfill-verb.ts'
import { readHourSpan } from './hour-flags.ts'
import { readChecked } from './read-checked.ts'

const KINDS: Readonly<Record<string, readonly HourFileKind[]>> = {
  ndjson: ['zip'],
  zip: ['zip'],
  parquet: ['swaps', 'pairs', 'blocks'],
}

/** Dependencies of the verb; `writeText` waits while the reader is behind. */
type ExportOptions = HoursVerbOptions & Readonly<{ writeText(text: Buffer | string): void | Promise<void> }>

/**
 * `pairwire export`: copies hours of the running source from the archive to a folder, or prints their events. It outputs only
 * bytes that match the manifest.
 *
 * @throws Error with a sentence if it cannot be done
 */
export async function runExportVerb(words: string[], options: ExportOptions): Promise<void> {
  const { config, report, write, signal } = options
  const text = { type: 'string' } as const
  const { values } = parseArgs({ args: words, options: { from: text, to: text, format: text, out: text } })
  const { format = 'ndjson', out } = values
  const kinds = kindsOf(format, out)
  const span = readHourSpan(values)
  const archive = await openHours(config, report)
  if (out !== undefined) makeFolder(out, 0o777)

  const hours = await archive.list(config.sourceKind, span.from, span.to)
  if (hours.length === 0) throw new Error('No hour of that time is archived.')
  for (const manifest of hours) {
    for (const kind of kinds) {
      const read = format === 'ndjson' ? textsOf(archive, manifest) : readChecked(archive, manifest, kind)
      const copied = Readable.from(read, { signal })
      const name = format === 'ndjson' ? `${manifest.hour}.ndjson` : customersFileName(manifest.hour, kind)
      if (out === undefined) for await (const text of copied) await options.writeText(text)
      else write(JSON.stringify({ file: await copy(copied, out, name) }))
    }
  }
  report(`Hours exported: ${hours.length} of ${(span.to - span.from) / HOUR_MS}.`)
}

function kindsOf(format: string, out: string | undefined): readonly HourFileKind[] {
  const kinds = KINDS[format]
  if (!kinds) throw new Error('--format: is ndjson, zip or parquet.')
  if (out === undefined && format !== 'ndjson') throw new Error(`--out: names the folder of the ${format}.`)
  return kinds
}

/** The lines of an hour, all verified before the first is printed. */
async function* textsOf(archive: Pick<Archive, 'open'>, manifest: Manifest): AsyncGenerator<string, void> {
  for await (const _piece of readChecked(archive, manifest, 'zip'));
  for await (const lines of readHourLines(archive, manifest, '')) {
    yield lines.map(({ text }) => `${text}\n`).join('')
  }
}

/** @returns the path of the file, which is complete once it has that name */
async function copy(bytes: Readable, folder: string, name: string): Promise<string> {
  const unfinished = join(folder, `.${name}.${crypto.randomUUID()}`)
  try {
    await promises.pipeline(bytes, createWriteStream(unfinished))
    await rename(unfinished, join(folder, name))
  } finally {
    await rm(unfinished, { force: true })
  }
  return join(folder, name)
}
