import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { pairwire as runPairwire } from './operator.ts'
import { freshEmail } from './people.ts'
import { type Service, startService } from './service.ts'
import { STORY_MS } from './story-time.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.kill())

const pairwire = (...words: string[]) => runPairwire(service.dataFolder, ...words)

const systemStatus = async () =>
  (await (await fetch(`${service.url}/api/systemstatus`)).json()) as { Details: string }[]

describe("the operator's tool", { timeout: STORY_MS }, () => {
  it('puts a notice before the word that data is simulated, and takes it away again', async () => {
    await pairwire('status', 'add', 'Maintenance at 12:00 UTC.')
    expect((await systemStatus())[0]).toEqual({ Details: 'Maintenance at 12:00 UTC. Data is simulated.' })

    await pairwire('status', 'clear')
    expect((await systemStatus())[0]?.Details).not.toContain('Maintenance')
  })

  it('makes accounts with a plan and prints each as one line of JSON', async () => {
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

  it('changes a plan and its connections, and takes the plan away', async () => {
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

  it('gives a new key, and the old one opens nothing any more', async () => {
    const email = freshEmail()
    const before = JSON.parse((await pairwire('account', 'create', email, '--plan', 'pro')).stdout)

    const after = JSON.parse((await pairwire('key', 'reset', email)).stdout)

    expect(after.user.APIKey).not.toBe(before.user.APIKey)
    expect(await upgradeStatus(before.user.APIKey)).toBe(401)
    expect(await upgradeStatus(after.user.APIKey)).toBe(101)
  })

  it('says that a data folder is a wrong one, and makes nothing there', async () => {
    const parent = mkdtempSync(join(tmpdir(), 'pairwire-e2e-'))
    for (const folder of [join(parent, 'missing'), parent]) {
      const { status, stdout, stderr } = await runPairwire(folder, 'account', 'create', freshEmail())

      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expect(stderr.trim()).toContain(`DATA_DIR: no service keeps its data in ${folder}. `)
    }
    expect(readdirSync(parent)).toEqual([])
    rmSync(parent, { recursive: true })
  })

  it('prints its usage for whoever asks for help, behind any verb', async () => {
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
