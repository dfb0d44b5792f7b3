import { once } from 'node:events'
import { readdirSync, utimesSync } from 'node:fs'
import { createServer, type RequestListener, request, type Server } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import type { Log } from '@pairwire/basics'
import S3rver from 's3rver'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { BucketPlace } from '../archive-place.ts'
import { createArchive } from '../hours.ts'
import { describeStorage, listed } from '../storage.suite.ts'
import { StorageAwayError } from '../storage.ts'
import { aFolder, anHour } from '../testing/an-hour.ts'
import { Bucket } from './bucket.ts'
import { openS3Storage } from './s3-storage.ts'

/** The server's own folder. */
const buckets = aFolder()
let server: S3rver
let port = 0
let prefixes = 0

beforeAll(async () => {
  const configureBuckets = [{ name: 'hours', configs: [] }]
  server = new S3rver({ port: 0, address: '127.0.0.1', silent: true, directory: buckets, configureBuckets })
  port = (await server.run()).port
})

afterAll(() => server.close())

/** A separate prefix in the bucket. */
function aPlace(members: Partial<BucketPlace> = {}): BucketPlace {
  return {
    kind: 'bucket',
    endpoint: `http://127.0.0.1:${port}`,
    bucket: 'hours',
    prefix: `test/${prefixes++}`,
    accessKey: 'S3RVER',
    secretKey: 'S3RVER',
    region: 'us-east-1',
    publicUrl: undefined,
    ...members,
  }
}

function aLog(): { log: Log; warnings: string[] } {
  const warnings: string[] = []
  const log = { info: () => {}, warn: (sentence: string) => void warnings.push(sentence), error: () => {} }
  return { log, warnings }
}

async function openAt(members: Partial<BucketPlace> = {}, clock = { elapsed: () => performance.now() }) {
  return openS3Storage(aPlace(members), { clock, log: aLog().log })
}

describeStorage('a bucket as storage', async () => new Bucket(aPlace(), async () => {}))

describe('a bucket as storage, at the start,', () => {
  it('leaves no trial object behind, and prints nothing', async () => {
    const warned = vi.spyOn(process, 'emitWarning')
    const place = aPlace()

    const storage = await openS3Storage(place, { clock: { elapsed: () => 0 }, log: aLog().log })

    expect(await listed(storage, 'trial')).toEqual([])
    expect(warned).not.toHaveBeenCalled()
    warned.mockRestore()
  })

  it('removes the trial of a process killed an hour ago, but not one that another process makes now', async () => {
    const place = aPlace()
    const bucket = new Bucket(place, async () => {})
    for (const name of ['left', 'running']) await bucket.putText(`trial/${name}`, name)
    const longAgo = new Date(Date.now() - 3_700_000)
    const folder = join(buckets, place.bucket, place.prefix, 'trial')
    for (const file of readdirSync(folder)) {
      if (file.startsWith('left')) utimesSync(join(folder, file), longAgo, longAgo)
    }

    const storage = await openS3Storage(place, { clock: { elapsed: () => 0 }, log: aLog().log })

    expect((await listed(storage, 'trial')).map(({ name }) => name)).toEqual(['trial/running'])
  })

  it('stops with a sentence that names the variable if the key, the secret or the bucket is wrong', async () => {
    await expect(openAt({ accessKey: 'OTHER' })).rejects.toThrow(/^ARCHIVE_ACCESS_KEY: /)
    const strict = await serve((_request, response) => {
      const body =
        '<?xml version="1.0"?><Error><Code>SignatureDoesNotMatch</Code><Message>No.</Message></Error>'
      response.writeHead(403, { 'content-type': 'application/xml' }).end(body)
    })
    await expect(openAt({ endpoint: `http://127.0.0.1:${portOf(strict)}` })).rejects.toThrow(
      /^ARCHIVE_SECRET_KEY: /,
    )
    strict.close()
    await expect(openAt({ bucket: 'none' })).rejects.toThrow(/^ARCHIVE_URL: there is no such bucket/)
  })

  it('stops if the server keeps other bytes than it was sent', async () => {
    const changing = await proxyThatChangesBytes()
    await expect(openAt({ endpoint: `http://127.0.0.1:${portOf(changing)}` })).rejects.toThrow(
      /^ARCHIVE_URL: this server does not keep objects as they are sent/,
    )
    changing.close()
  })

  it('starts while the server does not answer, and serves once it does', async () => {
    const { log, warnings } = aLog()
    const place = aPlace()
    const gate = await openGate()
    gate.isOpen = false
    let now = 0
    const clock = { elapsed: () => now }
    const storage = await openS3Storage({ ...place, endpoint: gate.address }, { clock, log })
    expect(warnings).toHaveLength(1)
    // The operator's verbs print nothing else.
    const away = storage.putText('chain/a', 'text')
    await expect(away).rejects.toThrow(/^The archive cannot be reached: [^:]*\w/)
    await expect(away).rejects.toThrow(StorageAwayError)

    gate.isOpen = true
    await expect(storage.putText('chain/a', 'text')).rejects.toThrow(StorageAwayError) // tried a moment ago
    now += 10_000
    await storage.putText('chain/a', 'text')

    expect(await storage.readText('chain/a')).toBe('text')
    gate.close()
  })
})

