import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createPairwire, type PairwireError } from '@pairwire/client'
import { GATEWAY_LEASE_MS, HOUR_MS } from '@pairwire/contract'
import type { RowOf } from '@pairwire/contract/operator'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { startSmtpDouble } from '../../apps/api/src/testing/smtp-double.ts'
import { hasPostgres } from '../../packages/accounts/src/testing/postgres-server.ts'
import { freePort } from '../../packages/basics/src/testing/free-port.ts'
import { whyNoNatsServer } from '../../packages/bus/src/testing/nats-server.ts'
import { call } from '../buyers.ts'
import { askAsOperator } from '../operator.ts'
import { root } from '../service.ts'
import { STORY_MS } from '../story-time.ts'
import { createAccount, openStore, SECRET } from './accounts.ts'
import { type BucketOfAnHour, startBucketOfAnHour } from './bucket.ts'
import { createPart, type Deployment, entrypoint, readCompose, startDeployment } from './deployment.ts'
import { readServerSent } from './server-sent-reader.ts'
import { PASSWORDS, shippedConf } from './shipped-nats.ts'
import { readSwaps, type SwapReader, slotOf } from './swap-reader.ts'

/** The content of `.env` beside the file, for a machine without a public name, such as a test's. */
const VARIABLES = {
  PUBLIC_HOST: 'pairwire.example',
  SOLANA_SOURCE: 'simulator',
  METRICS_TOKEN: 'token',
  SESSION_SECRET: SECRET,
  KEY_ENCRYPTION_SECRET: SECRET,
  SMTP_URL: 'smtp://127.0.0.1:9',
  MAIL_FROM: 'hello@pairwire.example',
}

const why = hasPostgres() ? whyNoNatsServer() : 'there is no PostgreSQL'
const title = `the parts of deploy/compose.yaml${why ? `: ${why}` : ''}`

describe('deploy/compose.yaml', () => {
  it('names each required variable', () => {
    for (const name of Object.keys({ ...VARIABLES, ...PASSWORDS })) {
      const { [name]: _, ...others } = { ...VARIABLES, ...PASSWORDS } as Record<string, string>
      expect(() => readCompose(others)).toThrow(name)
    }
  })

  it('tells a user with the former single NATS password which three replace it', () => {
    const before = { ...VARIABLES, POSTGRES_PASSWORD: 'x', NATS_PASSWORD: 'x' }

    expect(() => readCompose(before)).toThrow(
      /NATS_INGEST_PASSWORD: new, with NATS_GATEWAY_PASSWORD and NATS_API_PASSWORD, instead of NATS_PASSWORD/,
    )
  })

  it.skipIf(whyNoNatsServer() !== undefined).each(['4e12ab34cd56', '12345678', 'true', 'word'])(
    'starts NATS with the password %s',
    (password) => {
      const { nats } = readCompose({ ...VARIABLES, ...PASSWORDS, NATS_GATEWAY_PASSWORD: password })
      const file = join(mkdtempSync(join(tmpdir(), 'pairwire-nats-conf-')), 'nats.conf')
      writeFileSync(file, shippedConf())
      onTestFinished(() => rmSync(dirname(file), { recursive: true }))

      const { status, stderr } = spawnSync('nats-server', ['--config', file, '-t'], {
        env: { PATH: process.env.PATH, ...nats!.environment },
        encoding: 'utf8',
      })

      expect(stderr).toContain('is valid')
      expect(status).toBe(0)
    },
  )

  it('has a proxy that knows every gateway', () => {
    const proxy = readFileSync(join(root, 'deploy/Caddyfile'), 'utf8')
    const services = readCompose({ ...VARIABLES, ...PASSWORDS })
    const gateways = Object.keys(services).filter((name) => name.startsWith('gateway'))

    expect(gateways).toHaveLength(3)
    for (const name of gateways) expect(proxy).toContain(`${name}:8080`)
  })
})

