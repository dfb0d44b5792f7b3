import { randomBytes } from 'node:crypto'
import type * as fs from 'node:fs/promises'
import { SegmentLog } from '@pairwire/segment-log'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { aBlock, cursorOf } from './bus.suite.ts'
import { openEventLog } from './event-log.ts'
import { writeRecord } from './event-record.ts'
import { aFolder } from './testing/a-store.ts'

const disk = vi.hoisted(() => ({ bytesRead: 0 }))

/** The real disk, with a count of reads. */
vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof fs>()
  const counted = (bytes: number) => {
    disk.bytesRead += bytes
  }
  return {
    ...real,
    readFile: async (path: string) => {
      const bytes = await real.readFile(path)
      counted(bytes.length)
      return bytes
    },
    open: async (...how: Parameters<typeof fs.open>) => {
      const file = await real.open(...how)
      const read = file.read.bind(file) as (...args: unknown[]) => Promise<{ bytesRead: number }>
      file.read = (async (...args: unknown[]) => {
        const result = await read(...args)
        counted(result.bytesRead)
        return result
      }) as typeof file.read
      return file
    },
  }
})

const FILES = 16
const RECORDS_A_FILE = 10
const RECORD_BYTES = 40_000

/** A log whose files take a sixteenth of its bytes. */
const open = (folder: string) =>
  openEventLog({
    folder,
    kind: 'simulator',
    retention: { milliseconds: 86_400_000, bytes: FILES * RECORDS_A_FILE * RECORD_BYTES },
    now: Date.now,
    warn: (...words) => expect(words).toBe('no warning'),
  })

/** A folder of files with records that do not compress: each has a block, and something as long as a page of swaps. */
async function aFullFolder() {
  const folder = aFolder()
  const log = await open(folder)
  for (let slot = 1; slot <= FILES * RECORDS_A_FILE; slot++) {
    const event = aBlock(slot)
    const filled = { ...event, filler: randomBytes(RECORD_BYTES * 0.75).toString('base64') }
    await log.append([await writeRecord([filled], true)], event.cursor)
  }
  await log.close()
  return folder
}

describe('event log', () => {
  it('flushes what it has written for a second, also after the clock was set back', async () => {
    let [now, elapsed] = [Date.now(), performance.now()]
    vi.spyOn(performance, 'now').mockImplementation(() => elapsed)
    const flushed = vi.spyOn(SegmentLog.prototype, 'sync')
    onTestFinished(() => void vi.restoreAllMocks())
    const retention = { milliseconds: 86_400_000, bytes: 1_000_000_000 }
    const log = await openEventLog({ folder: aFolder(), kind: 'chain', retention, now: () => now, warn() {} })
    const append = async (slot: number) =>
      log.append([await writeRecord([aBlock(slot)], true)], cursorOf(slot))
    await append(1)
    flushed.mockClear()

    now -= 3_600_000
    elapsed += 1_000
    await append(2)

    expect(flushed).toHaveBeenCalledOnce()
    await log.close()
  })

  // Reading whole files for each returning client would fill the memory.
  it('reads record heads to find a position, once per file, and then one record', async () => {
    const log = await open(await aFullFolder())
    const slots = Array.from({ length: FILES - 3 }, (_, at) => (at + 2) * RECORDS_A_FILE + 5)
    const readAll = async () => {
      disk.bytesRead = 0
      for (const slot of slots) {
        expect(await log.after(cursorOf(slot))).toMatchObject([{ cursor: cursorOf(slot + 1) }])
      }
      return disk.bytesRead / slots.length
    }

    const [first, again] = [await readAll(), await readAll()]
    await log.close()

    expect(first).toBeLessThan(RECORD_BYTES * 1.1 + RECORDS_A_FILE * 4_096)
    expect(again).toBeLessThan(RECORD_BYTES * 1.1)
  })
})
