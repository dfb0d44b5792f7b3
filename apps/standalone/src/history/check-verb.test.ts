import { appendFileSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { HourPaths } from '@pairwire/archive'
import { keepPast } from '@pairwire/archiver'
import {
  fileOf,
  formatCursor,
  HOUR_FILES,
  HOUR_MS,
  LAST_PLACE,
  type Manifest,
  type StreamEvent,
} from '@pairwire/contract'
import { openPast } from '@pairwire/ingest'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { anEndpoint, engine, NOW, name, setUpVerbs, time } from '../testing/hours-verbs.ts'

/** A hash of no block. */
const HASH = '7'.repeat(44)

type BlockEvent = Extract<StreamEvent, { kind: 'latestBlock' }>

const log = { info() {}, warn() {}, error() {} }
let url: string
/** Three hours of the chain. */
const blocks: BlockEvent[] = []

beforeAll(async () => {
  let close = async () => {}
  const rpc = await anEndpoint(1, (given) => {
    close = given
  })
  url = rpc.url
  const past = openPast('', { tokens: [], rpcUrl: url, tokenPages: undefined, log })
  for await (const batch of past.events(NOW - 6 * HOUR_MS, NOW - 3 * HOUR_MS, new AbortController().signal))
    blocks.push(...(batch as BlockEvent[]))
  return close
})

/** Those hours in the archive, the second made from changed blocks, with a matching manifest. */
async function keptOf(change: (blocks: BlockEvent[]) => BlockEvent[]) {
  const verbs = await setUpVerbs({
    sourceKind: 'chain',
    solanaSource: 'logs+wss://x.example',
    solanaRpcUrl: url,
  })
  const isSecond = ({ params }: BlockEvent) =>
    params.blockTime * 1000 >= NOW - 5 * HOUR_MS && params.blockTime * 1000 < NOW - 4 * HOUR_MS
  const at = blocks.findIndex(isSecond)
  const made = [
    ...blocks.slice(0, at),
    ...change(blocks.filter(isSecond)),
    ...blocks.slice(at).filter((block) => !isSecond(block)),
  ]
  async function* events() {
    for (const block of made) yield [block]
  }
  const kept: Manifest[] = []
  const folder = join(verbs.dataFolder, 'past')
  await keepPast(events(), {
    ...{ source: 'chain', wanted: new Set([name(6), name(5), name(4)]), folder, archive: verbs.archive, log },
    ...{ isForced: false, kept: (manifest) => kept.push(manifest), engine },
  })
  const pathsOf = (manifest: Manifest) => {
    const month = join(verbs.folder, 'chain', `${manifest.hour.slice(0, 4)}-${manifest.hour.slice(4, 6)}`)
    return Object.fromEntries(
      HOUR_FILES.map((kind) => [kind, join(month, fileOf(manifest, kind).name)]),
    ) as HourPaths
  }
  /** Publishes another manifest for the same files. */
  const rewrite = (manifest: Manifest, change: Partial<Manifest>) =>
    verbs.archive.publish(pathsOf(manifest), { ...manifest, ...change }, true)
  return { ...verbs, kept, pathsOf, rewrite }
}

/** A block that never existed, in the slot after another. */
function madeUp(before: BlockEvent): BlockEvent {
  const slot = before.params.block + 1
  const cursor = formatCursor({ run: 0, slot, ...LAST_PLACE })
  const params = { ...before.params, block: slot }
  return { ...before, cursor, params, blockhash: HASH, parentBlockhash: before.blockhash! }
}

/** The same blocks, each naming the one before it as its parent. */
function relinked(blocks: readonly BlockEvent[]): BlockEvent[] {
  return blocks.map((block, at) =>
    at === 0 ? block : { ...block, parentBlockhash: blocks[at - 1]!.blockhash! },
  )
}

describe('pairwire archive check', () => {
  it('finds nothing in hours that match the chain', async () => {
    const { check, kept } = await keptOf((blocks) => blocks)

    expect(kept.map(({ complete }) => complete)).toEqual([true, true, true])
    const result = ['Hours checked: 3. Faults: 0.']
    expect(await check('--chain')).toEqual({ isRight: true, faults: [], result })
  })

  it.each<[string, (blocks: BlockEvent[]) => BlockEvent[], RegExp[]]>([
    [
      'one block removed',
      (blocks) => relinked(blocks.filter((_, at) => at !== 7)),
      [/the chain has \d+ blocks instead of \d+/],
    ],
    ['the first block removed', (blocks) => blocks.slice(1), [/does not follow the last one of/]],
    ['the last block removed', (blocks) => blocks.slice(0, -1), [/does not follow the last one of/]],
    [
      'one block added',
      (blocks) => {
        const at = blocks.findIndex(({ params }, each) => blocks[each + 1]?.params.block === params.block + 2)
        return relinked(blocks.toSpliced(at + 1, 0, madeUp(blocks[at]!)))
      },
      [/the chain has \d+ blocks instead of \d+/],
    ],
    [
      'one block replaced',
      (blocks) => blocks.with(7, { ...blocks[7]!, blockhash: HASH }),
      [/it says that it is complete, and has gaps/],
    ],
    [
      'the last block replaced',
      (blocks) => blocks.with(-1, { ...blocks.at(-1)!, blockhash: HASH }),
      [/the chain has another last block/, /does not follow the last one of/],
    ],
  ])('finds %s even if the manifest matches', async (_what, change, faults) => {
    const { check, kept, rewrite } = await keptOf(change)
    for (const manifest of kept) await rewrite(manifest, { complete: true })

    const found = await check('--chain')

    expect(found.faults).toEqual(faults.map((fault) => expect.stringMatching(fault)))
  })

  it('finds an extra byte in a file, and every difference between a manifest and its files', async () => {
    const { check, kept, pathsOf, rewrite } = await keptOf((blocks) => blocks)
    const [first, second] = kept as [Manifest, Manifest]
    appendFileSync(pathsOf(first).pairs, '!')
    await rewrite(second, { counts: { ...second.counts, swaps: 1, blocks: 121 } })

    const { isRight, faults } = await check('--from', time(6), '--to', time(4))

    expect(isRight).toBe(false)
    expect(faults).toEqual([
      expect.stringMatching(`^${first.hour}: its pairs has \\d+ bytes instead of`),
      `${second.hour}: its Parquet has other counts.`,
      `${second.hour}: its blocks count other events.`,
      `${second.hour}: its files have other rows.`,
      `${second.hour}: its zip has 0 lines instead of 1.`,
    ])
  })

  it.each([
    ['another is', 1],
    ['it is', 0],
  ])('finds no fault in an hour that is removed while %s checked', async (_which, at) => {
    const { check, kept, archive } = await keptOf((blocks) => blocks)
    const { ask } = engine
    vi.spyOn(engine, 'ask').mockImplementationOnce(async (...question) => {
      await archive.remove(kept[at]!)
      return ask(...question)
    })

    expect(await check()).toMatchObject({ isRight: true, faults: [] })
  })

  it('names an hour whose manifest is damaged, even if nobody has written to it since', async () => {
    const { check, kept, folder } = await keptOf((blocks) => blocks)
    const damaged = kept[1]!.hour
    const path = join(folder, 'chain', `${damaged.slice(0, 4)}-${damaged.slice(4, 6)}`, `${damaged}.json`)
    const { atime, mtime } = statSync(path)
    const text = readFileSync(path, 'utf8')

    for (const change of [
      '',
      text.slice(0, -1),
      '{"format":1}',
      JSON.stringify(kept[0]),
      text.replace(':', ' '),
    ]) {
      writeFileSync(path, change)
      utimesSync(path, atime, mtime)

      const [faults, result] = [[`${damaged}: its manifest is damaged.`], ['Hours checked: 3. Faults: 1.']]
      expect(await check()).toEqual({ isRight: false, faults, result })
    }
  })
})
