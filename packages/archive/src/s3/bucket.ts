import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandOutput,
  S3Client,
} from '@aws-sdk/client-s3'
import { Upload } from '@aws-sdk/lib-storage'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { nameOf } from '@pairwire/basics'
import type { BucketPlace } from '../archive-place.ts'
import {
  assertObjectName,
  type ByteRange,
  type Storage,
  StorageAwayError,
  type StoredObject,
} from '../storage.ts'

/** Bytes of a part of an upload. Two are held in memory; the limit of 10,000 parts allows 80 GB. */
export const PART_BYTES = 8 * 1_048_576

/** Seconds for which a signed address is valid. */
const SIGNED_SECONDS = 900

/** Milliseconds to connect, to the head of an answer, and without a byte: a customer may read a file slowly. */
const CONNECT_MS = 5_000
const ANSWER_MS = 120_000
const IDLE_MS = 600_000

/** Connections to the bucket at the same time; each download that the api proxies takes one. */
const MAX_SOCKETS = 512

/** A bucket on an S3-compatible server, by path-style addresses. */
export class Bucket implements Storage {
  readonly #client: S3Client
  readonly #publicClient: S3Client | undefined
  readonly #bucket: string
  readonly #prefix: string
  readonly #ready: () => Promise<void>

  /** Every call waits for `ready` first. */
  constructor({ endpoint, publicUrl, bucket, prefix, ...access }: BucketPlace, ready: () => Promise<void>) {
    this.#ready = ready
    this.#bucket = bucket
    this.#prefix = prefix && `${prefix}/`
    this.#client = createClient(endpoint, access)
    this.#publicClient = publicUrl ? createClient(publicUrl, access) : undefined
  }

  async putFile(name: string, file: string): Promise<void> {
    const { size } = await stat(file)
    await this.#put(name, createReadStream(file, { highWaterMark: 1_048_576 }), size)
  }

  async putText(name: string, text: string): Promise<void> {
    const bytes = Buffer.from(text)
    await this.#put(name, bytes, bytes.length)
  }

  async readText(name: string): Promise<string | undefined> {
    const command = new GetObjectCommand(this.#at(name))
    return this.#ifThere(async () => (await this.#client.send(command)).Body?.transformToString())
  }

  async open(name: string, range?: ByteRange): Promise<Readable | undefined> {
    const Range = range && `bytes=${range.start}-${range.end}`
    const command = new GetObjectCommand({ ...this.#at(name), Range })
    const found = await this.#ifThere(() => this.#client.send(command))
    return found?.Body as Readable | undefined // always a Readable in Node
  }

  async *list(folder: string): AsyncIterable<StoredObject> {
    for await (const { Contents = [] } of this.#pages(folder)) {
      for (const { Key = '', Size = 0, LastModified = new Date(0), ETag = '' } of Contents) {
        const name = Key.slice(this.#prefix.length)
        yield { name, bytes: Size, modifiedAt: LastModified, version: ETag }
      }
    }
  }

  async folders(folder: string): Promise<readonly string[]> {
    const names: string[] = []
    for await (const { CommonPrefixes = [] } of this.#pages(folder, '/')) {
      for (const { Prefix = '' } of CommonPrefixes) {
        names.push(Prefix.slice(`${this.#prefix}${folder}/`.length, -1))
      }
    }
    return names
  }

  async remove(name: string): Promise<void> {
    const command = new DeleteObjectCommand(this.#at(name))
    await this.#ifThere(() => this.#client.send(command))
  }

  localPath(): undefined {}

  async signedUrl(name: string, fileName: string): Promise<string | undefined> {
    if (!this.#publicClient) return undefined
    const command = new GetObjectCommand({
      ...this.#at(name),
      ResponseContentDisposition: `attachment; filename="${fileName}"`,
      ResponseCacheControl: 'private',
    })
    return getSignedUrl(this.#publicClient, command, { expiresIn: SIGNED_SECONDS })
  }

  /** Checks the size after each put: some servers store the chunk markers of a stream as bytes. */
  async #put(name: string, body: Readable | Buffer, bytes: number): Promise<void> {
    const params = { ...this.#at(name), Body: body }
    const { ContentLength } = await this.#orAway(async () => {
      await new Upload({ client: this.#client, params, partSize: PART_BYTES, queueSize: 2 }).done()
      return this.#client.send(new HeadObjectCommand(this.#at(name)))
    })
    if (ContentLength === bytes) return
    await this.remove(name)
    throw new StorageAwayError(new ChangedBytesError(`It kept ${ContentLength} bytes of ${bytes}.`))
  }

  async *#pages(folder: string, Delimiter?: string): AsyncIterable<ListObjectsV2CommandOutput> {
    const { Bucket, Key } = this.#at(folder)
    let ContinuationToken: string | undefined
    do {
      const command = new ListObjectsV2Command({ Bucket, Prefix: `${Key}/`, Delimiter, ContinuationToken })
      const page = await this.#orAway(() => this.#client.send(command))
      yield page
      ContinuationToken = page.IsTruncated ? page.NextContinuationToken : undefined
    } while (ContinuationToken)
  }

  #at(name: string): { Bucket: string; Key: string } {
    assertObjectName(name)
    return { Bucket: this.#bucket, Key: `${this.#prefix}${name}` }
  }

  async #ifThere<Value>(look: () => Promise<Value>): Promise<Value | undefined> {
    return this.#orAway(look).catch((error) => {
      if (error instanceof StorageAwayError && nameOf(error.cause) === 'NoSuchKey') return undefined
      throw error
    })
  }

  async #orAway<Value>(call: () => Promise<Value>): Promise<Value> {
    await this.#ready()
    try {
      return await call()
    } catch (error) {
      throw new StorageAwayError(error)
    }
  }
}

/** The bucket does not return the bytes it was given. */
export class ChangedBytesError extends Error {}

type Access = Readonly<{ accessKey: string; secretKey: string; region: string }>

/** Sends checksums only if required: some servers store them as bytes of the object. */
function createClient(endpoint: string, { accessKey, secretKey, region }: Access): S3Client {
  return withoutWarning(() => {
    return new S3Client({
      endpoint,
      region,
      credentials: { accessKeyId: accessKey, secretAccessKey: secretKey },
      forcePathStyle: true,
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      followRegionRedirects: false,
      requestHandler: {
        connectionTimeout: CONNECT_MS,
        requestTimeout: ANSWER_MS,
        throwOnRequestTimeout: true,
        socketTimeout: IDLE_MS,
        httpAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
        httpsAgent: { keepAlive: true, maxSockets: MAX_SOCKETS },
      },
    })
  })
}

/** The library prints a warning about Node 20 when a client is created. */
function withoutWarning<Value>(make: () => Value): Value {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return make()
  } finally {
    process.emitWarning = emitWarning
  }
}