describe('a bucket as storage, by pages,', () => {
  it('lists every page of a folder', async () => {
    const page = (key: string, next: string) =>
      `<?xml version="1.0"?><ListBucketResult><IsTruncated>${next !== ''}</IsTruncated>${next}<Contents>` +
      `<Key>chain/${key}</Key><LastModified>2026-11-23T13:00:00.000Z</LastModified><ETag>"${key}"</ETag>` +
      '<Size>7</Size></Contents></ListBucketResult>'
    const paged = await serve((incoming, response) => {
      const isSecond = incoming.url!.includes('continuation-token=more')
      const next = '<NextContinuationToken>more</NextContinuationToken>'
      response.writeHead(200, { 'content-type': 'application/xml' })
      response.end(isSecond ? page('2', '') : page('1', next))
    })
    const place = aPlace({ endpoint: `http://127.0.0.1:${portOf(paged)}`, prefix: '' })

    const objects = await listed(new Bucket(place, async () => {}), 'chain')

    expect(objects).toMatchObject([
      { name: 'chain/1', bytes: 7, version: '"1"' },
      { name: 'chain/2', bytes: 7, version: '"2"' },
    ])
    paged.close()
  })
})

describe('an archive in a bucket', () => {
  it('is away while the connection breaks, shows nothing partial, and has the hour after a second try', async () => {
    const gate = await openGate()
    const place = aPlace()
    const clock = { elapsed: () => performance.now() }
    const storage = await openS3Storage({ ...place, endpoint: gate.address }, { clock, log: aLog().log })
    const { paths, manifest } = anHour('20261123-130000')
    for (const bytes of [0, 300, 2_000, 6_000]) {
      gate.bytesLeft = bytes
      const publishing = createArchive(storage, { now: Date.now }).publish(paths, manifest)
      await expect(publishing).rejects.toThrow(StorageAwayError)
      gate.bytesLeft = Number.POSITIVE_INFINITY
      expect(await createArchive(storage, { now: Date.now }).findNewest('simulator')).toBeUndefined()
    }

    await createArchive(storage, { now: Date.now }).publish(paths, manifest)

    expect(await createArchive(storage, { now: Date.now }).findNewest('simulator')).toEqual(manifest)
    gate.close()
  })

  it('serves a range over a slow connection', async () => {
    const gate = await openGate()
    const storage = await openAt({ endpoint: gate.address })
    await storage.putText('chain/a', 'x'.repeat(50_000))
    gate.slowMs = 5

    const found = await storage.open('chain/a', { start: 10, end: 20_009 })

    expect((await text(found!)).length).toBe(20_000)
    gate.close()
  })

  it('gives customers an address at the public host that saves under the customer’s file name', async () => {
    const place = aPlace({ publicUrl: 'https://files.example' })
    const archive = createArchive(
      await openS3Storage(place, { clock: { elapsed: () => 0 }, log: aLog().log }),
      { now: Date.now },
    )
    const { paths, manifest } = anHour('20261123-130000')
    await archive.publish(paths, manifest)

    const url = new URL((await archive.signedUrl(manifest, 'swaps'))!)

    expect(url.origin).toBe('https://files.example')
    expect(url.pathname).toBe(`/hours/${place.prefix}/simulator/2026-11/${manifest.files[1]!.name}`)
    expect(url.searchParams.get('X-Amz-Expires')).toBe('900')
    expect(url.searchParams.get('response-content-disposition')).toBe(
      'attachment; filename="20261123-130000.swaps.parquet"',
    )
  })

  it('gives an address from which the file can be read', async () => {
    const endpoint = `http://127.0.0.1:${port}`
    const archive = createArchive(await openAt({ publicUrl: endpoint }), { now: Date.now })
    const { paths, manifest } = anHour('20261123-130000')
    await archive.publish(paths, manifest)

    const answer = await fetch((await archive.signedUrl(manifest, 'zip'))!)

    expect(await answer.text()).toBe('zip of 20261123-130000')
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="20261123-130000.zip"')
  })
})

async function serve(listener: RequestListener): Promise<Server> {
  const listening = createServer(listener).listen(0, '127.0.0.1')
  await once(listening, 'listening')
  return listening
}

function portOf(listening: { address(): unknown }): number {
  return (listening.address() as AddressInfo).port // it listens on a port
}

/** Forwards everything to the bucket, and answers each large GET with one byte changed. */
function proxyThatChangesBytes(): Promise<Server> {
  return serve((incoming, response) => {
    const { url, method, headers } = incoming
    const outgoing = request({ host: '127.0.0.1', port, path: url, method, headers }, async (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      let at = 0
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        if (method === 'GET' && at <= 500_000 && at + chunk.length > 500_000) chunk[500_000 - at]! ^= 1
        at += chunk.length
        response.write(chunk)
      }
      response.end()
    })
    outgoing.on('continue', () => response.writeContinue())
    incoming.pipe(outgoing)
  })
}

/** A connection to the bucket that can be closed, cut after some bytes, or slowed down. */
async function openGate() {
  const sockets = new Set<Socket>()
  const gate = {
    isOpen: true,
    bytesLeft: Number.POSITIVE_INFINITY,
    slowMs: 0,
    address: '',
    close: () => {
      listening.close()
      for (const socket of sockets) socket.destroy()
    },
  }
  const listening = createTcpServer((socket) => {
    const upstream = connect(port, '127.0.0.1')
    for (const one of [socket, upstream]) {
      sockets.add(one)
      one.on('error', () => {}).on('close', () => [socket, upstream].map((each) => each.destroy()))
    }
    if (!gate.isOpen) return void socket.destroy()
    socket.on('data', (bytes) => {
      gate.bytesLeft -= bytes.length
      if (gate.bytesLeft < 0) socket.destroy()
      else upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      if (gate.slowMs === 0) return void socket.write(bytes)
      upstream.pause()
      setTimeout(() => {
        socket.write(bytes)
        upstream.resume()
      }, gate.slowMs)
    })
    return undefined
  }).listen(0, '127.0.0.1')
  await once(listening, 'listening')
  gate.address = `http://127.0.0.1:${portOf(listening)}`
  return gate
}
