import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { GATEWAY_LEASE_MS, HOUR_MS } from '@pairwire/contract'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startSmtpDouble } from '../../apps/api/src/testing/smtp-double.ts'
import { hasPostgres } from '../../packages/accounts/src/testing/postgres-server.ts'
import { freePort } from '../../packages/basics/src/testing/free-port.ts'
import { whyNoNatsServer } from '../../packages/bus/src/testing/nats-server.ts'
import { call } from '../buyers.ts'
import { root } from '../service.ts'
import { STORY_MS } from '../story-time.ts'
import { type BucketOfAnHour, startBucketOfAnHour } from './bucket.ts'
import { createPart, type Deployment, entrypoint, readCompose, startDeployment } from './deployment.ts'
import { createResumingClient, type ResumingClient, slotOf } from './resuming-client.ts'
import { PASSWORDS, shippedConf } from './shipped-nats.ts'
import { connectStream, createAccount, openStore, playBack } from './stream-client.ts'

const SECRET = 'a secret of thirty-two characters or more'

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
  beforeAll(async () => {
    ;[bucket, mails] = await Promise.all([startBucketOfAnHour(to), startSmtpDouble()])
    const variables = { ...VARIABLES, PUBLIC_URL: 'http://localhost:8080', SMTP_URL: mails.url }
    deployment = await startDeployment(variables, { environment: bucket.settings })
  })
  afterAll(async () => {
    await deployment?.stop()
    await Promise.all([bucket?.stop(), mails?.close()])
  })

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
    const { databaseUrl } = deployment
    const [one, two, three] = deployment.gateways()
    const { key } = await createAccount(databaseUrl, SECRET, { connections: 2 })

    const first = await connectStream(one!.port, key)
    const second = await connectStream(two!.port, key)
    const third = await connectStream(three!.port, key)

    expect([first.status, second.status, third.status]).toEqual([101, 101, 429])
    first.subscribe()
    second.subscribe()
    await expect.poll(() => Math.min(first.cursors.length, second.cursors.length)).toBeGreaterThan(5)
    first.close()
    const fourth = await connectStream(three!.port, key)
    expect(fourth.status).toBe(101)
    for (const client of [second, fourth]) client.close()
  })

  it('free the seats of a gateway that was killed within 5 s by the database’s clock, and refuse new connections with 503 until then', async () => {
    const [one, two] = deployment.gateways()
    const { key } = await createAccount(deployment.databaseUrl, SECRET, { connections: 1 })
    const store = await openStore(deployment.databaseUrl, SECRET)
    const held = await connectStream(one!.port, key)
    expect(held.status).toBe(101)

    await one!.end('SIGKILL')
    onTestFinished(async () => {
      await store.close()
      await one!.start()
    })

    /** Milliseconds for which the dead gateway's seats still count. */
    const leftMs = async () => {
      const [row] = await store.ask(`
        select extract(epoch from until - clock_timestamp())::float8 * 1000 as left_ms
        from gateways where name like '%:${one!.port}'`)
      return Number(row!.left_ms)
    }
    expect(await leftMs()).toBeLessThanOrEqual(GATEWAY_LEASE_MS)
    expect(GATEWAY_LEASE_MS).toBeLessThan(5_000)
    for (;;) {
      const client = await connectStream(two!.port, key)
      client.close()
      if (client.status === 101) break
      // Too many attempts in a row are refused as such; no client is told that the limit is reached, as nobody knows.
      expect([503, 429]).toContain(client.status)
      await new Promise((resolve) => setTimeout(resolve, 1_000))
    }
    expect(await leftMs()).toBeLessThanOrEqual(0)
  })

  it('drain a stopping gateway: it reports that, and ends its streams with 1001 and their cursor', async () => {
    const gateway = deployment.gateways()[2]!
    const { key } = await createAccount(deployment.databaseUrl, SECRET, { connections: 1 })
    const client = await connectStream(gateway.port, key)
    client.subscribe()
    await expect.poll(() => client.cursors.length).toBeGreaterThan(2)

    const ended = gateway.end('SIGTERM')
    await expect.poll(async () => (await fetch(`${gateway.url}/readyz`)).status).toBe(503)
    expect(client.isOpen()).toBe(true)

    const close = await client.closed
    expect(close.code).toBe(1001)
    expect(close.reason).toMatch(/resume_from: \S+/)
    expect(await ended).toBe(0)
    const again = await connectStream(deployment.gateways()[0]!.port, key)
    again.subscribe(/resume_from: (\S+)/.exec(close.reason)![1])
    await expect.poll(() => again.cursors.length).toBeGreaterThan(0)
    // The first event comes after the last one received, and none comes twice.
    expect(again.cursors[0]! > client.cursors.at(-1)!).toBe(true)
    again.close()
    await gateway.start()
  })

  it('lose nothing for clients that resume while every gateway is restarted, one after the other', async () => {
    const gateways = deployment.gateways()
    const problems: string[] = []
    const clients: ResumingClient[] = []
    onTestFinished(() => {
      for (const client of clients) client.stop()
    })
    for (let account = 0; account < 3; account++) {
      const { key } = await createAccount(deployment.databaseUrl, SECRET, { connections: 2 })
      for (let connection = 0; connection < 2; connection++) {
        const client = createResumingClient({
          port: () => gateways[Math.floor(Math.random() * gateways.length)]!.port,
          key,
          problem: (sentence) => problems.push(sentence),
          uncountedSince: () => undefined,
        })
        clients.push(client)
      }
    }
    const areAll = (isSo: (client: ResumingClient) => boolean) =>
      expect.poll(() => clients.every(isSo)).toBe(true)
    await areAll((client) => client.cursors.length > 0)

    for (const gateway of gateways) {
      expect(await gateway.end('SIGTERM')).toBe(0)
      await gateway.start()
      await areAll((client) => client.isOpen())
    }
    const end = Math.max(...clients.map((client) => client.newestSlot()))
    await areAll((client) => client.newestSlot() > end)

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
    expect(problems).toEqual([])
  })

  it('are joined by a whole service in one process that shares their NATS and their database', async () => {
    const { databaseUrl } = deployment
    const port = await freePort()
    const whole = createPart('whole', port, ['node', 'scripts/start.mjs'], {
      ...{ SOLANA_SOURCE: 'simulator?history=0', SESSION_SECRET: SECRET, KEY_ENCRYPTION_SECRET: SECRET },
      ...{ NATS_URL: deployment.natsUrl, DATABASE_URL: databaseUrl },
      PORT: String(port),
      DATA_DIR: mkdtempSync(join(tmpdir(), 'pairwire-whole-')),
    })
    onTestFinished(() => void whole.end('SIGKILL'))
    await whole.start()
    const { key } = await createAccount(databaseUrl, SECRET, { connections: 1 })

    const client = await connectStream(whole.port, key)
    client.subscribe()

    expect(client.status).toBe(101)
    await expect.poll(() => client.cursors.length).toBeGreaterThan(2)
    expect((await connectStream(deployment.gateways()[1]!.port, key)).status).toBe(429)
    client.close()
    expect(await whole.end('SIGTERM')).toBe(0)
  })

  it('sell, deliver, replay and try an hour in a bucket, and deliver it without their archiver', async () => {
    const { url } = deployment.parts.get('api')!
    const archiver = deployment.parts.get('archiver')!
    const { key, email } = await createAccount(deployment.databaseUrl, SECRET, { connections: 2 })
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
    const play = () => playBack(deployment.gateways()[1]!.port, key, { from, speed: 10 })
    const tryIt = () => call(url, 'POST', '/api/filter/try', session, { kind: 'swap', params: {}, hours: 1 })

    expect(await download()).toBe(files[0]!.sha256)
    const played = await play()
    expect(played.filter(({ replay }) => replay)).toHaveLength(10)
    expect(played.at(-1)!.errorType).toBe('REPLAY_ENDED')
    expect(await tryIt()).toMatchObject({ matched: counts.swaps, total: counts.swaps })

    await archiver.end('SIGTERM')
    expect(await download()).toBe(files[0]!.sha256)
    expect((await play()).at(-1)!.error).toMatchObject({ code: -32603 })
    expect(await tryIt()).toMatchObject({ errorType: 'ERR_UNAVAILABLE' })
    await archiver.start()
    await expect.poll(async () => (await play()).at(-1)!.errorType).toBe('REPLAY_ENDED')
  })

  it('are reported by the api: the source, and whether every gateway answers', async () => {
    const { url } = deployment.parts.get('api')!

    const status = await (await fetch(`${url}/status.json`)).json()

    expect(status.latestBlock).toBeGreaterThan(0)
    expect(status.state).toBe('well')
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
