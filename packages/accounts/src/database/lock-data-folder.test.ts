import { spawnSync } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { aFolder } from '@pairwire/basics/testing/a-folder'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Child, startChild } from '../testing/child.ts'
import type { StarterOrder, StarterWord } from '../testing/lock-starter.ts'
import { lockDataFolder } from './lock-data-folder.ts'

/** Runs a program that sees none of our processes and that we see under another id, as in a container. */
const APART = ['unshare', '--pid', '--net', '--ipc', '--uts', '--mount', '--fork', '--kill-child']

const canBeApart = spawnSync(APART[0] ?? '', [...APART.slice(1), 'true']).status === 0

const STARTER = new URL('../testing/lock-starter.ts', import.meta.url)

describe('lock of the data folder', () => {
  let folder: string
  const starters: Child<StarterWord>[] = []

  beforeAll(async () => {
    for (let count = 0; count < 4; count++) starters.push(await aStarter())
  })
  afterAll(async () => {
    for (const starter of starters) await starter.kill()
  })
  beforeEach(() => {
    folder = aFolder()
  })

  it('makes the folder, for its owner alone, and leaves no lock behind when released', async () => {
    const lock = await lockDataFolder(join(folder, 'new'))

    expect(existsSync(join(folder, 'new', 'lock'))).toBe(true)

    lock.release()
    lock.release()
    expect(readdirSync(join(folder, 'new'))).toEqual([])
  })

  it('refuses a second holder with one sentence that names the folder and the process', async () => {
    const lock = await lockDataFolder(folder)

    await expect(lockDataFolder(folder)).rejects.toThrow(
      `The data folder ${folder} is in use by process ${process.pid}; stop it first.`,
    )

    lock.release()
    ;(await lockDataFolder(folder)).release()
    expect(readdirSync(folder)).toEqual([])
  })

  it('waits for a brief holder, then takes the folder', async () => {
    const tool = await lockDataFolder(folder, true)
    const service = lockDataFolder(folder)
    // It has seen the holder once it has its own socket there and has checked that the holder is alive.
    await expect.poll(() => readdirSync(folder).filter((name) => /^lock\.\w{8}-/.test(name))).toHaveLength(1)

    tool.release()

    const lock = await service
    await expect(lockDataFolder(folder)).rejects.toThrow('is in use by process')
    lock.release()
    expect(readdirSync(folder)).toEqual([])
  })

  it('waits half a minute for a brief holder, as a verb takes on a busy machine', async () => {
    const tool = await lockDataFolder(folder, true)
    let looks = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (looks++ === 0 ? 0 : 30_000))
    onTestFinished(() => clock.mockRestore())

    const waiting = lockDataFolder(folder)
    await expect.poll(() => looks).toBeGreaterThan(5)
    tool.release()

    ;(await waiting).release()
  })

  it('names the process that holds it', async () => {
    const [starter] = starters
    expect(await ask(starter!, { folder })).toEqual({ outcome: 'held' })

    await expect(lockDataFolder(folder)).rejects.toThrow(`process ${starter!.pid};`)

    expect(await ask(starter!, { folder: null })).toEqual({ outcome: 'released' })
    ;(await lockDataFolder(folder)).release()
  })

  it('is free at once after its holder was killed with SIGKILL', async () => {
    const starter = await aStarter()
    expect(await ask(starter, { folder })).toEqual({ outcome: 'held' })

    await starter.kill()

    const lock = await lockDataFolder(folder)
    expect(readdirSync(folder).map(withoutNames)).toEqual(['lock', 'lock.socket'])
    lock.release()
  })

  // Guards two containers on one volume, whose process ids mean nothing to each other.
  it.skipIf(!canBeApart)(
    'keeps out processes that see other process ids, and lets them in once its holder was killed',
    async () => {
      const inside = await startChild<StarterWord>(STARTER, [], APART)
      expect(await inside.next()).toEqual({ outcome: 'here' })
      expect(await ask(inside, { folder })).toEqual({ outcome: 'held' })
      await expect(lockDataFolder(folder)).rejects.toThrow(/is in use by process \d{1,2};/)
      await inside.kill()

      // The process in the container dies a moment after the program that started it.
      const lock = await vi.waitFor(() => lockDataFolder(folder), { timeout: 20_000 })

      const other = await startChild<StarterWord>(STARTER, [], APART)
      expect(await other.next()).toEqual({ outcome: 'here' })
      const refused = await ask(other, { folder })
      expect(refused).toMatchObject({ outcome: 'refused' })
      await other.kill()
      lock.release()
    },
  )

  it('is held by a process that has stopped answering, as long as it exists', async () => {
    const starter = await aStarter()
    await ask(starter, { folder })
    process.kill(starter.pid, 'SIGSTOP')

    await expect(lockDataFolder(folder)).rejects.toThrow(`process ${starter.pid};`)

    await starter.kill()
    ;(await lockDataFolder(folder)).release()
  })

  it('is not held by a process with the same id if nobody listens on the socket', async () => {
    const lock = await lockDataFolder(folder)
    const held: Record<string, unknown> = JSON.parse(readFileSync(join(folder, 'lock'), 'utf8'))
    lock.release()

    for (const socket of [held.socket, 'lock.00000000', '../lock.00000000']) {
      writeFileSync(join(folder, 'lock'), JSON.stringify({ ...held, socket }))
      ;(await lockDataFolder(folder)).release()
      expect(readdirSync(folder)).toEqual([])
    }
  })

  it('is not stopped by a damaged lock, as a power cut may leave it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.json()), async (text) => {
        writeFileSync(join(folder, 'lock'), text)

        const lock = await lockDataFolder(folder)

        lock.release()
        expect(existsSync(join(folder, 'lock'))).toBe(false)
      }),
      { numRuns: 50 },
    )
  })

  it('is not stopped by claims of processes that died while they took a stale lock over', async () => {
    const stale = await aDeadProcess()
    writeFileSync(join(folder, 'lock'), stale(1))
    for (let generation = 1; generation <= 3; generation++) {
      // The name under which the next process claims the lock with this text.
      const hash = createHash('sha256').update(stale(generation)).digest('hex').slice(0, 32)
      writeFileSync(join(folder, `lock.after-${hash}`), stale(generation + 1))
    }

    const lock = await lockDataFolder(folder)

    expect(readdirSync(folder).map(withoutNames)).toEqual(['lock', 'lock.socket'])
    lock.release()
  })

  // Guards against two services on one database: the loser's commits would be lost in silence.
  it('has exactly one holder whenever several processes start at once, over a stale lock or none', async () => {
    const stale = await aDeadProcess()
    for (let round = 0; round < 40; round++) {
      const place = join(folder, String(round))
      ;(await lockDataFolder(place)).release()
      if (round % 3 > 0) writeFileSync(join(place, 'lock'), stale(round))

      const words = await Promise.all(starters.map((starter) => ask(starter, { folder: place })))

      expect(words.filter(({ outcome }) => outcome === 'held')).toHaveLength(1)
      const holder = starters[words.findIndex(({ outcome }) => outcome === 'held')]
      for (const word of words) {
        if (word.outcome === 'refused') expect(word.sentence).toContain(`process ${holder?.pid};`)
      }
      expect(readdirSync(place).map(withoutNames)).toEqual(['lock', 'lock.socket'])
      await Promise.all(starters.map((starter) => ask(starter, { folder: null })))
      expect(readdirSync(place)).toEqual([])
    }
  })
})

/** The name of a file without its random part. */
function withoutNames(name: string): string {
  return name.replace(/^lock\.[0-9a-f]{8}$/, 'lock.socket')
}

async function aStarter(): Promise<Child<StarterWord>> {
  const starter = await startChild<StarterWord>(STARTER)
  expect(await starter.next()).toEqual({ outcome: 'here' })
  return starter
}

function ask(starter: Child<StarterWord>, order: StarterOrder): Promise<StarterWord> {
  starter.send(order)
  return starter.next()
}

/** Texts of locks left by a process that was killed while it held one. */
async function aDeadProcess(): Promise<(number: number) => string> {
  const folder = aFolder()
  const starter = await aStarter()
  await ask(starter, { folder })
  await starter.kill()
  const held: Record<string, unknown> = JSON.parse(readFileSync(join(folder, 'lock'), 'utf8'))
  const run = randomUUID()
  return (number) => JSON.stringify({ ...held, id: `${run}-${number}` })
}
