import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { QUICK_NODE } from '../packages/basics/src/testing/quick-node.ts'
import { makeAccount, pairwire } from './operator.ts'
import { freshEmail } from './people.ts'
import { root, type Service, startService } from './service.ts'
import { STORY_MS } from './story-time.ts'

const folders: string[] = []
const folder = () => {
  const made = mkdtempSync(join(tmpdir(), 'pairwire-e2e-backup-'))
  folders.push(made)
  return made
}

describe('a backup of a running service', { timeout: 2 * STORY_MS }, () => {
  let service: Service
  let key: string
  let file: string
  let daily: string

  beforeAll(async () => {
    daily = join(folder(), 'daily')
    service = await startService({ BACKUP_DIR: daily })
    key = (await makeAccount(service, freshEmail(), 'pro')).user.APIKey
    file = join(folder(), 'pairwire.zip')
  }, STORY_MS)
  afterAll(async () => {
    await service.kill()
    for (const path of folders) rmSync(path, { recursive: true })
  })

  it('is made beside it, and restores into a folder on which the same keys work', async () => {
    const { status, stderr } = await pairwire(service.dataFolder, 'backup', file)

    expect(status, stderr).toBe(0)
    expect(JSON.parse(stderr)).toMatchObject({ file, version: '0.1.0' })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const target = folder()
    const restored = await pairwire(target, 'restore', file)
    expect(JSON.parse(restored.stdout), restored.stderr).toMatchObject({ file, keys: 1 })
    const another = await startService({}, { dataFolder: target })
    onTestFinished(() => another.kill())
    // A busy machine answers 503 as long as it cannot look keys up in time.
    await expect.poll(() => connectTo(another.streamUrl, key)).toBe('open')
    expect(
      await connectTo(
        another.streamUrl,
        key.replace(/./, (one) => (one === '0' ? '1' : '0')),
      ),
    ).toBe('refused')
  })

  it.each(['backup', 'restore --check', 'restore'])(
    'leaves nothing behind when %s is interrupted',
    async (words) => {
      const [temporary, target] = [folder(), folder()]
      const [verb, ...more] = words.split(' ')
      const dataFolder = words === 'restore' ? target : service.dataFolder
      const path = verb === 'backup' ? join(target, 'pairwire.zip') : file
      const script = join(root, 'apps/standalone/dist/pairwire.js')
      const tool = spawn(process.execPath, [...QUICK_NODE, script, verb!, path, ...more], {
        env: { ...process.env, DATA_DIR: dataFolder, TMPDIR: temporary },
        stdio: 'ignore',
      })
      const isAtWork = () =>
        readdirSync(temporary).length > 0 || existsSync(join(target, 'restore-unfinished'))
      await expect.poll(isAtWork, { timeout: 20_000 }).toBe(true)
      tool.kill('SIGINT')

      expect(await once(tool, 'exit')).toEqual([1, null])
      expect([readdirSync(temporary), readdirSync(target)]).toEqual([[], []])
    },
  )

  it('is made by itself in BACKUP_DIR, also when its hour was missed', async () => {
    await expect
      .poll(() => (existsSync(daily) ? readdirSync(daily) : []), { timeout: STORY_MS })
      .toEqual([expect.stringMatching(/^daily-.*\.zip$/)])
  })

  it('is proved by a check that touches nothing', async () => {
    const target = folder()

    const { status, stdout } = await pairwire(target, 'restore', file, '--check')

    expect(status).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      keys: 1,
      rows: expect.any(Number),
      seconds: expect.any(Number),
    })
    expect(readdirSync(target)).toEqual([])
  })

  it('is refused where something runs, where something lies, and with wrong words', async () => {
    const full = folder()
    cpSync(file, join(full, 'notes.txt'))

    const running = await pairwire(service.dataFolder, 'restore', file)
    const filled = await pairwire(full, 'restore', file)
    const missing = await pairwire(folder(), 'restore')

    expect([running.status, running.stderr]).toEqual([1, expect.stringContaining('is in use by process')])
    expect([filled.status, filled.stderr]).toEqual([1, expect.stringContaining('is not empty')])
    expect([missing.status, missing.stderr]).toEqual([2, expect.stringContaining('restore <file> [--check]')])
  })
})

/** Whether a stream connection with this key is taken. */
async function connectTo(url: string, key: string): Promise<'open' | 'refused'> {
  const socket = new WebSocket(url, { headers: { 'x-api-key': key } })
  const outcome = await new Promise<'open' | 'refused'>((resolve) => {
    socket.once('open', () => resolve('open'))
    socket.once('error', () => resolve('refused'))
  })
  socket.terminate()
  return outcome
}
