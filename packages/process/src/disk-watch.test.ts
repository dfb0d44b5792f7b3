import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { aFolder } from '@pairwire/basics/testing/a-folder'
import { beforeEach, describe, expect, it } from 'vitest'
import { createDiskWatch } from './disk-watch.ts'

const MEBIBYTE = 1024 * 1024

/** A watch over a disk and a clock, both controlled by the test. */
function createUnderTest(
  folder: string,
  disk?: { freeBytes: number | undefined; fault: string | undefined },
) {
  const logged: string[] = []
  const log = (sentence: string) => void logged.push(sentence)
  let next = () => {}
  const watch = createDiskWatch({
    folder,
    clock: {
      after: (_milliseconds, action) => {
        next = action
        return () => {
          next = () => {}
        }
      },
    },
    log: { info: log, warn: log, error: log },
    ...(disk && {
      disk: {
        freeBytes: async () => disk.freeBytes,
        write: async () => {
          if (disk.fault) throw Object.assign(new Error('no'), { code: disk.fault })
        },
      },
    }),
  })
  /** One check, to its end. */
  const look = async () => {
    next()
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
  }
  return { watch, look, logged }
}

describe('the watch over the disk', () => {
  let folder: string
  beforeEach(() => {
    folder = aFolder()
  })

  it('reports a disk that refuses writes, and its recovery, once each', async () => {
    const disk = { freeBytes: (900 * MEBIBYTE) as number | undefined, fault: undefined as string | undefined }
    const { watch, look, logged } = createUnderTest(folder, disk)
    watch.start()
    await look()
    expect(watch.hasRoom()).toBe(true)

    for (const [freeBytes, fault] of [
      [0, 'ENOSPC'],
      [15 * MEBIBYTE, undefined],
      [900 * MEBIBYTE, 'EROFS'],
      [undefined, 'EDQUOT'],
    ] as const) {
      Object.assign(disk, { freeBytes, fault })
      await look()
      await look()
      expect(watch.hasRoom()).toBe(false)
      Object.assign(disk, { freeBytes: 17 * MEBIBYTE, fault: undefined })
      await look()
      expect(watch.hasRoom()).toBe(true)
      expect(logged.splice(0)).toEqual([
        expect.stringContaining('the disk cannot be written to'),
        expect.stringContaining('again'),
      ])
    }
    await watch.stop()
  })

  it('finds room on a real disk and leaves nothing there', async () => {
    const { watch, logged } = createUnderTest(folder)

    watch.start()
    await watch.stop()

    expect(watch.hasRoom()).toBe(true)
    expect(watch.freeBytes()).toBeGreaterThan(0)
    expect(readdirSync(folder)).toEqual([])
    expect(logged).toEqual([])
  })

  it('finds none if the folder is gone', async () => {
    const { watch } = createUnderTest(join(folder, 'gone'))

    watch.start()
    await watch.stop()

    expect(watch.hasRoom()).toBe(false)
  })

  it('checks no more once it is stopped', async () => {
    const disk = { freeBytes: 900 * MEBIBYTE, fault: undefined as string | undefined }
    const { watch, look } = createUnderTest(folder, disk)
    watch.start()
    await watch.stop()
    disk.fault = 'EIO'

    await look()

    expect(watch.hasRoom()).toBe(true)
  })
})
