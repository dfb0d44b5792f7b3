import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { type Accounts, createAccounts } from '@pairwire/accounts'
import { copyPgliteTemplate } from '@pairwire/accounts/testing/pglite-folders'
import { plansText } from '@pairwire/contract'
import { watchProcess } from '@pairwire/process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aFolder, findWith, PUBLIC_HOST } from '../../testing/doctor-under-test.ts'
import { openTestDatabase, TEST_SECRETS } from '../../testing/test-database.ts'

let accounts: Accounts
let withOtherSecrets: Accounts
let close: () => Promise<void>

beforeAll(async () => {
  const database = await openTestDatabase(await copyPgliteTemplate(join(aFolder(), 'database')))
  const open = (secrets: typeof TEST_SECRETS) => createAccounts({ ...database, clock: Date.now, secrets })
  accounts = open(TEST_SECRETS)
  withOtherSecrets = open({ ...TEST_SECRETS, keyEncryption: new Uint8Array(randomBytes(32)) })
  close = database.close
})
afterAll(() => close())

const withAccounts = { accounts: async () => accounts }

describe('a check of the machine', () => {
  it('names a Node that is too old', async () => {
    const find = (nodeVersion: string) => findWith('version', {}, { nodeVersion })

    expect(await find('20.18.3')).toMatchObject({ state: 'fail', fix: expect.stringContaining('20.19') })
    expect(await find('18.20.0')).toMatchObject({ state: 'fail' })
    expect(await find('20.19.0')).toMatchObject({ state: 'ok', fix: null })
    expect(await find('24.1.0')).toMatchObject({ state: 'ok' })
  })

  it('names a data folder that cannot be written to, or that others can read', async () => {
    const folder = aFolder()
    const find = async (path: string) => findWith('folder', { DATA_DIR: join(folder, path) })
    mkdirSync(join(folder, 'data'))
    writeFileSync(join(folder, 'file'), '')

    expect(await find('file/data')).toMatchObject({
      state: 'fail',
      fix: 'Set DATA_DIR to a folder.',
    })
    expect(await find('new/data')).toMatchObject({ state: 'ok' })
    chmodSync(join(folder, 'data'), 0o755)
    expect(await find('data')).toMatchObject({ state: 'warn', fix: `Run chmod 700 ${folder}/data.` })
    chmodSync(join(folder, 'data'), 0o700)
    expect(await find('data')).toMatchObject({ state: 'ok', fix: null })
    writeFileSync(join(folder, 'data/secrets.json'), '{}', { mode: 0o644 })
    expect(await find('data')).toMatchObject({
      state: 'fail',
      fix: `Run chmod 600 ${folder}/data/secrets.json.`,
    })
  })

  // Guards the machine: the folder above, such as /var/lib, must not be given away.
  it.skipIf(process.platform !== 'linux')(
    'says to make a missing folder, not to change the one above it',
    async () => {
      const { username } = userInfo()

      expect(await findWith('folder', { DATA_DIR: '/proc/sys/pairwire' })).toMatchObject({
        state: 'fail',
        sentence: `DATA_DIR: ${username} cannot write to /proc/sys.`,
        fix: expect.stringMatching(`^Run install -d -m 700 -o ${username} /proc/sys/pairwire as root, or `),
      })
    },
  )

  it('names bounds that the disk cannot hold', async () => {
    expect(await findWith('disk', { RETENTION: '24h 10MB', ARCHIVE_URL: 'off' })).toMatchObject({
      state: 'ok',
    })
    expect(await findWith('disk', { RETENTION: '24h 9000TB' })).toMatchObject({
      state: 'warn',
      sentence: expect.stringContaining('RETENTION'),
      fix: expect.stringContaining('Set RETENTION'),
    })
  })

  it('names secrets that are lost, and those that do not fit the database', async () => {
    await accounts.createAccount('sealed@example.org')
    const folder = aFolder()
    mkdirSync(join(folder, 'database/cluster'), { recursive: true })

    expect(await findWith('secrets', {}, withAccounts)).toMatchObject({ state: 'ok' })
    expect(await findWith('secrets', {}, { accounts: async () => withOtherSecrets })).toMatchObject({
      state: 'fail',
      fix: expect.stringContaining('Set KEY_ENCRYPTION_SECRET to that one'),
    })
    expect(await findWith('secrets', { DATA_DIR: folder })).toMatchObject({
      state: 'fail',
      sentence: expect.stringContaining('secrets.json is missing'),
      fix: expect.stringContaining('from a backup'),
    })
    expect(await findWith('secrets')).toMatchObject({ state: 'ok' })
  })

  it('names legal texts that are still the samples', async () => {
    const docsRoot = aFolder()
    const sample = '> **For the operator: replace this text with your own before others use your server.**'
    for (const name of ['terms', 'privacy', 'disclaimer']) writeFileSync(join(docsRoot, `${name}.md`), sample)

    expect(await findWith('brand', {}, { docsRoot })).toMatchObject({ state: 'ok' })
    writeFileSync(join(docsRoot, 'terms.md'), '# Our terms')
    expect(await findWith('brand', PUBLIC_HOST, { docsRoot })).toMatchObject({
      state: 'warn',
      sentence: expect.stringContaining('privacy, disclaimer'),
      fix: 'Put your own privacy.md, disclaimer.md into BRAND_DIR.',
    })
    const folder = aFolder()
    for (const name of ['privacy', 'disclaimer']) writeFileSync(join(folder, `${name}.md`), '# Ours')
    const own = { ...PUBLIC_HOST, BRAND_DIR: folder }
    expect(await findWith('brand', own, { docsRoot })).toMatchObject({ state: 'ok' })
  })

  it('names processes that go by other figures of plans', async () => {
    const docsRoot = aFolder()
    for (const name of ['terms', 'privacy', 'disclaimer'])
      writeFileSync(join(docsRoot, `${name}.md`), '# Ours')
    const readState = watchProcess('gateway', 8082, { health: () => ({}), metrics: [] })
    const find = (plans?: string) =>
      findWith(
        'brand',
        {},
        { docsRoot, listProcesses: async () => [{ ...(await readState()), name: 'a:8082', plans }] },
      )

    expect(await find(plansText())).toMatchObject({ state: 'ok' })
    expect(await find()).toMatchObject({ state: 'ok' })
    expect(await find('0123abcd')).toMatchObject({
      state: 'fail',
      sentence: 'Processes go by other figures of plans than this one: gateway a:8082.',
      fix: expect.stringContaining('the same BRAND_DIR'),
    })
  })

  it('names a room that nobody can use, or that shares its host with scripts of others', async () => {
    const find = (environment: Record<string, string>) => findWith('operator', environment, withAccounts)

    expect(await findWith('operator')).toMatchObject({ state: 'skipped' })
    expect(await find({})).toMatchObject({
      state: 'warn',
      fix: expect.stringMatching(/^Run pairwire operator add/),
    })
    await accounts.addOperator('op@example.org', 'operator')
    expect(await find({})).toMatchObject({ state: 'ok' })
    expect(await find(PUBLIC_HOST)).toMatchObject({ fix: expect.stringMatching(/^Set ADMIN_ALLOW/) })
    const crisp = { CRISP_WEBSITE_ID: '6b7c2d7e-1c07-4a39-9f3a-1b0b6b0f6c11', ADMIN_ALLOW: '203.0.113.7' }
    expect(await find({ ...PUBLIC_HOST, ...crisp })).toMatchObject({
      fix: expect.stringMatching(/^Set ADMIN_URL/),
    })
    const own = { ...PUBLIC_HOST, ...crisp, ADMIN_URL: 'https://admin.example' }
    expect(await find(own)).toMatchObject({ state: 'ok' })
    const plain = { PUBLIC_URL: 'http://stream.example', ALLOW_INSECURE: '1', ADMIN_ALLOW: 'any' }
    expect(await find({ ...PUBLIC_HOST, ...plain })).toMatchObject({
      state: 'warn',
      fix: 'Set PUBLIC_URL or ADMIN_URL to an https address.',
    })
  })

  it('names backups that are not made, missing or old', async () => {
    const folder = aFolder()
    const find = () => findWith('backup', { BACKUP_DIR: folder })
    const put = (hours: number) => {
      const at = new Date(Date.now() - hours * 3_600_000).toISOString().replaceAll(':', '-')
      writeFileSync(join(folder, `daily-${at}.zip`), '')
    }

    expect(await findWith('backup', PUBLIC_HOST)).toMatchObject({
      state: 'warn',
      fix: expect.stringMatching(/^Set BACKUP_DIR/),
    })
    expect(await findWith('backup')).toMatchObject({ state: 'skipped' })
    expect(await find()).toMatchObject({ state: 'warn', fix: expect.stringContaining(folder) })
    put(50)
    expect(await find()).toMatchObject({ state: 'fail', sentence: 'The newest backup is 50 hours old.' })
    put(3)
    expect(await find()).toMatchObject({ state: 'ok' })
    put(-5)
    expect(await find()).toMatchObject({ state: 'ok', sentence: 'The newest backup is 0 hours old.' })
  })
})
