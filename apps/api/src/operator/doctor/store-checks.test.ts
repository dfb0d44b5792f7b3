import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type Accounts, createAccounts } from '@pairwire/accounts'
import { copyPgliteTemplate } from '@pairwire/accounts/testing/pglite-folders'
import { createArchive, hourFileName, openFolderStorage } from '@pairwire/archive'
import { freePort } from '@pairwire/basics/testing/free-port'
import { startNatsServer, whyNoNatsServer } from '@pairwire/bus/testing/nats-server'
import { HOUR_FILES, HOUR_MS } from '@pairwire/contract'
import { listMigrations } from '@pairwire/process'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { aManifest, HALF_PAST } from '../../testing/an-archive.ts'
import { aFolder, findWith, PUBLIC_HOST } from '../../testing/doctor-under-test.ts'
import { openTestDatabase, TEST_SECRETS } from '../../testing/test-database.ts'

let accounts: Accounts
let close: () => Promise<void>

beforeAll(async () => {
  const database = await openTestDatabase(await copyPgliteTemplate(join(aFolder(), 'database')))
  accounts = createAccounts({ ...database, clock: Date.now, secrets: TEST_SECRETS })
  close = database.close
})
afterAll(() => close())

const PADDLE = {
  ...PUBLIC_HOST,
  ...{
    PAYMENT_PROVIDER: 'paddle',
    PADDLE_API_KEY: 'k',
    PADDLE_CLIENT_TOKEN: 't',
    PADDLE_WEBHOOK_SECRET: 's',
  },
  ...{ PADDLE_PRICE_1: 'pri_1', PADDLE_PRICE_2: 'pri_2', PADDLE_PRICE_3: 'pri_3' },
}
const ORDER_PRICES = {
  ...{ PADDLE_PRICE_HOUR: 'pri_h', PADDLE_PRICE_DAY: 'pri_d' },
  ...{ PADDLE_PRICE_WEEK: 'pri_w', PADDLE_PRICE_MONTH: 'pri_m' },
}

/** Puts one hour of the chain into a folder. */
async function publishHour(folder: string): Promise<void> {
  const archive = createArchive(await openFolderStorage(folder), { now: Date.now })
  const manifest = aManifest(HALF_PAST - 1.5 * HOUR_MS, { source: 'chain' })
  const file = join(aFolder(), 'bytes')
  writeFileSync(file, 'bytes')
  const sha256 = '0'.repeat(64)
  const files = HOUR_FILES.map((kind) => ({
    ...{ name: hourFileName(manifest.hour, kind, sha256), bytes: 5, sha256, rows: 1 },
  }))
  await archive.publish({ zip: file, swaps: file, pairs: file, blocks: file }, { ...manifest, files })
}

