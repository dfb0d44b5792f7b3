import type { Clock, Log } from '@pairwire/basics'
import type { BucketPlace } from '../archive-place.ts'
import type { Storage } from '../storage.ts'
import { Bucket } from './bucket.ts'
import { createTrial } from './trial.ts'

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
  const trial = createTrial(new Bucket(place, async () => {}), clock, log)
  await trial.tryAtStart()
  return new Bucket(place, trial.pass)
}
