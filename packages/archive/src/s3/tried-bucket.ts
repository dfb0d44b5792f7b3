import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { type Clock, isObject, type Log, messageOf } from '@pairwire/basics'
import { type Storage, StorageAwayError } from '../storage.ts'
import { ChangedBytesError, PART_BYTES } from './bucket.ts'

/** Milliseconds between two trials of a bucket that does not answer. */
const TRIAL_MS = 10_000

/** What refuses us, by the server's name of the error. */
const REFUSALS: Readonly<Record<string, string>> = {
  InvalidAccessKeyId: 'ARCHIVE_ACCESS_KEY: the bucket does not know this key.',
  SignatureDoesNotMatch: 'ARCHIVE_SECRET_KEY: the bucket refuses what is signed with it.',
  AccessDenied:
    'ARCHIVE_ACCESS_KEY: this key may not list, read, write and remove in the bucket of ARCHIVE_URL.',
  NoSuchBucket: 'ARCHIVE_URL: there is no such bucket.',
  AuthorizationHeaderMalformed: 'ARCHIVE_REGION: the bucket is in another region.',
  PermanentRedirect: 'ARCHIVE_REGION: the bucket is in another region.',
}

/** Gives a bucket away once it was tried. */
export function triedBucket(bucket: Storage, clock: Pick<Clock, 'elapsed'>, log: Log) {
  let isTried = false
  let trial: Promise<void> | undefined
  let lastAt = Number.NEGATIVE_INFINITY
  let lastError: unknown

  /** One trial at a time serves all who wait, and then none for a while. */
  const tryAgain = async () => {
    if (!trial && clock.elapsed() - lastAt < TRIAL_MS) throw lastError
    trial ??= tryObject(bucket)
      .then(() => {
        isTried = true
      })
      .catch((error) => {
        lastError = error
        throw error
      })
      .finally(() => {
        lastAt = clock.elapsed()
        trial = undefined
      })
    await trial
  }

  return {
    /** @throws Error with a sentence that names the variable, where trying again would not help */
    async tryAtStart(): Promise<void> {
      try {
        await tryAgain()
      } catch (error) {
        const sentence = refusalOf(error)
        if (sentence) throw new Error(sentence, { cause: error })
        log.warn('The bucket of the archive does not answer. It is tried again.', { reason: reasonOf(error) })
      }
    },
    async bucket(): Promise<Storage> {
      if (isTried) return bucket
      try {
        await tryAgain()
      } catch (error) {
        throw error instanceof StorageAwayError ? error : new StorageAwayError(error)
      }
      return bucket
    },
  }
}

/** Writes an object as the files of an hour are written, in two parts, reads it back, and removes it. */
async function tryObject(bucket: Storage): Promise<void> {
  const bytes = randomBytes(PART_BYTES + 1024)
  const name = `trial/${randomUUID()}`
  const folder = await mkdtemp(join(tmpdir(), 'pairwire-trial-'))
  try {
    await writeFile(join(folder, 'object'), bytes)
    await bucket.putFile(name, join(folder, 'object'))
    const found = await bucket.open(name)
    const isSame = found !== undefined && (await buffer(found)).equals(bytes)
    await bucket.remove(name)
    if (!isSame) throw new ChangedBytesError('It gave back other bytes than it was given.')
    for await (const object of bucket.list('trial')) if (object.name === name) await bucket.remove(name)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A sentence for the operator; undefined where the server may answer otherwise later. */
function refusalOf(error: unknown): string | undefined {
  const cause = error instanceof StorageAwayError ? error.cause : error
  if (cause instanceof ChangedBytesError) {
    return `ARCHIVE_URL: this server does not keep objects as they are sent. ${cause.message}`
  }
  const known = cause instanceof Error ? REFUSALS[cause.name] : undefined
  const metadata = isObject(cause) && isObject(cause.$metadata) ? cause.$metadata : {}
  const isRefused = metadata.httpStatusCode === 401 || metadata.httpStatusCode === 403
  return known ?? (isRefused ? REFUSALS.AccessDenied : undefined)
}

function reasonOf(error: unknown): string {
  return messageOf(error instanceof StorageAwayError ? error.cause : error)
}
