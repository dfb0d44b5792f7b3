import { createJumpingClock } from '@pairwire/basics/testing/manual-clock'
import { encodeBase58 } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { aRecord, signatureOf } from '../testing/a-record.ts'
import { aFolder } from '../testing/temporary-folder.ts'
import { createReplay, type ReplayOptions } from './replay.ts'
import type { Block } from './source.ts'

const START = Date.UTC(2026, 10, 20)

function replay(files: Record<string, string>, options: Partial<ReplayOptions> = {}) {
  const clock = createJumpingClock(START)
  let run = 0
  const source = createReplay({
    path: aFolder(files),
    speed: 1,
    isLooping: false,
    clock,
    nextRun: async () => ++run,
    ...options,
  })
  return { source, clock }
}

async function take(blocks: AsyncIterable<Block>, most = 100): Promise<Block[]> {
  const taken: Block[] = []
  for await (const block of blocks) if (taken.push(block) === most) break
  return taken
}

const never = new AbortController().signal
const idsOf = (block: Block) =>
  block.transactions.map((each) => {
    const signature = encodeBase58(each.signature)
    return [1, 2, 3, 4, 5, 6].find((id) => signatureOf(id) === signature)
  })
const record = (...parameters: Parameters<typeof aRecord>) => JSON.stringify(aRecord(...parameters))

describe('replay', () => {
  it('yields blocks by slot, and within a slot by the recorded index', async () => {
    const { source } = replay({
      'a.json': record(1, { slot: 30, blockTime: 1_300 }),
      'b.ndjson': [
        record(2, { slot: 10, blockTime: 1_100, transactionIndex: 9 }),
        record(3, { slot: 10, blockTime: 1_100, transactionIndex: 2 }),
      ].join('\n'),
    })

    const blocks = await take(source.blocks(never))

    expect(blocks.map((block) => [block.run, block.slot, block.blockTime, idsOf(block)])).toEqual([
      [1, 10, 1_100, [3, 2]],
      [1, 30, 1_300, [1]],
    ])
  })

  it('gives a transaction without slot and time those of the previous one', async () => {
    const { source } = replay({
      'a.json': record(1),
      'b.json': record(2, { slot: 20 }),
      'c.json': record(3, { slot: 10, blockTime: 1_000 }),
      'd.json': record(4),
      'e.json': record(5, { slot: 30 }),
    })

    const blocks = await take(source.blocks(never))

    expect(blocks.map((block) => [block.slot, block.blockTime, idsOf(block)])).toEqual([
      [10, 1_000, [1, 3, 4]],
      [20, 1_000, [2]],
      [30, 1_000, [5]],
    ])
  })

  it('starts at slot 1 and now when nothing in the recording has a slot or a time', async () => {
    const { source } = replay({ 'a.ndjson': `${record(1)}\n${record(2)}` })

    const blocks = await take(source.blocks(never))

    expect(blocks).toMatchObject([{ slot: 1, blockTime: START / 1000 }])
    expect(idsOf(blocks[0]!)).toEqual([1, 2])
  })

  it('waits a slot between two blocks however far apart they are, less at higher speed', async () => {
    const { source, clock } = replay(
      { 'a.ndjson': [10, 11, 14, 900].map((slot) => record(1, { slot })).join('\n') },
      { speed: 4 },
    )

    await take(source.blocks(never))

    expect(clock.waits).toEqual([100, 100, 100])
  })

  it('never waits longer than a slot, even at the lowest speed', async () => {
    const files = { 'a.ndjson': [10, 11, 14].map((slot) => record(1, { slot })).join('\n') }
    const { source, clock } = replay(files, { speed: 0.1 })

    await take(source.blocks(never))

    expect(clock.waits).toEqual([400, 400])
  })

  it('raises the run at each loop and at each start, so that no cursor repeats', async () => {
    const { source } = replay(
      { 'a.ndjson': `${record(1, { slot: 10 })}\n${record(2, { slot: 11 })}` },
      { isLooping: true },
    )

    const first = await take(source.blocks(never), 5)
    const second = await take(source.blocks(never), 1)

    expect([...first, ...second].map((block) => [block.run, block.slot])).toEqual([
      [1, 10],
      [1, 11],
      [2, 10],
      [2, 11],
      [3, 10],
      [4, 10],
    ])
  })

  it('ends on abort', async () => {
    const stop = new AbortController()
    const { source } = replay({ 'a.json': record(1, { slot: 10 }) }, { isLooping: true })

    const taken: Block[] = []
    for await (const block of source.blocks(stop.signal)) if (taken.push(block) === 3) stop.abort()

    expect(taken).toHaveLength(3)
  })

  it('reports once what is no transaction, and yields the rest', async () => {
    const said: unknown[] = []
    const say = (sentence: string, fields?: unknown) => said.push([sentence, fields])
    const { source } = replay(
      { 'a.json': '{}', 'b.json': record(1, { slot: 10 }), 'c.json': 'no JSON' },
      { isLooping: true, log: { info: say, warn: say, error: say } },
    )

    await take(source.blocks(never), 3)
    await take(source.blocks(never), 3)

    expect(said).toEqual([
      [
        '2 values of the recording are not transactions and are left out.',
        {
          first: [
            expect.stringMatching(/a\.json: is no transaction$/),
            expect.stringMatching(/c\.json: is not JSON$/),
          ],
        },
      ],
    ])
  })

  it('refuses a recording without any transaction', async () => {
    const { source } = replay({ 'a.json': '{}' })

    await expect(take(source.blocks(never))).rejects.toThrow(/holds no transaction/)
  })
})
