import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { aFolder } from '@pairwire/basics/testing/a-folder'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createFlushBarrier } from './flush-barrier.ts'

describe('flush barrier', () => {
  let folder: string
  let flushes: number
  /** Called in the middle of each flush. */
  let duringFlush: () => void

  beforeEach(async () => {
    folder = aFolder()
    flushes = 0
    duringFlush = () => {}
    const file = await open(folder, 'r')
    const prototype: { datasync(): Promise<void> } = Object.getPrototypeOf(file)
    const { datasync } = prototype
    vi.spyOn(prototype, 'datasync').mockImplementation(async function (this: unknown) {
      flushes++
      duringFlush()
      await datasync.call(this)
    })
    await file.close()
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })

  const segment = (name: string) => writeFileSync(join(folder, name), 'log')

  it('flushes each segment of the log and the folder, and nothing else', async () => {
    segment('000000010000000000000001')
    segment('000000010000000000000002')
    segment('archive_status')

    await createFlushBarrier(folder)()

    expect(flushes).toBe(3)
  })

  it('skips files that have not changed for a while', async () => {
    let now = 0
    segment('000000010000000000000001')
    const barrier = createFlushBarrier(folder, () => now)
    await barrier()
    now += 2_000
    await barrier()
    flushes = 0

    now += 2_000
    await barrier()

    expect(flushes).toBe(1)
  })

  // Guards acknowledged accounts against a power cut after the clock was set back.
  it('flushes a segment that has changed at an earlier time of the clock than before', async () => {
    let now = 0
    const path = join(folder, '000000010000000000000001')
    segment('000000010000000000000001')
    const barrier = createFlushBarrier(folder, () => now)
    for (let count = 0; count < 3; count++) {
      await barrier()
      now += 2_000
    }
    flushes = 0

    const hourAgo = new Date(Date.now() - 3_600_000)
    utimesSync(path, hourAgo, hourAgo)
    await barrier()

    expect(flushes).toBe(2)
  })

  it('lets calls that arrive together share one flush', async () => {
    segment('000000010000000000000001')
    const barrier = createFlushBarrier(folder)

    await Promise.all([barrier(), barrier(), barrier()])

    expect(flushes).toBe(2)
  })

  // Guards against an answer before its commit is on disk: a running flush may have passed its file already.
  it('starts another flush for a call that arrives during one', async () => {
    segment('000000010000000000000001')
    const barrier = createFlushBarrier(folder)
    const late: Promise<void>[] = []
    duringFlush = () => {
      if (late.length === 0) late.push(barrier())
    }

    await barrier()
    const flushesBefore = flushes
    await Promise.all(late)

    expect(flushesBefore).toBe(2)
    expect(flushes).toBe(4)
  })

  it('fails while the log is missing, and works again once it exists', async () => {
    const barrier = createFlushBarrier(join(folder, 'later'))
    await expect(barrier()).rejects.toThrow('ENOENT')

    mkdirSync(join(folder, 'later'))

    await expect(barrier()).resolves.toBeUndefined()
  })
})
