import type { ChildProcess } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { Manifest, paramsText, type StreamEvent } from '@pairwire/contract'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { Spooler } from '../spool/spooler.ts'
import { aFolder } from '../testing/a-folder.ts'
import { aStreamBlock, aStreamGap, hashOf, ONE_O_CLOCK } from '../testing/a-stream.ts'
import { anEngine, forkBundle } from '../testing/an-engine.ts'
import { readRows, readZip } from '../testing/read-files.ts'
import { createEngine, type Engine, EngineEndedError } from './engine.ts'

const engine = anEngine(createManualClock())
afterAll(() => engine.close())

/** Block 0 ends the previous hour, and block 3,600 begins the next one. */
const AROUND = [aStreamBlock(0, { blockTime: ONE_O_CLOCK - 1 }), aStreamBlock(3_600)] as const

const pathsIn = (folder: string) => ({
  ...{ zip: join(folder, 'zip'), swaps: join(folder, 'swaps') },
  ...{ pairs: join(folder, 'pairs'), blocks: join(folder, 'blocks') },
})

/** The files of the hour that holds all of these blocks except the first and the last. */
async function made(blocks: readonly (readonly StreamEvent[])[], by: Engine = engine) {
  const folder = aFolder()
  const ended: string[] = []
  const ending = (spool: string) => void ended.push(spool)
  const spooler = new Spooler({
    folder: join(folder, 'spool'),
    source: 'chain',
    made: 'stream',
    ended: ending,
  })
  await spooler.open()
  for (const events of [AROUND[0], ...blocks, AROUND[1]]) await spooler.append(events)
  await spooler.close()
  await mkdir(join(folder, 'files'))
  const files = pathsIn(join(folder, 'files'))
  const manifest = Manifest.parse(await by.ask('make', { spool: ended[1]!, files }))
  return { manifest, files }
}

/** An engine for one test, and its newest child. */
function ownEngine() {
  const clock = createManualClock()
  let newest: ChildProcess
  const own = createEngine(clock, () => {
    newest = forkBundle()
    return newest
  })
  onTestFinished(() => own.close())
  return { own, clock, child: () => newest }
}

const sums = ({ manifest }: Awaited<ReturnType<typeof made>>) => manifest.files.map(({ sha256 }) => sha256)

/** Rows as Parquet has them: integers are 64 bits wide, empty or unknown values are null. */
const big = (row: Record<string, unknown>, ...names: string[]) => ({
  ...row,
  ...Object.fromEntries(names.map((name) => [name, row[name] === '' ? null : BigInt(String(row[name]))])),
})

const BEYOND = '18446744073709551616'

describe('the files of an hour', () => {
  const blocks = [
    aStreamBlock(1, {
      swaps: [{}, { usdValue: null, quoteTokenLiquidity: '', launchpad: 'raydium_launchlab' }],
    }),
    aStreamBlock(2, {
      swaps: [{ baseAmount: BEYOND, quoteTokenLiquidity: BEYOND }],
      pairs: ['Ünïcode 😀 \u0000"'],
    }),
    aStreamBlock(3, { swaps: [{ quoteTokenLiquidity: '18446744073709551615', usdValue: 1e25 }] }),
  ]

  it('hold every member of every event, in order, as an independent reader sees them', async () => {
    const { manifest, files } = await made(blocks)

    const events = blocks.flat().filter(({ kind }) => kind !== 'latestBlock')
    const lines = readZip(files.zip).text.split('\n').slice(0, -1)
    expect(lines).toEqual(
      events.map((event) => {
        const { cursor, receivedAt } = event as Exclude<StreamEvent, { kind: 'gap' }>
        const params = paramsText(event as Exclude<StreamEvent, { kind: 'gap' }>)
        return `${params.slice(0, -1)},"cursor":"${cursor}","receivedAt":${receivedAt}}`
      }),
    )
    expect(await readRows(files.swaps)).toEqual(
      events.flatMap((event) => {
        if (event.kind !== 'swap') return []
        const { swap, ...place } = event.params
        const amounts = ['baseAmount', 'quoteAmount', 'quoteTokenLiquidity'] as const
        const row = { cursor: event.cursor, receivedAt: event.receivedAt, launchpad: null, ...place, ...swap }
        const whole = big(
          { ...row, quotePrice: Number(swap.quotePrice) },
          'slot',
          'blockTime',
          'receivedAt',
          ...amounts,
        )
        return [
          {
            ...whole,
            ...Object.fromEntries(amounts.flatMap((name) => (swap[name] === BEYOND ? [[name, null]] : []))),
          },
        ]
      }),
    )
    expect(manifest.counts).toMatchObject({ swaps: 4, pairs: 1, blocks: 3, nulls: 3 })
    expect(manifest.counts.byExchange).toEqual({ pumpfun: 1, pumpswap: 4 })
    expect(manifest.files.map(({ rows }) => rows)).toEqual([5, 4, 1, 3])
  })

  it('hold pairs as on the wire, except for lone surrogates, which Parquet cannot hold', async () => {
    const { manifest, files } = await made([
      aStreamBlock(1, { pairs: ['Ünïcode 😀 \u0000"', 'half \ud83d\\ud83d \udc00\udc00'] }),
    ])

    const [first, second] = await readRows(files.pairs)
    const info = { decimals: 6, supply: 1_000_000_000_000_000n, mintAuthority: null, freezeAuthority: null }
    const socials = { website: 'https://example.org/é', x: null, telegram: null }
    const metadata = { name: 'Ünïcode 😀 \u0000"', symbol: 'Ünïc', logo: null, socials }
    expect(first).toMatchObject({
      ...{ slot: 1n, sourceExchange: 'pumpfun', launchpad: 'pumpfun', migration: null },
      baseToken: { account: hashOf(2), info: { ...info, metadata } },
      // This reader returns NULL for a struct.
      quoteToken: { account: hashOf(3), info: undefined },
      ...{ baseTokenLiquidityAdded: null, quoteTokenLiquidityAdded: 0n },
    })
    expect(second).toMatchObject({
      baseToken: { info: { metadata: { name: 'half \ufffd\\ud83d \ufffd\ufffd' } } },
    })
    expect(readZip(files.zip).text).toContain('half \\ud83d\\\\ud83d \\udc00\\udc00')
    expect(manifest.counts).toMatchObject({ pairs: 2, swaps: 1, nulls: 2 })
  })

  it('are the same bytes for the same events, and different bytes for one event more', async () => {
    const [first, second, third] = [await made(blocks), await made(blocks), await made(blocks.slice(1))]

    expect(sums(second)).toEqual(sums(first))
    expect(sums(third).filter((sum) => sums(first).includes(sum))).toEqual([sums(first)[2]])
    expect(
      first.manifest.files.map(({ name, sha256 }) => name.includes(`20261123-130000.${sha256.slice(0, 8)}.`)),
    ).toEqual([true, true, true, true])
  })

  it('carry the time of the hour’s start in the zip, and no time of making', async () => {
    const { files } = await made(blocks)

    const { name, date, time } = readZip(files.zip)

    expect(name).toBe('20261123-130000.ndjson')
    expect([(date >> 9) + 1980, (date >> 5) & 15, date & 31, time]).toEqual([2026, 11, 23, 13 << 11])
  })

  it('exist and are empty for an hour of empty blocks', async () => {
    const { manifest, files } = await made([1, 2, 3].map((slot) => aStreamBlock(slot, { swaps: [] })))

    expect(readZip(files.zip).text).toBe('')
    expect([await readRows(files.swaps), await readRows(files.pairs)]).toEqual([[], []])
    expect(await readRows(files.blocks)).toHaveLength(3)
    expect(manifest).toMatchObject({
      complete: true,
      counts: { swaps: 0, pairs: 0, blocks: 3, byExchange: {} },
    })
  })
})

