import { createHash } from 'node:crypto'
import type { Archive } from '@pairwire/archive'
import { fileOf, type HourFileKind, type Manifest } from '@pairwire/contract'

/** The bytes of a file of an hour. @throws Error at their end if they do not match the manifest */
export async function* readChecked(
  archive: Pick<Archive, 'open'>,
  manifest: Manifest,
  kind: HourFileKind,
): AsyncGenerator<Buffer, void> {
  const { bytes, sha256 } = fileOf(manifest, kind)
  const fault = (what: string) => new Error(`${manifest.hour}: its ${kind} ${what}.`)
  const stream = await archive.open(manifest, kind)
  if (!stream) throw fault('is gone')
  const hash = createHash('sha256')
  let read = 0
  for await (const piece of stream as AsyncIterable<Buffer>) {
    read += piece.length
    hash.update(piece)
    yield piece
  }
  if (read !== bytes) throw fault(`has ${read} bytes instead of ${bytes}`)
  if (hash.digest('hex') !== sha256) throw fault('has another sha256 than its manifest')
}
