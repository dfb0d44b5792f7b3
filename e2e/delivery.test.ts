import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import { DuckDBInstance } from '@duckdb/node-api'
import { asyncBufferFromUrl, parquetMetadataAsync, parquetReadObjects } from 'hyparquet'
import { compressors } from 'hyparquet-compressors'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { orderCommands } from '../apps/web/src/features/history/order-commands.ts'
import { aFolder } from '../packages/basics/src/testing/a-folder.ts'
import { HOUR_MS, hourName, type Manifest } from '../packages/contract/src/index.ts'
import { openAccounts } from '../packages/process/src/open-accounts.ts'
import { type Download, download, reduce, simulate } from './archive-tool.ts'
import { call, signIn } from './buyers.ts'
import { fillArchive } from './full-archive.ts'
import { askAsOperator, makeAccount } from './operator.ts'
import { freshEmail } from './people.ts'
import { type Service, startService } from './service.ts'
import { STORY_MS } from './story-time.ts'

/** End of the newest archived hour. */
const TO = Date.now() - (Date.now() % HOUR_MS)

/** Hours of a month's order, and the one of them, within the last day, that has no event. */
const HOURS = 720
const EMPTY_AT = 700

const dataFolder = mkdtempSync(join(tmpdir(), 'pairwire-delivery-'))

/** A service with a month of hours, and a buyer with an order that has expired. */
let service: Service
let buyer: { email: string; key: string; session: string; expired: number }
beforeAll(async () => {
  await fillArchive(dataFolder, TO, HOURS, EMPTY_AT)
  const { email, key, expired } = await buyLongAgo()
  service = await startService(
    { SOLANA_SOURCE: 'simulator?swaps=1', ARCHIVE_RETENTION: '31d 50GB' },
    { dataFolder },
  )
  buyer = { email, key, expired, session: await signIn(service.url, email) }
}, STORY_MS)
afterAll(async () => {
  await service.kill()
  rmSync(dataFolder, { recursive: true })
})

const to = new Date(TO).toISOString()

/** An account made 31 days ago, before the service starts, and its order. */
async function buyLongAgo() {
  const clock = vi.spyOn(Date, 'now')
  const unset = { databaseUrl: undefined, sessionSecret: undefined, keyEncryptionSecret: undefined }
  const { accounts, close } = await openAccounts({ dataFolder, ...unset }, { warn() {} })
  const email = freshEmail()
  clock.mockReturnValue(TO - 31 * 24 * HOUR_MS)
  const { account } = await accounts.createAccount(email)
  const wanted = { source: 'simulator', offer: 'day', to: new Date(TO) } as const
  const { id } = await accounts.grantOrder(email, wanted)
  clock.mockRestore()
  await close()
  return { email, key: account.user.APIKey, expired: id }
}

/** Puts the zips of the first hours of the month into a folder, as an earlier run of the tool has left them. */
function leaveZips(folder: string, count: number): void {
  const archive = join(dataFolder, 'archive/simulator')
  const paths = readdirSync(archive, { recursive: true, encoding: 'utf8' })
  const zips = paths.filter((path) => path.endsWith('.zip')).sort()
  for (const path of zips.slice(0, count)) {
    copyFileSync(
      join(archive, path),
      join(folder, `${basename(path).slice(0, '20261123-130000'.length)}.zip`),
    )
  }
}

/** Grants the buyer hours for free. @returns the number of the order */
async function give(offer: 'hour' | 'day' | 'month'): Promise<number> {
  const [order] = await askAsOperator(service, 'order create', { who: buyer.email, offer, to })
  return (order as unknown as { id: number }).id
}

/** Orders as the shop does, and pays. */
async function order(offer: 'hour' | 'month') {
  const { order, checkout } = await call(service.url, 'POST', '/api/history/orders', buyer.session, {
    offer,
    to,
  })
  const pay = () =>
    fetch(new URL(checkout.url, service.url), {
      method: 'POST',
      body: new URLSearchParams({ outcome: 'pay' }),
      redirect: 'manual',
    })
  return { id: order.id as number, pay }
}