describe.skipIf(why !== undefined)(title, { timeout: STORY_MS }, () => {
  /** End of the hour in the bucket. */
  const to = Date.now() - (Date.now() % HOUR_MS)
  let deployment: Deployment
  let bucket: BucketOfAnHour
  let mails: Awaited<ReturnType<typeof startSmtpDouble>>
  let store: Awaited<ReturnType<typeof openStore>>
  let beginning: Promise<void> | undefined
  const begin = async () => {
    ;[bucket, mails] = await Promise.all([startBucketOfAnHour(to), startSmtpDouble()])
    const variables = { ...VARIABLES, PUBLIC_URL: 'http://localhost:8080', SMTP_URL: mails.url }
    deployment = await startDeployment(variables, { environment: bucket.settings })
    store = await openStore(deployment.databaseUrl)
  }
  beforeAll(() => {
    beginning = begin()
    return beginning
  })
  afterAll(async () => {
    // After a timeout it still goes on.
    await beginning?.catch(() => {})
    await store?.close()
    await deployment?.stop()
    await Promise.all([bucket?.stop(), mails?.close()])
  })

  /** A program that reads swaps until the test's end, which got each of them once and in order. */
  const readFrom = (port: number | (() => number), key: string): SwapReader => {
    const problems: string[] = []
    const reader = readSwaps({
      ...{ port: typeof port === 'number' ? () => port : port, key },
      problem: (sentence) => problems.push(sentence),
    })
    onTestFinished(() => {
      reader.stop()
      expect([...problems, reader.duplicates()]).toEqual([0])
    })
    return reader
  }
  type Reader = Pick<SwapReader, 'cursors' | 'gaps' | 'isOpen' | 'newestSlot'>
  /** The same for a program that reads server-sent events. */
  const readServerSentFrom = (port: () => number, key: string): Reader => {
    const problems: string[] = []
    const reader = readServerSent({ port, key, problem: (sentence) => problems.push(sentence) })
    onTestFinished(() => {
      reader.stop()
      expect(problems).toEqual([])
    })
    return reader
  }
  const opened = (...readers: Reader[]) =>
    expect.poll(() => readers.every((reader) => reader.isOpen())).toBe(true)
  const got = (count: number, ...readers: Reader[]) =>
    expect.poll(() => Math.min(...readers.map(({ cursors }) => cursors.length))).toBeGreaterThan(count)

  it('start with exactly its command and environment, in any order', async () => {
    expect([...deployment.parts.keys()].sort()).toEqual([
      'api',
      'archiver',
      'gateway-1',
      'gateway-2',
      'gateway-3',
      'ingest-1',
      'ingest-2',
    ])
    for (const { url } of deployment.parts.values()) {
      // An ingest waits there for the first block of its source.
      await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200)
      expect((await fetch(`${url}/metrics`)).status).toBe(200)
      await expect.poll(async () => (await fetch(`${url}/healthz`)).status).toBe(200)
    }
  })

  it('stream to a client of each gateway, and count its seat on all of them', async () => {
    const [one, two, three] = deployment.gateways()
    const { key } = await createAccount(store.accounts, 2)

    const [first, second] = [readFrom(one!.port, key), readFrom(two!.port, key)]
    await opened(first, second)
    const third = readFrom(three!.port, key)

    await expect.poll(() => third.reasons[0]).toMatch(/^4029 /)
    await got(5, first, second)
    first.stop()
    await opened(third)
    expect(second.reasons).toEqual([])
  })

  it('free the seats of a gateway that was killed within 5 s by the database’s clock, and refuse new connections with 503 until then', async () => {
    const [one, two] = deployment.gateways()
    const { key } = await createAccount(store.accounts, 1)
    await opened(readFrom(one!.port, key))

    await one!.end('SIGKILL')
    onTestFinished(() => one!.start())

    /** Milliseconds for which the dead gateway's seats still count. */
    const leftMs = async () => {
      const [row] = await store.ask(`
        select extract(epoch from until - clock_timestamp())::float8 * 1000 as left_ms
        from gateways where name like '%:${one!.port}'`)
      return Number(row!.left_ms)
    }
    expect(await leftMs()).toBeLessThanOrEqual(GATEWAY_LEASE_MS)
    expect(GATEWAY_LEASE_MS).toBeLessThan(5_000)
    const next = readFrom(two!.port, key)
    await opened(next)
    expect(await leftMs()).toBeLessThanOrEqual(0)
    // Too many attempts in a row are refused as such; no client is told that the limit is reached, as nobody knows.
    expect(next.reasons.filter((reason) => !/^(503|429) /.test(reason))).toEqual([])
    expect(next.reasons[0]).toMatch(/^503 /)
  })

  it('drain a stopping gateway: it reports that, and ends its streams with 1001 and their cursor', async () => {
    const gateway = deployment.gateways()[2]!
    const { key } = await createAccount(store.accounts, 1)
    let { port } = gateway
    const client = readFrom(() => port, key)
    await got(2, client)

    port = deployment.gateways()[0]!.port
    const ended = gateway.end('SIGTERM')
    await expect.poll(async () => (await fetch(`${gateway.url}/readyz`)).status).toBe(503)
    expect(client.isOpen()).toBe(true)

    await expect.poll(() => client.reasons[0]).toMatch(/^1001 .*resume_from: \S+/)
    const { length } = client.cursors
    expect(await ended).toBe(0)
    await got(length, client)
    expect(client.gaps).toEqual([])
    await gateway.start()
  })

  it('lose nothing for clients that resume while every gateway is restarted, one after the other', async () => {
    const gateways = deployment.gateways()
    const clients: Reader[] = []
    const port = () => gateways[Math.floor(Math.random() * gateways.length)]!.port
    for (let account = 0; account < 3; account++) {
      const { key } = await createAccount(store.accounts, 2)
      clients.push(readFrom(port, key), readFrom(port, key))
      const { key: other } = await createAccount(store.accounts, 1)
      clients.push(readServerSentFrom(port, other))
    }
    await got(0, ...clients)

    for (const gateway of gateways) {
      expect(await gateway.end('SIGTERM')).toBe(0)
      await gateway.start()
      await opened(...clients)
    }
    const end = Math.max(...clients.map((client) => client.newestSlot()))
    await expect.poll(() => Math.min(...clients.map((client) => client.newestSlot()))).toBeGreaterThan(end)

    const all = [...new Set(clients.flatMap(({ cursors }) => cursors))].filter(
      (cursor) => slotOf(cursor) <= end,
    )
    for (const { cursors, gaps } of clients) {
      const had = new Set(cursors)
      // It joined within its first slot.
      const lost = all.filter((cursor) => slotOf(cursor) > slotOf(cursors[0]!) && !had.has(cursor))
      const isSaid = (slot: number) => gaps.some(({ fromSlot, toSlot }) => slot >= fromSlot && slot <= toSlot)
      expect(lost.filter((cursor) => !isSaid(slotOf(cursor)))).toEqual([])
    }
  })

  it('refuse a program by an error whose page its gateway leads to', async () => {
    const { url } = deployment.gateways()[0]!
    const swaps = createPairwire({ url, key: 'f'.repeat(32), onState() {} }).swaps()
    const error = await swaps[Symbol.asyncIterator]()
      .next()
      .catch((thrown: PairwireError) => thrown)

    const { docs } = error as PairwireError
    const { status, headers } = await fetch(docs, { redirect: 'manual' })

    expect([docs, status]).toEqual([`${url}/docs/errors/key-unknown`, 302])
    expect(headers.get('location')).toBe('http://localhost:8080/docs/errors/key-unknown')
    const page = docs.replace(url, deployment.parts.get('api')!.url)
    expect((await fetch(page)).status).toBe(200)
  })

  it('are joined by a whole service in one process that shares their NATS and their database', async () => {
    const port = await freePort()
    const whole = createPart('whole', port, ['node', 'scripts/start.mjs'], {
      ...{ SOLANA_SOURCE: 'simulator?history=0', SESSION_SECRET: SECRET, KEY_ENCRYPTION_SECRET: SECRET },
      ...{ NATS_URL: deployment.natsUrl, DATABASE_URL: deployment.databaseUrl },
      PORT: String(port),
      DATA_DIR: mkdtempSync(join(tmpdir(), 'pairwire-whole-')),
    })
    onTestFinished(() => void whole.end('SIGKILL'))
    await whole.start()
    const { key } = await createAccount(store.accounts, 1)

    await got(2, readFrom(whole.port, key))

    const late = readFrom(deployment.gateways()[1]!.port, key)
    await expect.poll(() => late.reasons[0]).toMatch(/^4029 /)
    expect(await whole.end('SIGTERM')).toBe(0)
  })

  it('sell, deliver, replay and try an hour in a bucket, and deliver it without their archiver', async () => {
    const { url } = deployment.parts.get('api')!
    const archiver = deployment.parts.get('archiver')!
    const { key, email } = await createAccount(store.accounts, 2)
    const { hour, counts, files } = bucket.manifest
    await call(url, 'POST', '/api/login', '', { email })
    await expect.poll(() => mails.received.some((mail) => mail.to.includes(email))).toBe(true)
    const { text } = mails.received.find((mail) => mail.to.includes(email))!
    const email_token = /[?&]t=([\w-]+)/.exec(text.replaceAll('=\r\n', '').replaceAll('=3D', '='))![1]
    const { token: session } = await call(url, 'POST', '/api/authenticate', '', { email_token })

    const { order, checkout } = await call(url, 'POST', '/api/history/orders', session, {
      ...{ offer: 'hour', to: new Date(to).toISOString() },
    })
    const body = new URLSearchParams({ outcome: 'pay' })
    await fetch(new URL(checkout.url, url), { method: 'POST', body, redirect: 'manual' })
    const asked = await (await fetch(`${url}/order/${order.id}`, { headers: { 'x-api-key': key } })).json()
    const download = async () => {
      const answer = await fetch(`${url}/archive/download/${hour}?token=${asked.download_token}`)
      return createHash('sha256')
        .update(Buffer.from(await answer.arrayBuffer()))
        .digest('hex')
    }
    const from = new Date(to - 10_000).toISOString().replace('.000', '')
    /** Codes of the answers that refuse a playback. */
    const refusals: number[] = []
    class Told extends WebSocket {
      constructor(...parts: ConstructorParameters<typeof WebSocket>) {
        super(...parts)
        this.on('message', (text) => refusals.push(...[JSON.parse(String(text)).error?.code ?? []].flat()))
      }
    }
    const play = async () => {
      const pairwire = createPairwire({
        ...{ url: `ws://127.0.0.1:${deployment.gateways()[1]!.port}`, key, WebSocket: Told, retryMaxMs: 500 },
        onState() {},
      })
      const played: boolean[] = []
      for await (const { replay } of pairwire.swaps({ replay: { from, speed: 10 } })) played.push(replay)
      return played
    }
    const tryIt = () => call(url, 'POST', '/api/filter/try', session, { kind: 'swap', params: {}, hours: 1 })

    expect(await download()).toBe(files[0]!.sha256)
    expect(await play()).toEqual(Array(10).fill(true))
    expect(refusals).toEqual([])
    expect(await tryIt()).toMatchObject({ matched: counts.swaps, total: counts.swaps })

    await archiver.end('SIGTERM')
    expect(await download()).toBe(files[0]!.sha256)
    const waiting = play()
    await expect.poll(() => refusals).toContain(-32_603)
    expect(await tryIt()).toMatchObject({ errorType: 'ERR_UNAVAILABLE' })
    await archiver.start()
    expect(await waiting).toHaveLength(10)
  })

  it('show the operator each of their processes, and what each knows alone', async () => {
    const [row] = await askAsOperator({ dataFolder: deployment.folderOf('api') }, 'stream show', {})

    const stream = row as unknown as RowOf<'stream show'>
    expect(stream.missing).toEqual([])
    expect(stream.processes.map(({ part }) => part).sort()).toEqual([
      ...['api', 'archiver', 'gateway', 'gateway', 'gateway', 'ingest', 'ingest'],
    ])
    expect(stream.disks).toHaveLength(4)
    expect(stream).toMatchObject({
      source: { up: true },
      kept: { bytes: null, oldestCursor: expect.any(String) },
      archiving: { failures: 0 },
      webhooks: { refused: 0 },
    })
    expect(stream.leases).not.toEqual([])
  })

  it('are reported by the api: the source, and whether every gateway answers', async () => {
    const { url } = deployment.parts.get('api')!

    const status = await (await fetch(`${url}/status.json`)).json()

    expect(status.latestBlock).toBeGreaterThan(0)
    expect(status.state).toBe('well')
  })

  it('are reported by the api while the database is away: that it is, and that the others are up', async () => {
    const { url } = deployment.parts.get('api')!
    const health = async () => (await fetch(`${url}/healthz`)).json()
    const others = { bus: true, disk: true, source: true, webhooks: true }
    onTestFinished(() => deployment.postgres.start())
    await deployment.postgres.kill()

    await expect.poll(health).toEqual({ status: 'down', parts: { database: false, ...others } })
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toContain('pairwire_part_up{part="database"} 0')
  })
})

describe('a part that runs alone', () => {
  it.each([
    ['ingest', ['NATS_URL']],
    ['archiver', ['NATS_URL', 'ARCHIVE_URL']],
    ['gateway', ['NATS_URL', 'DATABASE_URL', 'KEY_ENCRYPTION_SECRET']],
    ['api', ['NATS_URL', 'ARCHIVE_URL', 'DATABASE_URL', 'SESSION_SECRET', 'KEY_ENCRYPTION_SECRET']],
  ])('%s stops with a sentence for each variable that it needs', async (name, needed) => {
    const part = createPart(name, await freePort(), [...entrypoint(), name], {})

    await expect(part.start()).rejects.toThrow('ended with 1')

    for (const variable of needed)
      expect(part.output()).toContain(`${variable}: required by a part that runs alone.`)
  })
})
