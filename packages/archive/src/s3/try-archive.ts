import { messageOf } from '@pairwire/basics'
import type { ArchivePlace } from '../archive-place.ts'
import { openFolderStorage } from '../folder-storage.ts'
import { StorageAwayError } from '../storage.ts'
import { Bucket } from './bucket.ts'
import { refusalOf, tryObject } from './trial.ts'

/** Writes an object to the archive, compares what it reads back, and removes it. @throws Error with a sentence */
export async function tryStorage(place: ArchivePlace): Promise<void> {
  try {
    await tryObject(
      place.kind === 'bucket' ? new Bucket(place, async () => {}) : await openFolderStorage(place.folder),
    )
  } catch (error) {
    const cause = error instanceof StorageAwayError ? error.cause : error
    throw new Error(refusalOf(cause) ?? `ARCHIVE_URL: the archive cannot be used: ${messageOf(cause)}`)
  }
}