const askOrder = async (id: number, key = buyer.key) => {
  const answer = await fetch(`${service.url}/order/${id}`, { headers: { 'X-API-KEY': key } })
  return { status: answer.status, ...(await answer.json()) }
}

describe("the existing service's tool", { timeout: STORY_MS }, () => {
  const flags = (more: Pick<Download, 'orderId' | 'release' | 'atOnce' | 'folder'>): Download => ({
    ...{ url: service.url, key: buyer.key },
    ...more,
  })

  it.each([
    ['v0.0.1', 'day', 24, 1],
    ['v0.0.2', 'month', 720, 10],
  ] as const)(
    '%s downloads an order of a %s, an empty hour within, and reads all of it',
    async (release, offer, hours, atOnce) => {
      const folder = aFolder()

      const told = await download(flags({ orderId: await give(offer), release, atOnce, folder }))

      expect(told.files).toHaveLength(hours)
      expect(told.files).toContain(hourName(TO - (HOURS - EMPTY_AT) * HOUR_MS))
      const bytes = readdirSync(folder).map((name) => readFileSync(join(folder, name)).length)
      expect(bytes.reduce((one, other) => one + other)).toBe(told.size)
      const { sent, slot } = simulate(folder)
      expect(sent.filter(({ swap }) => swap)).toHaveLength(told.swaps)
      expect(sent.filter(({ pair }) => pair)).toHaveLength(told.pairs)
      expect(slot).toBe(sent.at(-1)!.slot + 1)
      const { walletAccount } = sent.find(({ swap }) => swap)!.swap!
      expect(reduce(folder, [walletAccount])).toEqual(
        sent.filter(({ swap }) => swap?.walletAccount === walletAccount),
      )
    },
  )

  it('downloads the rest of a month after it was killed midway, and the checksums expose the partial files that it takes for complete', async () => {
    const [folder, orderId] = [aFolder(), await give('month')]
    // At once half of what an order may: those of the killed run may still be ending.
    const again = flags({ orderId, release: 'v0.0.2', atOnce: 5, folder })
    leaveZips(folder, 690)
    await expect(download({ ...again, dieAt: 20 })).rejects.toThrow('killed')
    const there = readdirSync(folder)

    const { files } = await download(again)

    expect(files).toHaveLength(HOURS - there.length)
    const { download_token: token } = await askOrder(orderId)
    const sums = await (await fetch(`${service.url}/archive/download/SHA256SUMS?token=${token}`)).text()
    const odd = () =>
      sums
        .trim()
        .split('\n')
        .map((line) => line.split('  ') as [string, string])
        .filter(([sum, name]) => sumOf(join(folder, name)) !== sum)
        .map(([, name]) => name)
    const half = odd()
    expect(half).toContain(`${hourName(TO - (HOURS - 710) * HOUR_MS)}.zip`)
    for (const name of half) rmSync(join(folder, name))
    expect((await download(again)).files).toEqual(half.map((name) => name.replace('.zip', '')))
    expect(odd()).toEqual([])
  })

  it('is refused with a sentence: an order that is unpaid, somebody else’s, refunded, or expired', async () => {
    const { id, pay } = await order('hour')
    const other = await makeAccount(service, freshEmail())
    const run = (key = buyer.key, orderId = id) =>
      download({ ...flags({ orderId, release: 'v0.0.2', atOnce: 1, folder: aFolder() }), key })
    await expect(run()).rejects.toThrow(
      `402: {"errorType":"PAYMENT_REQUIRED","errorMessage":"Order ${id} is not paid yet."`,
    )
    await pay()
    await expect(run(other.user.APIKey)).rejects.toThrow('404: {"errorType":"ERR_NOT_FOUND"')
    const { files } = await run()
    const { download_token: token } = await askOrder(id)

    await askAsOperator(service, 'order refund', { id })

    await expect(run()).rejects.toThrow(`"Order ${id} was refunded."`)
    await expect(run(buyer.key, buyer.expired)).rejects.toThrow(`"Order ${buyer.expired} expired on `)
    for (const path of [files[0], `${files[0]}.swaps.parquet`, 'urls', 'SHA256SUMS']) {
      const answer = await fetch(`${service.url}/archive/download/${path}?token=${token}`)
      expect([answer.status, (await answer.json()).errorMessage]).toEqual([402, `Order ${id} was refunded.`])
    }
  })
})

