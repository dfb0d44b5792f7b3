import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, inject, it } from 'vitest'
import { freePort } from '../packages/basics/src/testing/free-port.ts'
import { QUICK_NODE } from '../packages/basics/src/testing/quick-node.ts'
import { askAsOperator, makeAccount, pairwire } from './operator.ts'
import { freshEmail } from './people.ts'
import { root, startService } from './service.ts'
import { STORY_MS } from './story-time.ts'

/** Whether a separate disk can be created for the test, which takes root. */
const canMount =
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--mount', 'sh', '-c', 'mount -t tmpfs tmpfs /mnt']).status === 0

/** Node in a line of the shell, with the flags of every process of the tests. */
const NODE = [process.execPath, ...QUICK_NODE].join(' ')

const folders: string[] = []
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** The data folder that every test gets a copy of: secrets and an empty database. */
const template = process.env.PAIRWIRE_E2E_TEMPLATE!

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-e2e-'))
  cpSync(template, folder, { recursive: true })
  folders.push(folder)
  return folder
}

describe('the service as a process', { timeout: STORY_MS }, () => {
  it('starts a second time, under npm, and leaves no process and no lock behind on SIGTERM', async () => {
    const dataFolder = freshFolder()
    await (await startService({}, { dataFolder })).stop()

    const service = await startService({}, { dataFolder, command: ['npm', 'start'] })
    const children = descendants(service.process.pid!)
    const before = Date.now()
    const status = await service.stop()

    const took = Date.now() - before
    expect(children.length).toBeGreaterThan(0)
    await expect.poll(() => children.filter(isAlive)).toEqual([])
    // Only a fully loaded machine cuts a stop short; its lock is a dead one, which blocks nobody.
    if (status === 0) expect(readdirSync(dataFolder)).not.toContain('lock')
    else expect(took).toBeGreaterThan(4_000)
  })

  // Guards the dump and the lock: a delayed stop becomes a kill.
  it('stops within 5 seconds while clients send nothing, half a head, half a body or no close frame', async () => {
    const dataFolder = freshFolder()
    const service = await startService({}, { dataFolder })
    const port = Number(new URL(service.url).port)
    const account = await makeAccount(service, freshEmail(), 'pro')
    const upgrade = `GET / HTTP/1.1\r\nHost: localhost\r\nX-API-KEY: ${account.user.APIKey}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`
    const sockets = [
      '',
      'GET /api/config HTTP/1.1\r\nHost: localh',
      'POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"email":',
      'GET /api/config HTTP/1.1\r\nHost: localhost\r\n\r\n',
      upgrade,
    ].map((text) => {
      const socket = connect(port, '127.0.0.1', () => void socket.write(text))
      return socket.on('error', () => {}).resume()
    })
    await Promise.all(sockets.slice(3).map((socket) => once(socket, 'data')))
    const before = Date.now()

    const status = await service.stop()

    const took = Date.now() - before
    for (const socket of sockets) socket.destroy()
    expect(status).toBe(0)
    expect(took).toBeLessThan(5_000)
    expect(readdirSync(dataFolder).filter((name) => /^lock|sock/.test(name))).toEqual([])
    // Only a fully loaded machine has no time for a dump, and then the log says so.
    if (service.output().includes('without a new dump')) expect(took).toBeGreaterThan(4_000)
    else expect(statSync(join(dataFolder, 'database/dump.tar.gz')).mtimeMs).toBeGreaterThan(before - 1_000)
  })

  it.skipIf(!canMount)(
    'shows a full disk on /healthz and in the metrics, and recovers by itself',
    async () => {
      const dataFolder = freshFolder()
      const mounted = `mount -t tmpfs -o size=160m tmpfs ${dataFolder} && cp -r ${template}/. ${dataFolder} && exec ${NODE} ${join(root, 'scripts/start.mjs')}`
      const service = await startService(
        // It needs more space than this disk has.
        { ARCHIVE_URL: 'off' },
        { dataFolder, command: ['unshare', '--mount', 'sh', '-c', mounted] },
      )
      const filler = `/proc/${service.process.pid}/root${dataFolder}/filler`
      const health = async () => (await fetch(`${service.url}/healthz`)).json()
      const soon = { interval: 200 }
      await expect
        .poll(health, soon)
        .toEqual({ status: 'up', parts: { database: true, source: true, disk: true, webhooks: true } })

      expect(() => writeFileSync(filler, Buffer.alloc(200_000_000))).toThrow(/ENOSPC/)

      await expect
        .poll(health, soon)
        .toMatchObject({ status: 'down', parts: { database: true, disk: false } })
      const metrics = async () => (await fetch(`${service.url}/metrics`)).text()
      await expect.poll(metrics, soon).toContain('pairwire_part_up{part="disk"} 0')

      rmSync(filler)
      await expect.poll(health, soon).toMatchObject({ status: 'up' })
      expect(await service.stop()).toBe(0)
    },
  )

  it.skipIf(!canMount)('has the doctor say what helps where the disk is read-only', () => {
    const folder = freshFolder()
    mkdirSync(join(folder, 'archive'))
    const doctor = `${NODE} ${join(root, 'apps/standalone/dist/pairwire.js')} doctor --only folder,archive`
    const mounted = `mount --bind ${folder} ${folder} && mount -o remount,ro,bind ${folder} && exec ${doctor}`

    const { stdout } = spawnSync('unshare', ['--mount', 'sh', '-c', mounted], {
      encoding: 'utf8',
      env: { ...process.env, DATA_DIR: folder, SOLANA_SOURCE: 'simulator' },
    })

    const rows = stdout.trim().split('\n')
    expect(rows.map((row) => JSON.parse(row))).toMatchObject([
      { state: 'fail', sentence: `DATA_DIR: ${folder} is read-only.`, fix: expect.stringMatching(/^Mount/) },
      { state: 'fail', fix: expect.stringContaining('make room on that disk') },
    ])
  })

  it.skipIf(process.platform !== 'linux')('has the tool say that a disk takes no output', () => {
    const tool = `${NODE} ${join(root, 'apps/standalone/dist/pairwire.js')} version`

    const { status, stderr } = spawnSync('sh', ['-c', `${tool} > /dev/full`], { encoding: 'utf8' })

    expect(stderr).toMatch(/^The output cannot be written: ENOSPC.*\n$/)
    expect(status).toBe(1)
  })

  it('refuses a second service on the same data folder with a sentence, and keeps running', async () => {
    const second = startService({}, { dataFolder: inject('dataFolder') })

    await expect(second).rejects.toThrow(/is in use by process/)
    expect((await fetch(`${inject('serviceUrl')}/healthz`)).status).toBe(200)
  })

  it('refuses a port in use with a sentence', async () => {
    const second = startService({ PORT: new URL(inject('serviceUrl')).port })

    await expect(second).rejects.toThrow(/PORT: another program is using/)
  })

  it('stops before it starts on a wrong variable, naming it', async () => {
    await expect(startService({ SOLANA_SOURCE: 'telegraph://x' })).rejects.toThrow(/SOLANA_SOURCE/)
    await expect(startService({ NATS_URL: 'nats://x', PORT: String(await freePort()) })).rejects.toThrow(
      /cannot reach NATS at x:4222/,
    )
  })

  it.each([
    ['a folder below a file', { DATA_DIR: '/dev/null/data' }, /DATA_DIR: \/dev\/null\/data cannot be used/],
    [
      'backups below a file',
      { BACKUP_DIR: '/dev/null/kept' },
      /BACKUP_DIR: \/dev\/null\/kept cannot be used/,
    ],
    ['a proxy that is everybody', { TRUST_PROXY: '0.0.0.0/0' }, /TRUST_PROXY: .*trusts nearly everyone/],
    ['an address of others without https', { PUBLIC_URL: 'http://10.0.0.4' }, /PUBLIC_URL: .* needs https/],
    [
      'a secret that was cut off',
      { SESSION_SECRET: 'x'.repeat(31) },
      /SESSION_SECRET: must have at least 32/,
    ],
    [
      'an address of another machine',
      { HOST: '192.0.2.1' },
      /HOST: this machine cannot listen on 192\.0\.2\.1/,
    ],
  ])('stops on %s with one sentence and no stack', async (_case, environment, sentence) => {
    const error: Error = await startService(environment).then(
      () => expect.fail('It started.'),
      (reason) => reason,
    )

    expect(error.message).toMatch(sentence)
    expect(error.message).not.toMatch(/^\s+at /m)
    const lines = error.message.trim().split('\n').slice(1)
    for (const line of lines.filter((line) => line.startsWith('{')))
      expect(JSON.parse(line).at).toMatch(/^20.*Z$/)
  })

  it('refuses a database whose secrets are lost, explains the recovery, and recovers', async () => {
    const dataFolder = freshFolder()
    const file = join(dataFolder, 'secrets.json')
    const backup = readFileSync(file)
    rmSync(file)

    await expect(startService({}, { dataFolder })).rejects.toThrow(/secrets\.json is missing.*backup/)
    expect(readdirSync(dataFolder)).not.toContain('secrets.json')
    writeFileSync(file, backup.subarray(0, 40))
    await expect(startService({}, { dataFolder })).rejects.toThrow(/secrets\.json is cut off/)

    writeFileSync(file, backup)
    await (await startService({}, { dataFolder })).kill()
  })

  it('shows mails to nobody if others can reach it, even if its address is local', async () => {
    const service = await startService({ HOST: '0.0.0.0' })

    for (const path of ['/dev/mail', '/dev/mail.json', '/metrics', '/sandbox/checkout/x'])
      expect((await fetch(`${service.url}${path}`)).status, path).toBe(404)
    expect(service.output()).toContain('neither sends nor shows emails')
    await service.kill()
  })

  // Guards people's accounts and keys against a kill of the process.
  it('keeps every acknowledged account, key and trial across kill -9, and its lock does not block', async () => {
    const dataFolder = freshFolder()
    const emails: string[] = []
    for (let round = 0; round < 2; round++) {
      const service = await startService({}, { dataFolder })
      const fresh = [freshEmail(), freshEmail(), freshEmail()]
      await askAsOperator(service, 'account create', { emails: fresh, plan: 'pro' })
      emails.push(...fresh)
      await service.kill()
    }

    // The first from the folder as the kill left it, the others from a service that started on it.
    const first = JSON.parse((await pairwire(dataFolder, 'account', 'show', emails[0]!)).stdout)
    const service = await startService({}, { dataFolder })
    const show = (email: string) => askAsOperator(service, 'account show', { who: email })
    const accounts = [first, ...(await Promise.all(emails.slice(1).map(show))).flat()]
    await service.kill()

    expect(accounts.map(({ user }) => user.Email)).toEqual(emails)
    expect(
      accounts.every(
        ({ user, activeSubscription }) =>
          /^[0-9a-f]{32}$/.test(user.APIKey) && activeSubscription.planName === 'Pro',
      ),
    ).toBe(true)
  })

  it("lets only its owner open the operator's socket", () => {
    expect(statSync(join(inject('dataFolder'), 'control.sock')).mode & 0o777).toBe(0o600)
  })
})

/** Process ids of everything below `pid`, itself included. */
function descendants(pid: number): number[] {
  const children = spawnSync('ps', ['-o', 'pid=', '--ppid', String(pid)])
    .stdout.toString()
    .split('\n')
  return [pid, ...children.filter((line) => line.trim()).flatMap((line) => descendants(Number(line)))]
}

function isAlive(pid: number): boolean {
  return existsSync(`/proc/${pid}`)
}
