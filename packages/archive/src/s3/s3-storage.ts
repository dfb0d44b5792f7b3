import type { Readable } from 'node:stream'
import type { Clock, Log } from '@pairwire/basics'
import type { BucketPlace } from '../archive-place.ts'
import type { ByteRange, Storage, StoredObject } from '../storage.ts'
import { Bucket } from './bucket.ts'
import { triedBucket } from './tried-bucket.ts'

/**
 * Opens a bucket as storage, once an object that was written into it came back as it was. While the address does not
 * answer, calls reject with `StorageAwayError`, and the object is tried with the next of them.
 *
 * @throws Error with a sentence that names the variable, where the bucket refuses us or changes bytes
 */
export async function openS3Storage(
  place: BucketPlace,
  { clock, log }: { clock: Pick<Clock, 'elapsed'>; log: Log },
): Promise<Storage> {
  const tried = triedBucket(new Bucket(place), clock, log)
  await tried.tryAtStart()
  const { bucket } = tried

  return {
    putFile: async (name: string, file: string) => (await bucket()).putFile(name, file),
    putText: async (name: string, text: string) => (await bucket()).putText(name, text),
    readText: async (name: string) => (await bucket()).readText(name),
    open: async (name: string, range?: ByteRange): Promise<Readable | undefined> =>
      (await bucket()).open(name, range),
    async *list(folder: string): AsyncIterable<StoredObject> {
      yield* (await bucket()).list(folder)
    },
    folders: async (folder: string) => (await bucket()).folders(folder),
    remove: async (name: string) => (await bucket()).remove(name),
    signedUrl: async (name: string, fileName: string) => (await bucket()).signedUrl(name, fileName),
  }
}
