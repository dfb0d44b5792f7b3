import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { hourStart } from '@pairwire/contract'
import { ZipFile } from 'yazl'

/** Level 6 would save 7 % of the bytes and take half as much time again. */
const LEVEL = 1

/** Bytes that are read at once. */
const READ_BYTES = 256 * 1024

/**
 * Writes the zip of an hour: one entry, the lines of a file. The same lines give the same bytes, whenever it is written. A
 * zip has local times, so this is for a process whose time zone is UTC.
 *
 * @returns its sha256 in hex
 */
export async function writeZip(lines: string, zip: string, hour: string): Promise<string> {
  const archive = new ZipFile()
  archive.addReadStream(createReadStream(lines, { highWaterMark: READ_BYTES }), `${hour}.ndjson`, {
    // Beyond 4 GB the entry has another form, which is settled before the first byte.
    size: (await stat(lines)).size,
    mtime: new Date(hourStart(hour)!),
    forceDosTimestamp: true,
    mode: 0o100644,
    compressionLevel: LEVEL,
  })
  archive.end()
  const hash = createHash('sha256')
  archive.outputStream.on('data', (chunk: Buffer) => hash.update(chunk))
  await pipeline(archive.outputStream, createWriteStream(zip, { flags: 'wx' }))
  return hash.digest('hex')
}