describe('a month of history', { timeout: STORY_MS }, () => {
  it('can be downloaded within 2 s of its payment', async () => {
    const { id, pay } = await order('month')
    const paidAt = performance.now()
    await pay()

    const { download_token: token, files, archive_data_from } = await askOrder(id)
    const hour = hourName(Date.parse(archive_data_from))
    const answer = await fetch(`${service.url}/archive/download/${hour}?token=${token}`)
    const first = await answer.body!.getReader().read()
    const tookMs = performance.now() - paidAt

    expect([answer.status, files, first.value!.length > 0]).toEqual([200, HOURS, true])
    expect(tookMs).toBeLessThan(2_000)
  })
})

describe('an hour of history', { timeout: STORY_MS }, () => {
  it('is read by one column over HTTP, which takes less than a fifth of the file', async () => {
    const { download_token: token } = await askOrder(await give('hour'))
    const url = `${service.url}/archive/download/${hourName(TO - HOUR_MS)}.swaps.parquet?token=${token}`
    const manifest: Manifest = await (
      await fetch(`${service.url}/archive/manifest/${hourName(TO - HOUR_MS)}`)
    ).json()
    let taken = 0
    const counted: typeof fetch = async (input, init) => {
      const answer = await fetch(input, init)
      if (init?.method !== 'HEAD') taken += Number(answer.headers.get('content-length'))
      return answer
    }

    const file = await asyncBufferFromUrl({ url, fetch: counted })
    // A reader starts with the end of a file: less of it here, as this one is small beside an hour of the chain.
    const metadata = await parquetMetadataAsync(file, { initialFetchSize: 32_768 })
    const rows = await parquetReadObjects({ file, metadata, columns: ['usdValue'], compressors })

    expect(rows).toHaveLength(manifest.counts.swaps)
    expect(taken).toBeGreaterThan(0)
    expect(taken).toBeLessThan(manifest.files[1]!.bytes / 5)
  })

  it('is downloaded, checked and read by the page’s commands verbatim', async () => {
    const [folder, id] = [aFolder(), await give('hour')]
    const { download_token: token } = await askOrder(id)
    const commands = new Map(
      orderCommands({ id, origin: service.url }, token).map(({ name, text }) => [name, text]),
    )
    const run = (text: string) => promisify(execFile)('sh', ['-c', text], { cwd: folder })
    const hour = hourName(TO - HOUR_MS)

    await run(commands.get('curl')!)
    expect(readdirSync(join(folder, 'out'))).toEqual([`${hour}.zip`])
    rmSync(join(folder, 'out'), { recursive: true })
    await run(commands.get('curl, all files')!)

    const manifest: Manifest = await (await fetch(`${service.url}/archive/manifest/${hour}`)).json()
    expect(readdirSync(join(folder, 'out')).sort()).toEqual(
      ['blocks.parquet', 'pairs.parquet', 'swaps.parquet', 'zip'].map((ending) => `${hour}.${ending}`),
    )
    await run(
      `cd out && curl -fsS '${service.url}/archive/download/SHA256SUMS?token=${token}&files=all' | sha256sum -c`,
    )
    const sql = /^duckdb -c "(.+)"$/.exec(commands.get('DuckDB')!)![1]!
    const connection = await (await DuckDBInstance.create()).connect()
    await connection.run(`SET file_search_path = '${folder}'`)
    const rows = (await connection.runAndReadAll(sql)).getRowsJson()
    connection.closeSync()
    expect(rows.reduce((total, row) => total + Number(row[1]), 0)).toBe(manifest.counts.swaps)
    expect(commands.get('ss-cli')).toBe(`ss-cli download --isLocal --key "$API_KEY" --order-id ${id}`)
  })
})

/** The sha256 of a file, in hex. */
function sumOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex')
}