describe('the manifest of an hour', () => {
  it('names the slots, the cursor to continue from live, and the hashes at both ends', async () => {
    const { manifest } = await made([1, 2, 3].map((slot) => aStreamBlock(slot)))

    expect(manifest).toMatchObject({
      ...{ hour: '20261123-130000', from: '2026-11-23T13:00:00Z', to: '2026-11-23T14:00:00Z' },
      ...{
        source: 'chain',
        made: 'stream',
        revision: 1,
        complete: true,
        gaps: [],
        slots: { first: 1, last: 3 },
      },
      cursors: { first: aStreamBlock(1).at(-1)!.cursor, last: aStreamBlock(3).at(-1)!.cursor },
      chain: { parentBlockhash: hashOf(0), blockhash: hashOf(3), linked: true },
    })
  })

  it.each([
    ['a gap', [aStreamBlock(1), [aStreamGap(2, 2)], aStreamBlock(3)], { chain: { linked: false } }],
    [
      'a gap before its first block',
      [[aStreamGap(1, 1)], aStreamBlock(2)],
      { gaps: [{ fromSlot: 1, toSlot: 1 }] },
    ],
    [
      'a block whose parent is another block',
      [aStreamBlock(1), aStreamBlock(3)],
      { chain: { linked: false } },
    ],
    ['a first block whose parent is another block', [aStreamBlock(2)], { chain: { linked: true } }],
  ])('says that an hour with %s is not complete', async (_what, blocks, told) => {
    const { manifest } = await made(blocks)

    expect(manifest).toMatchObject({ complete: false, ...told })
  })

  it('has no chain if a block has no hash, and then trusts the stream', async () => {
    const { manifest } = await made([aStreamBlock(1), aStreamBlock(2, { hasHashes: false })])

    expect(manifest).toMatchObject({ chain: null, complete: true })
  })
})

describe('the engine', () => {
  it('rejects pending requests when its child dies, and starts another child for the next one', async () => {
    const { own, child } = ownEngine()
    const dead = made([aStreamBlock(1)], {
      ...own,
      ask: async (ask, question) => {
        const answer = own.ask(ask, question)
        child().kill('SIGKILL')
        return answer
      },
    })

    await expect(dead).rejects.toThrow(EngineEndedError)
    expect((await made([aStreamBlock(1)], own)).manifest.counts.swaps).toBe(1)
  })

  it('ends its child after a minute without work', async () => {
    const { own, child, clock } = ownEngine()
    await made([aStreamBlock(1)], own)
    const first = child()
    const gone = new Promise((resolve) => first.once('exit', resolve))

    clock.advance(59_999)
    const isThere = first.connected
    clock.advance(1)
    await gone

    expect(isThere).toBe(true)
    expect((await made([aStreamBlock(2)], own)).manifest.slots).toEqual({ first: 2, last: 2 })
  })

  it('answers what is asked while its child is ending', async () => {
    const { own, clock } = ownEngine()
    const { files } = await made([aStreamBlock(1), aStreamBlock(2)], own)

    clock.advance(60_000)

    expect(await own.ask('blocks', { path: files.blocks })).toHaveLength(2)
  })

  it('rejects a spool that is incomplete, and continues', async () => {
    const folder = aFolder()

    await expect(engine.ask('make', { spool: folder, files: pathsIn(folder) })).rejects.toThrow('ENOENT')
    expect((await made([aStreamBlock(1)])).manifest.counts.blocks).toBe(1)
  })
})
