import { type Clock, type Log, messageOf } from '@pairwire/basics'
import type { Archive } from './archive.ts'
import type { ArchivePlace } from './archive-place.ts'
import { openFolderStorage } from './folder-storage.ts'
import { createArchive } from './hours.ts'

/**
 * Opens the archive; undefined if the settings say `off`. A bucket that does not answer now is tried again later.
 *
 * @throws Error with a sentence that names the variable, if the folder or the bucket cannot be used
 */
export async function openArchive(
  place: ArchivePlace | undefined,
  { clock, log }: { clock: Pick<Clock, 'now' | 'elapsed'>; log: Log },
): Promise<Archive | undefined> {
  if (!place) return undefined
  if (place.kind === 'bucket') {
    const { openS3Storage } = await import('./s3/s3-storage.ts')
    return createArchive(await openS3Storage(place, { clock, log }), clock)
  }
  try {
    return createArchive(await openFolderStorage(place.folder), clock)
  } catch (error) {
    throw new Error(`ARCHIVE_URL: the folder ${place.folder} cannot be used (${messageOf(error)}).`)
  }
}

/** Writes an object to the archive, reads it back and removes it. @throws Error with a sentence */
export async function tryArchive(place: ArchivePlace): Promise<void> {
  await (await import('./s3/try-archive.ts')).tryStorage(place)
}
