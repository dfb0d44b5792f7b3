import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createArchive, openFolderStorage, StorageAwayError } from '@pairwire/archive'
import { systemClock } from '@pairwire/basics'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { fileOf, type Manifest, type StreamEvent } from '@pairwire/contract'
import { afterAll, describe, expect, it } from 'vitest'
import { keepPast } from './keep-past.ts'
import { aFolder } from './testing/a-folder.ts'
import { aStreamBlock, aStreamGap, ONE_O_CLOCK } from './testing/a-stream.ts'
import { anEngine } from './testing/an-engine.ts'
import { readZip } from './testing/read-files.ts'

const engine = anEngine(createManualClock())
afterAll(() => engine.close())

const at = (slot: number, seconds: number) => aStreamBlock(slot, { blockTime: ONE_O_CLOCK + seconds })

/** The hours of one and two o'clock, with the end of the previous hour and the beginning of the next. */
const PAST = [at(1, -60), at(2, 0), at(3, 3_599), at(4, 3_600), at(5, 7_200)]

async function anArchive() {
  const root = aFolder()
  const storage = join(root, 'archive')
  mkdirSync(storage)
  return { root, storage, archive: createArchive(await openFolderStorage(storage), systemClock) }
}

async function keep(
  { root, archive }: Pick<Awaited<ReturnType<typeof anArchive>>, 'root' | 'archive'>,
  past: readonly StreamEvent[][],
  wanted: readonly string[],
  isForced = false,
): Promise<Manifest[]> {
  const kept: Manifest[] = []
  async function* events() {
    yield* past
  }
  await keepPast(events(), {
    ...{ source: 'chain', wanted: new Set(wanted), folder: join(root, 'past'), archive, isForced },
    log: { info() {}, warn() {}, error() {} },
    kept: (manifest) => kept.push(manifest),
    engine: { ...engine, ask: (ask, question) => engine.ask(ask, question), close: () => {} },
  })
  return kept
}

describe('past hours', () => {
  it('are archived if wanted, complete, without times of receipt, and leave nothing behind', async () => {
    const into = await anArchive()

    const kept = await keep(into, PAST, ['20261123-130000'])

    expect(kept).toMatchObject([
      {
        hour: '20261123-130000',
        made: 'backfill',
        complete: true,
        revision: 1,
        slots: { first: 2, last: 3 },
      },
    ])
    const zip = join(into.storage, 'chain', '2026-11', fileOf(kept[0]!, 'zip').name)
    expect(readZip(zip).text).toMatch(/"cursor":"[\d-]+"}\n/)
    expect(readZip(zip).text).not.toContain('receivedAt')
    expect(await into.archive.find('chain', '20261123-140000')).toBeUndefined()
    expect(existsSync(join(into.root, 'past'))).toBe(false)
  })

  it('replace an incomplete hour, and a complete one only if forced, as the next revision', async () => {
    const into = await anArchive()
    const hour = '20261123-130000'
    await keep(into, [at(1, -60), at(2, 0), [aStreamGap(3, 3)], at(4, 3_600)], [hour])

    const filled = await keep(into, PAST, [hour])
    const again = await keep(into, PAST, [hour])
    const forced = await keep(into, PAST, [hour], true)

    expect([...filled, ...again, ...forced].map(({ revision, complete }) => [revision, complete])).toEqual([
      [2, true],
      [3, true],
    ])
  })

  it('are refused if the last one has no end, or if the archive accepts none', async () => {
    const into = await anArchive()
    const publish = async () => {
      throw new StorageAwayError(new Error('away'))
    }

    expect(await keep(into, PAST.slice(0, 3), ['20261123-130000'])).toEqual([])
    await expect(
      keep({ ...into, archive: { ...into.archive, publish, find: async () => undefined } as never }, PAST, [
        '20261123-130000',
      ]),
    ).rejects.toThrow('The hour 20261123-130000 could not be kept.')
  })
})
