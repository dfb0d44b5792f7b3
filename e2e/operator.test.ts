import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { codeOf, STEP_MS } from '../packages/accounts/src/testing/authenticator.ts'
import { HOUR_MS } from '../packages/contract/src/time-units.ts'
import { archiveHour, call, signIn } from './buyers.ts'
import { pairwire as runPairwire } from './operator.ts'
import { freshEmail } from './people.ts'
import { type Service, startService } from './service.ts'
import { STORY_MS } from './story-time.ts'

let service: Service
/** End of the archived hour. */
const TO = Date.now() - (Date.now() % HOUR_MS)

const dataFolder = mkdtempSync(join(tmpdir(), 'pairwire-e2e-'))

beforeAll(async () => {
  await archiveHour(dataFolder, TO)
  service = await startService({}, { dataFolder })
})
afterAll(async () => {
  await service.kill()
  rmSync(dataFolder, { recursive: true })
})

const pairwire = (...words: string[]) => runPairwire(service.dataFolder, ...words)

const systemStatus = async () =>
  (await (await fetch(`${service.url}/api/systemstatus`)).json()) as { Details: string }[]

describe("the operator's tool", { timeout: STORY_MS }, () => {
  it('shows a notice before the words that data is simulated, and removes it again', async () => {
    await pairwire('status', 'add', 'Maintenance at 12:00 UTC.')
    expect((await systemStatus())[0]).toEqual({ Details: 'Maintenance at 12:00 UTC. Data is simulated.' })

    await pairwire('status', 'clear')
    expect((await systemStatus())[0]?.Details).not.toContain('Maintenance')
  })

  it('creates accounts with a plan and prints each as one line of JSON', async () => {
    const emails = [freshEmail(), freshEmail()]

    const { status, stdout } = await pairwire('account', 'create', ...emails, '--plan', 'basic')

    const accounts = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(status).toBe(0)
    expect(accounts.map(({ user }) => user.Email)).toEqual(emails)
    expect(accounts[0].activeSubscription).toMatchObject({
      planName: 'Basic',
      isFreeTrial: false,
      connectionLimit: 1,
    })
    expect(accounts[0].paidSubscription).toEqual({ planName: 'Basic', forbidManageSubscription: true })
  })

  it('checks the service from beside it and from within, and finds no fault', async () => {
    const rowsOf = ({ stdout }: { stdout: string }) =>
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { check: string; state: string })

    const beside = await pairwire('doctor', '--only', 'settings,folder,secrets,database,operator,archive')
    const within = await pairwire('machine', 'doctor')

    expect(beside.status).toBe(0)
    for (const row of [...rowsOf(beside), ...rowsOf(within)]) expect(row.state, row.check).not.toBe('fail')
    const found = Object.fromEntries(rowsOf(within).map(({ check, state }) => [check, state]))
    expect(found).toMatchObject({ address: 'ok', proxy: 'ok', database: 'ok', secrets: 'ok', source: 'ok' })
    expect(JSON.parse((await pairwire('version')).stdout)).toEqual(
      JSON.parse((await pairwire('machine', 'version')).stdout),
    )
  })

  it('changes a plan and its connections, and removes the plan', async () => {
    const email = freshEmail()
    await pairwire('account', 'create', email)

    const granted = await pairwire('account', 'plan', email, 'pro', '--connections', '5')
    const taken = await pairwire('account', 'plan', email, 'none')

    expect(JSON.parse(granted.stdout).activeSubscription).toMatchObject({
      planName: 'Pro',
      connectionLimit: 5,
    })
    expect(JSON.parse(taken.stdout).activeSubscription).toBeUndefined()
  })

  it('issues a new key, and the old one no longer works', async () => {
    const email = freshEmail()
    const before = JSON.parse((await pairwire('account', 'create', email, '--plan', 'pro')).stdout)

    const after = JSON.parse((await pairwire('key', 'reset', email)).stdout)

    expect(after.user.APIKey).not.toBe(before.user.APIKey)
    expect(await upgradeStatus(before.user.APIKey)).toBe(401)
    expect(await upgradeStatus(after.user.APIKey)).toBe(101)
  })

  const to = new Date(TO).toISOString()
  const ofOneHour = ['--offer', 'hour', '--to', to]

  it('says what became of a test mail', async () => {
    const email = freshEmail()

    const { stdout } = await pairwire('mail', 'test', email)

    expect(JSON.parse(stdout)).toMatchObject({ to: email, state: 'sent', attempts: 1 })
  })

  it('grants hours for free, and lists and shows orders', async () => {
    const email = freshEmail()
    await pairwire('account', 'create', email)

    const given = await pairwire('order', 'create', email, ...ofOneHour)

    expect(given).toMatchObject({ status: 0, stderr: '' })
    // It is marked ready once all its hours exist, which may happen between the two.
    const { id, readyAt: _readyAt, ...order } = JSON.parse(given.stdout)
    expect(order).toMatchObject({ email, offer: 'hour', to, usd: 0, status: 'paid', provider: null })
    const listed = (await pairwire('order', 'list', '--state', 'paid')).stdout.trim().split('\n')
    expect(listed.map((line) => JSON.parse(line).id)).toContain(id)
    expect(JSON.parse((await pairwire('order', 'show', String(id))).stdout)).toMatchObject({ id, ...order })
    const refused = await pairwire('order', 'refund', String(id), '--yes')
    expect(refused).toMatchObject({ status: 1, stdout: '' })
    expect(refused.stderr).toBe(`Order ${id} was granted for free, so there is nothing to refund.\n`)
  })

  it('refunds an order, which ends it at once in the sandbox', async () => {
    const email = freshEmail()
    await pairwire('account', 'create', email)
    const token = await signIn(service.url, email)
    const { order, checkout } = await call(service.url, 'POST', '/api/history/orders', token, {
      offer: 'hour',
      to,
    })
    const body = new URLSearchParams({ outcome: 'pay' })
    await fetch(`${service.url}${checkout.url}`, { method: 'POST', body })
    const status = async () =>
      (await call(service.url, 'GET', `/api/history/orders/${order.id}`, token)).status
    expect(await status()).toBe('paid')

    const refunded = await pairwire('order', 'refund', String(order.id), '--yes')

    expect(JSON.parse(refunded.stdout)).toMatchObject({ id: order.id, status: 'refunded' })
    expect(await status()).toBe('refunded')
  })

  it('refuses impossible orders with a sentence, and wrong words with its usage', async () => {
    const email = freshEmail()
    await pairwire('account', 'create', email)

    const missing = await pairwire('order', 'create', email, '--offer', 'month', '--to', to)
    const unknown = await pairwire('order', 'show', '7')

    expect([missing.status, unknown.status]).toEqual([1, 1])
    expect(missing.stderr).toMatch(/^The archive does not have \d{8}-\d{6}, .* and \d+ more\.\n$/)
    expect(unknown.stderr).toBe('There is no order 7.\n')
    for (const words of [
      ['refund', '482913377'],
      ['create', email, '--offer', 'year'],
    ]) {
      const { status, stderr } = await pairwire('order', ...words)
      expect([status, stderr.split(' ')[0]]).toEqual([2, 'Usage:'])
    }
  })

  it('makes operators, who sign in over HTTP with the printed link and a code', async () => {
    const email = freshEmail()
    const made = JSON.parse((await pairwire('operator', 'add', email)).stdout)
    const post = (path: string, body: object, cookie = '') =>
      fetch(`${service.url}/api/operator/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', cookie },
        body: JSON.stringify(body),
      })

    const t = new URL(made.link).searchParams.get('t')
    const code = codeOf(made.secret, Math.floor(Date.now() / STEP_MS))
    const opened = await post('session/open', { t, code })
    const cookie = opened.headers
      .getSetCookie()
      .map((one) => one.split(';')[0])
      .join('; ')

    expect(made).toMatchObject({
      email,
      role: 'operator',
      link: expect.stringContaining(`${service.url}/admin/`),
    })
    expect(await opened.json()).toEqual({ email, role: 'operator' })
    expect((await post('account/create', { emails: [freshEmail()] }, cookie)).status).toBe(200)
    expect((await post('operator/add', { email: freshEmail() }, cookie)).status).toBe(404)
    const { stdout } = await pairwire('operator', 'list')
    expect(JSON.parse(stdout)).toMatchObject({ email, lastSignInAt: expect.any(String) })
    expect(await pairwire('operator', 'remove', email)).toMatchObject({ status: 0, stdout: '' })
    expect((await post('status/clear', {}, cookie)).status).toBe(401)
  })

  it('says that a data folder is wrong, and creates nothing in it', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'pairwire-e2e-'))
    for (const folder of [join(parent, 'missing'), parent]) {
      const { status, stdout, stderr } = await runPairwire(folder, 'account', 'create', freshEmail())

      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expect(stderr.trim()).toContain(`DATA_DIR: no service keeps its data in ${folder}. `)
    }
    expect(readdirSync(parent)).toEqual([])
    rmSync(parent, { recursive: true })
  })

  it('prints its usage on request, after any verb', async () => {
    expect(await pairwire('audit', '--help')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('--from-slot N --to-slot N'),
      stderr: '',
    })
  })

  it('answers an unknown email with a sentence and a wrong verb with its usage', async () => {
    const unknown = await pairwire('account', 'show', 'nobody@example.com')
    const wrong = await pairwire('acount', 'show')

    expect(unknown).toMatchObject({ status: 1, stdout: '' })
    expect(unknown.stderr.trim().split('\n')).toHaveLength(1)
    expect(wrong.status).toBe(2)
    expect(wrong.stderr).toContain('Usage')
  })
})

/** HTTP status with which the stream answers an upgrade with this key. */
function upgradeStatus(key: string): Promise<number> {
  return new Promise((resolve) => {
    const socket = new WebSocket(service.streamUrl, { headers: { 'X-API-KEY': key } })
    socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
    socket.once('error', () => {})
    socket.once('open', () => {
      resolve(101)
      socket.terminate()
    })
  })
}
