import { createHash } from 'node:crypto'
import { parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import WebSocket from 'ws'
import { readZip } from '../apps/archiver/src/testing/read-files.ts'
import { HOUR_MS, hourName, hourStart, type Manifest } from '../packages/contract/src/index.ts'
import { call, signIn } from './buyers.ts'
import { makeAccount, pairwire } from './operator.ts'
import { freshEmail } from './people.ts'
import { type Service, startService } from './service.ts'
import { STORY_MS } from './story-time.ts'

type Frame = Readonly<{
  method?: string
  cursor?: string
  params?: Readonly<{ swap?: unknown; pair?: unknown; blockTime: number }>
  replay?: true
  errorType?: string
  error?: { message: string }
}>

/** Milliseconds in which the hour is simulated while other tests run: its process has lower priority. */
const MADE_MS = 450_000

/** A service that has simulated the last hour, with few swaps, and a user with a plan. */
let service: Service
let person: { key: string; session: string }
let hour: string
beforeAll(async () => {
  service = await startService({ SOLANA_SOURCE: 'simulator?swaps=2&history=1' })
  const { user } = await makeAccount(service, freshEmail(), 'newpairs')
  person = { key: user.APIKey, session: await signIn(service.url, user.Email) }
  // An hour that ends meanwhile hides the sample for a minute. An account has 120 calls a minute: half are left for the tests.
  await vi.waitUntil(async () => (await get('/order/1')).status === 200, {
    timeout: MADE_MS,
    interval: 1_000,
  })
  const from: string = (await json('/order/1')).archive_data_from
  hour = from.replaceAll(/[-:Z]/g, '').replace('T', '-')
}, MADE_MS + STORY_MS)
afterAll(() => service.kill())

const get = async (path: string) => {
  const answer = await fetch(`${service.url}${path}`, { headers: { 'x-api-key': person.key } })
  return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()) }
}
const json = async (path: string) => JSON.parse(String((await get(path)).bytes))

/** End of the named hour, in Unix milliseconds. */
const endOf = (name: string) => hourStart(name)! + HOUR_MS

/** The files of the sample, downloaded with the order's own token. */
async function download() {
  const { download_token: token } = await json('/order/1')
  const of = async (ending: string) => (await get(`/archive/download/${hour}${ending}?token=${token}`)).bytes
  return {
    token: String(token),
    zip: await of(''),
    swaps: await of('.swaps.parquet'),
    pairs: await of('.pairs.parquet'),
  }
}

/** The frames of a playback of a part of the hour, to its end. */
function play(from: string, params: object): Promise<Frame[]> {
  const socket = new WebSocket(service.streamUrl, { headers: { 'X-API-KEY': person.key } })
  const frames: Frame[] = []
  return new Promise<Frame[]>((resolve, reject) => {
    socket.once('error', reject)
    socket.once('close', (code) => reject(new Error(`Closed with ${code}.`)))
    socket.once('open', () => {
      const replay = { from, speed: 10 }
      socket.send(JSON.stringify({ id: 1, method: 'swapSubscribe', params: { replay, ...params } }))
      socket.send(
        JSON.stringify({ id: 2, method: 'newPairSubscribe', params: { replay, include_pumpfun: true } }),
      )
      socket.send('{"method":"startSimulation"}')
    })
    socket.on('message', (data) => {
      const frame: Frame = JSON.parse(String(data))
      if (frame.error) reject(new Error(frame.error.message))
      frames.push(frame)
      if (frames.filter(({ errorType }) => errorType === 'REPLAY_ENDED').length === 2) resolve(frames)
    })
  }).finally(() => socket.terminate())
}

