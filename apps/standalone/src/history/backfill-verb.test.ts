import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createArchive, openFolderStorage } from '@pairwire/archive'
import { systemClock } from '@pairwire/basics'
import { createChain, serveRpc } from '@pairwire/chain-double'
import { HOUR_MS, hourName } from '@pairwire/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type HoursVerbOptions, runBackfillVerb } from './backfill-verb.ts'

const NOW = Date.now() - (Date.now() % HOUR_MS)
const time = (hoursAgo: number) => new Date(NOW - hoursAgo * HOUR_MS).toISOString().replace('.000', '')
const name = (hoursAgo: number) => hourName(NOW - hoursAgo * HOUR_MS)

/** Runs the verb on a folder of its own. */
async function setUp(change: Partial<HoursVerbOptions['config']> = {}) {
  const dataFolder = mkdtempSync(join(tmpdir(), 'pairwire-backfill-'))
  onTestFinished(() => rmSync(dataFolder, { recursive: true, force: true }))
  const folder = join(dataFolder, 'archive')
  const config: HoursVerbOptions['config'] = {
    ...{ dataFolder, archivePlace: { kind: 'folder', folder }, isLocal: true, publicUrl: 'http://localhost' },
    ...{ solanaSource: 'simulator?swaps=0.05', solanaSourceTokens: [], solanaRpcUrl: undefined },
    ...{ sourceKind: 'simulator', ...change },
  }
  const run = async (...words: string[]) => {
    const written: string[] = []
    const reported: string[] = []
    await runBackfillVerb(words, {
      config,
      write: (line) => void written.push(line),
      report: (line) => void reported.push(line),
      signal: new AbortController().signal,
    })
    return { lines: written.map((line) => JSON.parse(line)), reported }
  }
  return { run, archive: createArchive(await openFolderStorage(folder), systemClock) }
}

/** An endpoint of a chain of the last seven hours, whose slots take half a minute. */
async function anEndpoint() {
  const chain = createChain({ slotMs: 30_000, firstBlockTime: (NOW - 7 * HOUR_MS) / 1000 })
  for (let at = 0; at < 840 + 2; at++) chain.add([])
  const rpc = await serveRpc({ chain })
  onTestFinished(() => rpc.close())
  rpc.faults.history = 1_000
  return rpc
}

describe('pairwire backfill', () => {
  it('makes the hours that are missing, goes on where it was stopped, and makes all again by force', async () => {
    const { run, archive } = await setUp()
    const { url } = await anEndpoint()

    const first = await run('--from', time(5), '--to', time(4), '--source', url)
    const rest = await run('--from', time(6), '--to', time(3), '--source', url)
    const nothing = await run('--gaps', '--source', url)
    const forced = await run('--from', time(4), '--to', time(3), '--source', url, '--force')

    const told = [first, rest, nothing, forced].map(({ lines }) =>
      lines.map(({ hour, revision }) => [hour, revision]),
    )
    expect(told).toEqual([
      [[name(5), 1]],
      [
        [name(6), 1],
        [name(4), 1],
      ],
      [],
      [[name(4), 2]],
    ])
    expect(nothing.reported).toEqual([
      'No hour is missing there; those of the last two hours are the archiver’s.',
    ])
    expect((await archive.list('chain', 0, NOW)).map(({ hour }) => hour)).toEqual([name(6), name(5), name(4)])
  }, 60_000)

  it('makes hours that link to each other, and fills those between others', async () => {
    const { run, archive } = await setUp()
    const { url } = await anEndpoint()
    await run('--from', time(6), '--to', time(5), '--source', url)
    await run('--from', time(4), '--to', time(3), '--source', url)

    const { lines } = await run('--gaps', '--source', url)

    expect(lines).toMatchObject([
      { hour: name(5), source: 'chain', made: 'backfill', complete: true, blocks: 120 },
    ])
    const hours = await archive.list('chain', 0, NOW)
    for (const [at, { chain }] of hours.entries()) {
      expect(chain!.linked).toBe(true)
      if (at > 0) expect(chain!.parentBlockhash).toBe(hours[at - 1]!.chain!.blockhash)
    }
  }, 60_000)

  it('leaves the hours of the last two hours to the archiver, unless it is forced to make them', async () => {
    const { run } = await setUp()
    const { url } = await anEndpoint()
    const words = ['--from', time(1), '--to', time(0), '--source', url]

    expect((await run(...words)).lines).toEqual([])
    expect((await run(...words, '--force')).lines).toMatchObject([{ hour: name(1), complete: true }])
  }, 60_000)

  it('makes up hours of the simulator that the settings name', async () => {
    const { run } = await setUp()

    const { lines } = await run('--from', time(4), '--to', time(3))

    expect(lines).toMatchObject([{ hour: name(4), source: 'simulator', complete: true, blocks: 9_000 }])
  }, 60_000)

  it.each([
    [
      ['--from', '2026-11-23T13:30:00Z', '--to', '2026-11-23T14:00:00Z'],
      '--from: must be a whole hour in UTC',
    ],
    [['--from', '2026-11-23T13:00:00Z'], '--to: is missing.'],
    [['--from', '20261123-130000', '--to', '20261123-130000'], '--to: must be after --from.'],
    [['--gaps', '--to', '20261123-130000'], '--gaps: finds the hours itself'],
    [
      ['--from', '20261123-130000', '--to', '20261123-140000', '--source', 'logs+wss://x.example'],
      'SOLANA_RPC_URL',
    ],
  ])('refuses %j with a sentence', async (words, sentence) => {
    const { run } = await setUp()

    await expect(run(...words)).rejects.toThrow(sentence)
  })

  it('says that no hours are kept where the archive is off', async () => {
    const { run } = await setUp({ archivePlace: undefined })

    await expect(run('--gaps')).rejects.toThrow('ARCHIVE_URL: with off no hours are kept.')
  })
})
