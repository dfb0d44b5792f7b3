import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type Clock, isObject, type Log, messageOf, nameOf } from '@pairwire/basics'
import { LEFTOVER_MS, type Storage, StorageAwayError } from '../storage.ts'
import { ChangedBytesError, PART_BYTES } from './bucket.ts'

/** Milliseconds between two trials of a bucket that does not answer. */
const TRIAL_MS = 10_000

/** Reasons for which the bucket refuses us, by the server's error name. */
const REFUSALS: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'ARCHIVE_ACCESS_KEY: the bucket does not know this key.',
  SignatureDoesNotMatch: 'ARCHIVE_SECRET_KEY: the bucket refuses what is signed with it.',
  AccessDenied:
    'ARCHIVE_ACCESS_KEY: this key may not list, read, write and remove in the bucket of ARCHIVE_URL.',
  NoSuchBucket: 'ARCHIVE_URL: there is no such bucket.',
  AuthorizationHeaderMalformed: 'ARCHIVE_REGION: the bucket is in another region.',
  PermanentRedirect: 'ARCHIVE_REGION: the bucket is in another region.',
}

/** Tries a bucket until it returns the bytes it was given. */
export function createTrial(bucket: Storage, clock: Pick<Clock, 'elapsed'>, log: Log) {
  let isPassed = false
  let trying: Promise<void> | undefined
  let lastAt = Number.NEGATIVE_INFINITY
  let lastError: unknown

  /** Runs one trial for all who wait for it, and for those who call soon after. */
  const pass = async () => {
    if (isPassed) return
    if (!trying && clock.elapsed() - lastAt < TRIAL_MS) throw lastError
    trying ??= tryObject(bucket).finally(() => {
      lastAt = clock.elapsed()
      trying = undefined
    })
    try {
      await trying
      isPassed = true
    } catch (error) {
      lastError = error
      throw error
    }
  }

  return {
    /** Resolves once the bucket may be used. @throws StorageAwayError */
    pass,
    /** @throws Error with a sentence that names the variable, if trying again would not help */
    async tryAtStart(): Promise<void> {
      try {
        await pass()
      } catch (error) {
        const cause = error instanceof StorageAwayError ? error.cause : error
        const sentence = refusalOf(cause)
        if (sentence) throw new Error(sentence, { cause })
        log.warn('The bucket of the archive does not answer. Trying again.', {
          reason: messageOf(cause),
        })
      }
    },
  }
}

/** Writes an object in two parts, as the files of an hour are written, reads it back, and removes it. */
export async function tryObject(bucket: Storage): Promise<void> {
  const bytes = randomBytes(PART_BYTES + 1024)
  const name = `trial/${randomUUID()}`
  const folder = await mkdtemp(join(tmpdir(), 'pairwire-trial-'))
  try {
    // Removes trials of killed processes. A small request may also show an error that a large one hides.
    for await (const left of bucket.list('trial')) {
      if (Date.now() - left.modifiedAt.getTime() > LEFTOVER_MS) await bucket.remove(left.name)
    }
    await writeFile(join(folder, 'object'), bytes)
    await bucket.putFile(name, join(folder, 'object'))
    const found = await bucket.open(name)
    const isSame = found !== undefined && (await buffer(found)).equals(bytes)
    await bucket.remove(name)
    if (!isSame)
      throw new StorageAwayError(new ChangedBytesError('It returned other bytes than it was given.'))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A sentence for the operator; undefined if the server may answer differently later. */
export function refusalOf(cause: unknown): string | undefined {
  if (cause instanceof ChangedBytesError) {
    return `ARCHIVE_URL: this server does not keep objects as they are sent. ${cause.message}`
  }
  const metadata = isObject(cause) && isObject(cause.$metadata) ? cause.$metadata : {}
  const isRefused = metadata.httpStatusCode === 401 || metadata.httpStatusCode === 403
  return REFUSALS[nameOf(cause)] ?? (isRefused ? REFUSALS.AccessDenied : undefined)
}
