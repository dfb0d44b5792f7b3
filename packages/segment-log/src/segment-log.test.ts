import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type * as fs from 'node:fs/promises'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { type Found, type RecordFormat, type Segment, SegmentLog } from './segment-log.ts'

const disk = vi.hoisted(() => ({ opened: [] as fs.FileHandle[], failsNextClose: false }))

/** The real disk, of which a close can report a late fault of a write: the file is closed all the same. */
vi.mock('node:fs/promises', async (importOriginal) => {
  const real = await importOriginal<typeof fs>()
  return {
    ...real,
    open: async (...how: Parameters<typeof fs.open>) => {
      const file = await real.open(...how)
      const close = file.close.bind(file)
      file.close = async () => {
        await close()
        if (!disk.failsNextClose) return
        disk.failsNextClose = false
        throw new Error('EIO')
      }
      disk.opened.push(file)
      return file
    },
  }
})

/** `!`, a digit, and that many letters. */
const FORMAT: RecordFormat<{ digit: number }> = {
  headerBytes: 2,
  pieceBytes: 8,
  readHeader(bytes, at, end) {
    const digit = Number(bytes.toString('latin1', at + 1, at + 2))
    const isRecord = bytes[at] === 0x21 && digit > 0 && at + 2 + digit <= end
    return isRecord ? { digit, recordBytes: 2 + digit } : undefined
  },
}

async function aFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'pairwire-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function openLog(folder: string, Log = SegmentLog): Promise<SegmentLog> {
  const log = await Log.open({ folder, ending: 'log' })
  onTestFinished(() => log.close())
  return log
}

/** A log of one file with this text after its head. */
async function aLogOf(text: string, Log = SegmentLog) {
  const folder = await aFolder()
  const log = await openLog(folder, Log)
  const segment = await log.begin('head')
  await log.append(segment, Buffer.from(text))
  return { folder, log, segment, path: log.pathOf(segment) }
}

async function foundIn(log: SegmentLog, segment: Segment): Promise<Found<{ digit: number }>[]> {
  const found: Found<{ digit: number }>[] = []
  await log.scan(segment, FORMAT, (each) => found.push(each))
  return found
}

const digitsOf = (found: readonly Found<{ digit: number }>[]) => found.map(({ header }) => header?.digit)

describe('SegmentLog', () => {
  it('finds in a later process what an earlier one wrote, file by file, oldest first', async () => {
    const { folder, log } = await aLogOf('!2aa')
    await log.append(await log.begin('another'), Buffer.from('!1a!3aaa'))
    await log.close()

    const again = await openLog(folder)

    expect(again.segments.map(({ number, head }) => [number, head])).toEqual([
      [1, 'head'],
      [2, 'another'],
    ])
    expect(again.size).toBe('head\n!2aa'.length + 'another\n!1a!3aaa'.length)
    expect(digitsOf(await foundIn(again, again.segments[1]!))).toEqual([1, 3])
  })

  it('continues at the end of the newest file, and gives new files only higher numbers', async () => {
    const { folder, log, segment } = await aLogOf('!2aa')
    await log.remove(segment)
    const next = await log.begin('head')
    await log.close()

    const again = await openLog(folder)
    await again.append(again.segments[0]!, Buffer.from('!1a'))

    expect(next.number).toBe(2)
    expect(readFileSync(again.pathOf(next), 'utf8')).toBe('head\n!1a')
  })

  it('reports damage between two sound records, and omits what follows the last one', async () => {
    const { log, segment, path } = await aLogOf('!2aa!3aaa')
    appendFileSync(path, `${'?'.repeat(300_000)}!1a!9a`)

    const found = await foundIn(log, segment)

    expect(digitsOf(found)).toEqual([2, 3, undefined, 1])
    expect(found[2]).toMatchObject({ at: 'head\n!2aa!3aaa'.length, size: 300_000 })
  })

  it('cuts off an incomplete record', async () => {
    const { log, segment, path } = await aLogOf('!2aa!9a')

    await log.truncate(segment, 'head\n!2aa'.length)
    await log.append(segment, Buffer.from('!1a'))

    expect(readFileSync(path, 'utf8')).toBe('head\n!2aa!1a')
  })

  it.each([
    ['begins another', (log: SegmentLog) => log.begin('head')],
    ['returns to an older', (log: SegmentLog, older: Segment) => log.truncate(older, 5)],
  ])('leaves none open when it %s file and the one before does not close well', async (_what, act) => {
    vi.resetModules() // Another file in the same process may have loaded it, with the real disk.
    onTestFinished(() => void vi.resetModules())
    const { log, segment } = await aLogOf('!2aa', (await import('./segment-log.ts')).SegmentLog)
    await log.begin('head')
    disk.failsNextClose = true

    await expect(act(log, segment)).rejects.toThrow('EIO')

    expect(disk.opened.map(({ fd }) => fd)).toEqual(disk.opened.map(() => -1))
  })

  it('reads bytes, also synchronously, as far as there are any', async () => {
    const { log, segment } = await aLogOf('!2aa')

    expect(String(await log.read(segment, 5, 2))).toBe('!2')
    expect(String(log.readNow(segment, 5, 100))).toBe('!2aa')
  })

  it('leaves alone files that are not its own, and those that it is told to skip', async () => {
    const { folder, log, segment } = await aLogOf('!2aa')
    writeFileSync(join(folder, '000007.events'), 'mine')
    await log.leaveOut(segment)
    await log.remove(await log.begin('head'))

    expect(log.segments).toEqual([])
    expect(readdirSync(folder).sort()).toEqual(['000001.log', '000007.events'])
  })
})