/** The port of a server that answers everything with `body`, and with this date. */
async function serve(body: string, offMs = 0, status = 200): Promise<number> {
  const server = createServer((_request, response) => {
    response.statusCode = status
    response.setHeader('date', new Date(Date.now() + offMs).toUTCString())
    response.end(body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

describe('the check of the clock', () => {
  it('compares it with the source, the payment provider and the database, each of which may be off', async () => {
    const at = async (offMs: number) => `http://127.0.0.1:${await serve('', offMs)}/secret`

    expect(await findWith('clock')).toMatchObject({ state: 'skipped' })
    expect(await findWith('clock', { SOLANA_SOURCE: `rpc+${await at(0)}` })).toMatchObject({ state: 'ok' })
    expect(await findWith('clock', { SOLANA_SOURCE: `rpc+${await at(-5_000)}` })).toMatchObject({
      state: 'warn',
      sentence: expect.stringMatching(
        // A date has whole seconds: up to one of the five cannot be told, and 4.96 are printed as 5.0.
        /^This machine’s clock is (?:[34]\.\d|5\.0) s ahead of that of 127\.0\.0\.1:\d+\.$/,
      ),
      fix: expect.stringContaining('timedatectl set-ntp true'),
    })
    expect(
      await findWith('clock', { ...PADDLE, SOLANA_RPC_URL: await at(0), PADDLE_API_URL: await at(60_000) }),
    ).toMatchObject({ state: 'fail', sentence: expect.stringContaining('behind') })
    const late = async () => ({ ...(await accounts.readDatabase()), nowMs: Date.now() - 8_000 })
    expect(
      await findWith(
        'clock',
        { DATABASE_URL: 'postgres://db.example/x' },
        { accounts: async () => ({ ...accounts, readDatabase: late }) },
      ),
    ).toMatchObject({ state: 'warn', sentence: expect.stringContaining('ahead of that of the database') })
  })
})

describe('the check of the database', () => {
  it('says what is there, and what the next start does', async () => {
    const find = (migratedTo?: number) =>
      findWith(
        'database',
        {},
        {
          accounts: async () =>
            migratedTo === undefined
              ? accounts
              : {
                  ...accounts,
                  readDatabase: async () => ({ ...(await accounts.readDatabase()), migratedTo }),
                },
        },
      )

    expect(await findWith('database')).toMatchObject({ state: 'ok' })
    expect(await find()).toMatchObject({
      state: 'ok',
      sentence: expect.stringMatching(/^PostgreSQL \d+\.\d+, embedded, answers in \d+ ms/),
    })
    expect(await find(0)).toMatchObject({
      state: 'warn',
      fix: expect.stringContaining('unless the database is empty'),
    })
    expect(await find(listMigrations().at(-2))).toMatchObject({
      state: 'warn',
      sentence: expect.stringMatching(/^1 of \d+ migrations are pending\.$/),
      fix: expect.stringMatching(/^Make a backup/),
    })
    expect(await find(Date.UTC(2999, 0))).toMatchObject({
      state: 'fail',
      fix: expect.stringContaining('backup'),
    })
  })

  it('names one that cannot be opened', async () => {
    const refuse = async () => {
      throw new Error('The database cannot be opened: no such host')
    }
    const away = { DATABASE_URL: 'postgres://mara:secret@db.example/x' }

    expect(await findWith('database', away, { accounts: refuse })).toMatchObject({
      state: 'fail',
      sentence: 'The database cannot be opened: no such host',
      fix: expect.stringContaining('psql'),
    })
  })
})

describe.skipIf(whyNoNatsServer())('the check of NATS', () => {
  const find = async (jetstream: string, natsMonitorPort: number) => {
    const http = `http: 127.0.0.1:${natsMonitorPort}\n`
    const server = await startNatsServer(`${http}jetstream { store_dir: /data\n${jetstream} }`)
    onTestFinished(() => server.stop())
    return findWith('nats', { NATS_URL: server.url }, { natsMonitorPort })
  }

  it('names what is not synced and too little room, and is content with the shipped settings', async () => {
    expect(await findWith('nats')).toMatchObject({ state: 'skipped' })
    expect(await findWith('nats', { NATS_URL: 'nats://127.0.0.1:1' })).toMatchObject({
      state: 'fail',
      fix: expect.stringMatching(/^Start nats-server/),
    })
    expect(await find('max_file_store: 1GB', await freePort())).toMatchObject({
      state: 'fail',
      fix: expect.stringMatching(/^Raise max_file_store.*sync_interval: always/),
    })
    expect(await find('max_file_store: 20GB, sync_interval: always', await freePort())).toMatchObject({
      state: 'ok',
    })
  })
})

describe('the check of the archive', () => {
  it('writes an object, reads it back and removes it, and says what its bound cannot hold', async () => {
    const folder = join(aFolder(), 'archive')
    const sold = { ...PADDLE, ...ORDER_PRICES, ARCHIVE_URL: folder }
    const find = (archiveRetention: string) =>
      findWith('archive', { ...sold, ARCHIVE_RETENTION: archiveRetention })

    expect(await findWith('archive', { ARCHIVE_URL: 'off' })).toMatchObject({ state: 'skipped' })
    expect(await find('31d')).toMatchObject({ state: 'ok', sentence: expect.stringContaining('first start') })
    await publishHour(folder)
    expect(await find('31d')).toMatchObject({ state: 'ok', fix: null })
    expect(await find('30h')).toMatchObject({
      state: 'warn',
      sentence: 'ARCHIVE_RETENTION holds 30 hours, too few to sell: week, month.',
      fix: expect.stringMatching(/^Raise ARCHIVE_RETENTION/),
    })
  })

  it('names a storage that cannot be used', async () => {
    const file = join(aFolder(), 'file')
    writeFileSync(file, '')
    const bucket = { ARCHIVE_ACCESS_KEY: 'mara', ARCHIVE_SECRET_KEY: 'secret-key' }

    expect(await findWith('archive', { ARCHIVE_URL: file })).toMatchObject({
      state: 'fail',
      fix: expect.stringMatching(/^Correct ARCHIVE_URL/),
    })
    // The first start could not make it either.
    expect(await findWith('archive', { ARCHIVE_URL: join(file, 'hours') })).toMatchObject({
      state: 'fail',
      sentence: expect.stringContaining(file),
      fix: expect.stringMatching(/^Correct ARCHIVE_URL/),
    })
    const refusing = `s3+http://127.0.0.1:${await serve('<Error><Code>AccessDenied</Code></Error>', 0, 403)}/hours`
    expect(await findWith('archive', { ...bucket, ARCHIVE_URL: refusing })).toMatchObject({
      state: 'fail',
      sentence: expect.stringContaining('ARCHIVE_ACCESS_KEY: this key may not'),
    })
  })
})
