import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SourceKind, StreamEvent } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { readProof } from '../engine/hour-proof.ts'
import { aFolder } from '../testing/a-folder.ts'
import { aStreamBlock, aStreamGap, hashOf, ONE_O_CLOCK } from '../testing/a-stream.ts'
import { spoolPaths } from './hour-spool.ts'
import { Spooler } from './spooler.ts'

const HOUR = 3_600

async function aSpooler(folder = aFolder(), source: SourceKind = 'chain') {
  const ended: string[] = []
  const spooler = new Spooler({ folder, source, made: 'stream', ended: (spool) => void ended.push(spool) })
  await spooler.open()
  return { spooler, folder, ended }
}

/** What a spooler makes of these batches: the name of each hour with its slots and gaps. */
async function hoursOf(batches: readonly (readonly StreamEvent[])[], source: SourceKind = 'chain') {
  const { spooler, folder, ended } = await aSpooler(undefined, source)
  for (const batch of batches) await spooler.append(batch)
  await spooler.close()
  const hours = await Promise.all(hoursIn(folder).map((hour) => readProof(spoolPaths(hour).blocks)))
  expect(ended).toEqual(hoursIn(folder).slice(0, -1))
  return hours.map(({ begin, slots, gaps, isJoined }) => {
    const told = gaps.map(({ fromSlot, toSlot }) => `gap ${fromSlot}-${toSlot}`)
    return [
      begin.hour.slice(-6),
      slots && `${slots.first}-${slots.last}`,
      ...told,
      isJoined ? 'joined' : 'alone',
    ]
  })
}

const hoursIn = (folder: string) =>
  readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))

const at = (slot: number, seconds: number, change = {}) =>
  aStreamBlock(slot, { blockTime: ONE_O_CLOCK + seconds, ...change })

describe('a stream that is cut into hours', () => {
  it('is cut before the first block that reaches the next hour, never within a slot', async () => {
    const swaps = [{}, {}, {}]

    const hours = await hoursOf([at(1, -1), at(2, 0, { swaps }), at(3, HOUR - 1), at(4, HOUR)])

    expect(hours).toEqual([
      ['120000', '1-1', 'alone'],
      ['130000', '2-3', 'joined'],
      ['140000', '4-4', 'joined'],
    ])
  })

  it('keeps a block whose time steps back in the current hour', async () => {
    const hours = await hoursOf([at(1, -1), at(2, 0), at(3, -2), at(4, 1), at(5, HOUR)])

    expect(hours.map(([name, slots]) => [name, slots])).toEqual([
      ['120000', '1-1'],
      ['130000', '2-4'],
      ['140000', '5-5'],
    ])
  })

  it('puts a gap at the boundary into both hours, since either may lack the blocks', async () => {
    const hours = await hoursOf([at(1, -1), [aStreamGap(2, 3)], at(4, 0), [aStreamGap(5, 5)], at(6, 1)])

    expect(hours).toEqual([
      ['120000', '1-1', 'gap 2-3', 'alone'],
      ['130000', '4-6', 'gap 2-3', 'gap 5-5', 'alone'],
    ])
  })

  it('has hours without blocks if a chain stood still, and none if a recording jumps', async () => {
    const batches = [at(1, -1), at(2, 2 * HOUR)]

    expect(await hoursOf(batches)).toEqual([
      ['120000', '1-1', 'alone'],
      ['130000', null, 'joined'],
      ['140000', null, 'joined'],
      ['150000', '2-2', 'joined'],
    ])
    expect(await hoursOf(batches, 'recording')).toEqual([
      ['120000', '1-1', 'alone'],
      ['150000', '2-2', 'alone'],
    ])
  })

  it('begins another hour when a recording starts over, and continues when a simulator does', async () => {
    const recording = await hoursOf(
      [at(1, 5, { run: 1 }), at(2, 9, { run: 1 }), at(1, 5, { run: 2 })],
      'recording',
    )
    const simulator = await hoursOf(
      [at(1, 5, { run: 1 }), [aStreamGap(2, 4, 1)], at(5, 9, { run: 2 })],
      'simulator',
    )

    expect(recording.map(([, slots]) => slots)).toEqual(['1-2', '1-1'])
    expect(simulator).toEqual([['130000', '1-5', 'gap 2-4', 'alone']])
  })

  it('ignores events that it already has', async () => {
    const hours = await hoursOf([at(1, 0), at(2, 1), at(1, 0), at(2, 1), at(3, 2)])

    expect(hours).toEqual([['130000', '1-3', 'alone']])
  })
})

describe('a spool after a crash', () => {
  const blocks = [at(1, 0), at(2, 1, { swaps: [{}, {}], pairs: ['Ünï'] }), at(3, 2), at(4, 3)]

  async function spooled(count = blocks.length) {
    const { spooler, folder } = await aSpooler()
    for (const block of blocks.slice(0, count)) await spooler.append(block)
    await spooler.close()
    return { folder, ...spoolPaths(hoursIn(folder)[0]!) }
  }

  const bytesOf = (paths: ReturnType<typeof spoolPaths>) => [
    readFileSync(paths.events, 'utf8'),
    readFileSync(paths.blocks, 'utf8'),
  ]

  it.each([
    ['at every byte of the events', 'events'],
    ['at every byte of the blocks', 'blocks'],
  ] as const)(
    'is truncated to its last complete block when cut %s, and ends as one without a crash',
    async (_where, file) => {
      const whole = await spooled()
      const wanted = bytesOf(whole)
      const size = statSync(whole[file]).size
      const begin = file === 'blocks' ? readFileSync(whole.blocks).indexOf('\n') + 1 : 0

      for (let cut = begin; cut < size; cut += 7) {
        truncateSync(whole[file], cut)
        const { spooler } = await aSpooler(whole.folder)
        const { cursor } = spooler
        for (const block of blocks) await spooler.append(block.filter((event) => event.cursor > cursor!))
        await spooler.close()

        expect(bytesOf(whole)).toEqual(wanted)
      }
    },
  )

  it('drops bytes of the last seconds that differ from those written', async () => {
    const whole = await spooled()
    const wanted = bytesOf(whole)
    const damaged = Buffer.from(wanted[0]!)
    writeFileSync(whole.events, damaged.fill(0, damaged.length - 300))

    const { spooler } = await aSpooler(whole.folder)

    expect(spooler.cursor).toBe(blocks[2]!.at(-1)!.cursor)
    for (const block of blocks) await spooler.append(block)
    await spooler.close()
    expect(bytesOf(whole)).toEqual(wanted)
  })

  it('drops a block without its end, and an hour without its beginning', async () => {
    const whole = await spooled(3)
    appendFileSync(whole.events, '{"slot":4')
    writeFileSync(join(whole.folder, '.000000002-20261123-140000'), 'half')

    const { spooler } = await aSpooler(whole.folder)

    expect(spooler.cursor).toBe(blocks[2]!.at(-1)!.cursor)
    expect(readdirSync(whole.folder)).toHaveLength(1)
    await spooler.close()
  })

  it('keeps the block hash that the next hour links to', async () => {
    const whole = await spooled()
    const first = await aSpooler(whole.folder)
    await first.spooler.append(at(5, HOUR))
    await first.spooler.close()

    const [, next] = hoursIn(whole.folder)
    const { begin } = await readProof(spoolPaths(next!).blocks)

    expect(begin).toMatchObject({ isJoined: true, blockhash: hashOf(4), cursor: blocks[3]!.at(-1)!.cursor })
  })
})
