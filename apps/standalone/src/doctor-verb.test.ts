import { join } from 'node:path'
import { aFolder } from '@pairwire/basics/testing/a-folder'
import { CHECK_NAMES, type CheckRow } from '@pairwire/contract/operator'
import { VARIABLES } from '@pairwire/process'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { runDoctorVerb } from './doctor-verb.ts'

const NOWHERE = '127.0.0.1:1'
const marker = (at: string) => `marker-${at}-`.padEnd(40, 'x')

/** Every setting that holds a secret, each with a marker in it, and services that nobody runs. */
const SECRETS: Record<string, string> = {
  SESSION_SECRET: marker('session'),
  KEY_ENCRYPTION_SECRET: marker('encryption'),
  DATABASE_URL: `postgres://mara:${marker('postgres')}@${NOWHERE}/pairwire`,
  NATS_URL: `nats://mara:${marker('nats')}@${NOWHERE}`,
  SOLANA_SOURCE: `rpc+http://${NOWHERE}/${marker('source')}`,
  SOLANA_SOURCE_TOKEN: marker('token'),
  SOLANA_RPC_URL: `http://${NOWHERE}/${marker('rpc')}?api-key=${marker('query')}`,
  SMTP_URL: `smtp://mara:${marker('smtp')}@${NOWHERE}`,
  ARCHIVE_URL: `s3+http://${NOWHERE}/hours`,
  ARCHIVE_ACCESS_KEY: marker('access'),
  ARCHIVE_SECRET_KEY: marker('bucket'),
  ALARM_URL: `http://${NOWHERE}/services/${marker('alarm')}`,
  METRICS_TOKEN: marker('metrics'),
  CAPTCHA_PROVIDER: 'recaptcha',
  RECAPTCHA_SITE_KEY: 'public',
  RECAPTCHA_SECRET: marker('captcha'),
  PAYMENT_PROVIDER: 'paddle',
  PADDLE_API_KEY: marker('paddle'),
  PADDLE_CLIENT_TOKEN: marker('client'),
  PADDLE_WEBHOOK_SECRET: marker('webhook'),
}
const OTHERS = {
  PUBLIC_URL: `https://${NOWHERE}`,
  PADDLE_API_URL: `http://${NOWHERE}`,
  MAIL_FROM: 'hello@localhost',
  ...{ PADDLE_PRICE_1: 'pri_1', PADDLE_PRICE_2: 'pri_2', PADDLE_PRICE_3: 'pri_3' },
}

let folder: string
beforeEach(() => {
  folder = aFolder()
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

/** Runs the verb with this environment. @returns its exit status, and all that it wrote */
async function run(environment: Record<string, string>, ...words: string[]) {
  const written: string[] = []
  vi.spyOn(console, 'log').mockImplementation((line) => void written.push(String(line)))
  vi.spyOn(console, 'error').mockImplementation((line) => void written.push(String(line)))
  for (const [name, value] of Object.entries({ DATA_DIR: join(folder, 'data'), ...environment })) {
    vi.stubEnv(name, value)
  }
  const status = await runDoctorVerb(words)
  return { status, written }
}

const rowsOf = (written: string[]): CheckRow[] => written.map((line) => JSON.parse(line))

it('has every secret of the settings in the tests below', () => {
  const secret = Object.keys(VARIABLES).filter((name) => /SECRET|TOKEN|KEY|PASSWORD|ALARM/.test(name))

  expect(Object.keys(SECRETS)).toEqual(expect.arrayContaining(secret))
})

// Guards every secret of a deployment: what the doctor writes is pasted into chats and issues.
it('writes no secret, whatever is broken, and a fix for each warning and fault', async () => {
  const { status, written } = await run({ ...SECRETS, ...OTHERS }, '--mail-to', 'mara@example.org')

  const rows = rowsOf(written)
  expect(written.join('\n')).not.toContain('marker-')
  expect(rows.map(({ check }) => check)).toEqual(CHECK_NAMES)
  const broken = rows.filter(({ state }) => state === 'fail').map(({ check }) => check)
  expect(broken).toEqual(
    expect.arrayContaining(['database', 'nats', 'archive', 'source', 'rpc', 'mail', 'address', 'paddle-key']),
  )
  for (const { check, state, sentence, fix } of rows) {
    expect(sentence, check).not.toContain('The check itself failed')
    if (state === 'ok' || state === 'skipped') expect(fix, check).toBeNull()
    else expect(fix, check).toMatch(/^[A-Z].{15,}\.$/)
  }
  expect(status).toBe(1)
})

it('writes none of settings that are wrong either, and lets the other checks wait', async () => {
  const wrong = Object.fromEntries(
    Object.entries(SECRETS).map(([name, value]) => [
      name,
      /URL|SOURCE$/.test(name) ? `x://${value}` : 'marker-',
    ]),
  )

  const { status, written } = await run(wrong, '--only', 'settings,database')

  expect(written.join('\n')).not.toContain('marker-')
  expect(rowsOf(written)).toMatchObject([
    { check: 'settings', state: 'fail', sentence: expect.stringContaining('SESSION_SECRET: ') },
    { check: 'database', state: 'skipped' },
  ])
  expect(status).toBe(1)
})

it('finds nothing wrong before the first start with nothing set, and makes nothing', async () => {
  const { status, written } = await run({})

  const rows = rowsOf(written)
  expect(rows.filter(({ state }) => state === 'fail')).toEqual([])
  expect(status).toBe(0)
  expect(await run({}, '--only', 'folder')).toMatchObject({
    written: [expect.stringContaining('The first start makes the folder')],
  })
})

it('refuses words and checks that it does not know', async () => {
  expect(await run({}, '--only', 'disk,dsik')).toMatchObject({
    status: 2,
    written: [
      expect.stringMatching(/^Name checks with commas between: settings, /),
      expect.stringMatching(/^Usage/),
    ],
  })
  expect(await run({}, '--all')).toMatchObject({ status: 2 })
})
