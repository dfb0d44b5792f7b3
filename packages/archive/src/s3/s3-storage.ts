import type { Clock, Log } from '@pairwire/basics'
import type { BucketPlace } from '../archive-place.ts'
import type { Storage } from '../storage.ts'
import { Bucket } from './bucket.ts'
import { createTrial } from './trial.ts'

/**
 * Opens a bucket as storage, once an object written to it reads back unchanged. While the address does not answer, calls
 * reject with `StorageAwayError`, and the next call tries the object again.
 *
 * @throws Error with a sentence that names the variable, if the bucket refuses us or changes bytes
 */
export async function openS3Storage(
  place: BucketPlace,
  { clock, log }: { clock: Pick<Clock, 'elapsed'>; log: Log },
): Promise<Storage> {
  const trial = createTrial(new Bucket(place, async () => {}), clock, log)
  await trial.tryAtStart()
  return new Bucket(place, trial.pass)
}