describe('an hour of history', { timeout: STORY_MS }, () => {
  it('is downloaded by the tool’s calls, and its files, its manifest and its checksums agree', async () => {
    const { token, zip, swaps, pairs } = await download()
    const manifest: Manifest = await json(`/archive/manifest/${hour}`)
    const sums = String((await get(`/archive/download/SHA256SUMS?token=${token}`)).bytes)
    const [told] = JSON.parse(
      String(
        Buffer.from(
          await (
            await fetch(`${service.url}/archive/metadata`, {
              method: 'POST',
              headers: { 'X-API-KEY': person.key },
              body: JSON.stringify({ files: [hour] }),
            })
          ).arrayBuffer(),
        ),
      ),
    )

    const lines = zipLines(zip)
    const { counts, files, complete, chain } = manifest
    expect({ complete, linked: chain?.linked }).toEqual({ complete: true, linked: true })
    expect(lines.filter((line) => 'swap' in line)).toHaveLength(counts.swaps)
    expect(lines.filter((line) => 'pair' in line)).toHaveLength(counts.pairs)
    expect(told).toMatchObject({ swaps: counts.swaps, pairs: counts.pairs, size: zip.length })
    expect(lines.map(({ cursor }) => cursor)).toEqual(lines.map(({ cursor }) => cursor).sort())
    const sha256 = createHash('sha256').update(zip).digest('hex')
    expect([files[0]!.sha256, sums.includes(sha256)]).toEqual([sha256, true])
    const rows = await rowsOf(swaps)
    expect(rows.map(({ cursor }) => cursor)).toEqual(
      lines.filter((line) => 'swap' in line).map(({ cursor }) => cursor),
    )
    expect(rows.map(({ baseAmount }) => String(baseAmount))).toEqual(
      lines.flatMap((line) => (line.swap ? [line.swap.baseAmount] : [])),
    )
    expect(await rowsOf(pairs)).toHaveLength(counts.pairs)
  })

  it('is replayed over the websocket: the same events in the same order, and then its end', async () => {
    const lines = zipLines((await download()).zip)
    const from = endOf(hour) / 1_000 - 30

    const frames = await play(new Date(from * 1_000).toISOString().replace('.000', ''), {})

    const events = frames.filter(({ replay }) => replay)
    expect(events.map(({ cursor, params }) => ({ ...params, cursor }))).toEqual(
      lines.filter(({ blockTime }) => blockTime >= from),
    )
    expect(events.length).toBeGreaterThan(30)
  })

  it('counts what a filter would have matched, exactly as its lines do', async () => {
    const lines = zipLines((await download()).zip)
    const params = { include: { usdValue: 500 }, swapType: ['buy'] }

    const tried = await call(service.url, 'POST', '/api/filter/try', person.session, {
      kind: 'swap',
      params,
      hours: 1,
    })

    const met = lines.filter(({ swap }) => swap && swap.swapType === 'buy' && (swap.usdValue ?? 0) >= 500)
    expect(met.length).toBeGreaterThan(0)
    expect(tried).toMatchObject({ matched: met.length, total: lines.filter(({ swap }) => swap).length })
    expect(tried.sample.map(({ cursor }: Frame) => cursor)).toEqual(
      met
        .slice(-20)
        .reverse()
        .map(({ cursor }) => cursor),
    )
  })

  it('is bought in the sandbox, opened only by its payment, and refused with a sentence before it and to others', async () => {
    const { url } = service
    // Without an end the order would be for the newest hour, which changes when a full hour strikes.
    const { order, checkout } = await call(url, 'POST', '/api/history/orders', person.session, {
      offer: 'hour',
      to: new Date(endOf(hour)).toISOString(),
    })
    const before = await get(`/order/${order.id}`)
    const press = (outcome: string) =>
      fetch(new URL(checkout.url, url), {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: `outcome=${outcome}`,
        redirect: 'manual',
      })
    await press('decline')
    const declined = await get(`/order/${order.id}`)
    await press('pay')
    await expect.poll(async () => (await get(`/order/${order.id}`)).status).toBe(200)

    const stranger = await makeAccount(service, freshEmail())
    const foreign = await fetch(`${url}/order/${order.id}`, {
      headers: { 'x-api-key': stranger.user.APIKey },
    })
    expect([before.status, declined.status, foreign.status]).toEqual([402, 402, 404])
    expect(String(before.bytes)).toContain(`Order ${order.id} is not paid yet.`)
    const { download_token: token, files } = await json(`/order/${order.id}`)
    expect(files).toBe(1)
    expect((await get(`/archive/download/${hour}?token=${token}`)).status).toBe(200)
    expect((await call(url, 'GET', `/api/history/orders/${order.id}`, person.session)).downloadedHours).toBe(
      1,
    )
  })

  it('was simulated before the stream, and is exported and checked by the operator while the service runs', async () => {
    const manifest = JSON.parse(String((await get(`/archive/manifest/${hour}`)).bytes)) as Manifest
    const to = hourName(endOf(hour))

    const exported = await pairwire(service.dataFolder, 'export', '--from', hour, '--to', to)
    const checked = await pairwire(service.dataFolder, 'archive', 'check')
    const refused = await pairwire(service.dataFolder, 'backfill', '--from', 'yesterday', '--to', hour)

    expect(manifest).toMatchObject({ made: 'backfill', complete: true, revision: 1 })
    expect(manifest.cursors!.last < '000000001').toBe(true)
    const { swaps, pairs } = manifest.counts
    expect([exported.status, exported.stdout.split('\n').length - 1]).toEqual([0, swaps + pairs])
    expect([checked.status, checked.stdout]).toEqual([0, ''])
    expect(refused).toMatchObject({ status: 2, stdout: '' })
    expect(refused.stderr).toContain('--from: must be a whole hour in UTC')
  })
})

type Line = {
  cursor: string
  blockTime: number
  swap?: { baseAmount: string; swapType: string; usdValue: number | null }
  pair?: unknown
}

function zipLines(zip: Buffer): Line[] {
  const { text } = readZip(zip)
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
}

function rowsOf(bytes: Buffer): Promise<Record<string, unknown>[]> {
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length) as ArrayBuffer
  return parquetReadObjects({ file, compressors })
}
