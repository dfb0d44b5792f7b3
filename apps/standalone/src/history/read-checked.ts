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
  const stream = await archive.open(manifest, kind)
  if (!stream) throw new FileFault(manifest, kind, 'is gone')
  const hash = createHash('sha256')
  let read = 0
  for await (const piece of stream as AsyncIterable<Buffer>) {
    read += piece.length
    hash.update(piece)
    yield piece
  }
  if (read !== bytes) throw new FileFault(manifest, kind, `has ${read} bytes instead of ${bytes}`)
  if (hash.digest('hex') !== sha256)
    throw new FileFault(manifest, kind, 'has another sha256 than its manifest')
}

/** A file does not match its manifest. */
class FileFault extends Error {
  constructor({ hour }: Manifest, kind: HourFileKind, fault: string) {
    super(`${hour}: its ${kind} ${fault}.`)
    this.name = 'FileFault'
  }
}
