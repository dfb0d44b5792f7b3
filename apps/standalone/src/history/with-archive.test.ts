import { join } from 'node:path'
import { createArchive, openFolderStorage } from '@pairwire/archive'
import { Archiver } from '@pairwire/archiver'
import { systemClock } from '@pairwire/basics'
import { createJumpingClock } from '@pairwire/basics/testing/manual-clock'
import { createInProcessBus, gapBetween, openEventStore } from '@pairwire/bus'
import { type ChainTransaction, toChainTransaction } from '@pairwire/chain-double'
import { HOUR_MS, type StreamEvent } from '@pairwire/contract'
import { createSimulator, openPast } from '@pairwire/ingest'
import { expect, it } from 'vitest'
import { runAuditVerb } from '../audit-verb.ts'
import { anEndpoint, engine, NOW, name, setUpVerbs } from '../testing/hours-verbs.ts'

const retention = { milliseconds: 86_400_000, bytes: 10_000_000 }
const log = { info() {}, warn() {}, error() {} }
const { signal } = new AbortController()

/** Blocks of the simulator, with some swaps in each. */
async function transactionsOf(blocks: number): Promise<ChainTransaction[][]> {
  const clock = createJumpingClock()
  const market = createSimulator({
    ...{ seed: 1, swapsPerSecond: 5, nextRun: async () => 1 },
    clock: { ...clock, wait: async (milliseconds) => clock.advance(milliseconds) },
  })
  const made: ChainTransaction[][] = []
  for await (const { transactions } of market.blocks(signal)) {
    made.push(transactions.map(toChainTransaction))
    if (made.length === blocks) break
  }
  return made
}

const slotOf = ({ cursor }: StreamEvent) => Number(cursor.slice(10, 22))

// Guards the proof that a buyer relies on: a hole is announced, filled, and then nothing differs from the chain.
it('fills a hole in an hour of a chain with forks, after which neither check nor audit finds a fault', async () => {
  const { url } = await anEndpoint(1, undefined, { transactions: await transactionsOf(100) })
  const { backfill, check, archive, dataFolder, folder } = await setUpVerbs({
    ...{ sourceKind: 'chain', solanaSource: 'logs+wss://x.example', solanaRpcUrl: url },
  })
  const past = openPast('', { tokens: [], rpcUrl: url, tokenPages: undefined, log })
  const events: StreamEvent[] = []
  for await (const batch of past.events(NOW - 6 * HOUR_MS, NOW - 3 * HOUR_MS, signal)) events.push(...batch)
  const slots = [...new Set(events.map(slotOf))]
  const hole = slots.slice(170, 180)

  const bus = createInProcessBus({ maxBytes: 50_000_000 })
  const before = events.findLast((event) => slotOf(event) < hole[0]!)!
  const last = events.findLast((event) => slotOf(event) <= hole.at(-1)!)!
  await bus.publish(events.filter((event) => slotOf(event) < hole[0]!))
  await bus.publish([gapBetween(before.cursor, last.cursor)])
  await bus.publish(events.filter((event) => slotOf(event) > hole.at(-1)!))
  const archiver = new Archiver({
    ...{
      bus,
      archive,
      source: 'chain',
      folder: join(dataFolder, 'archiver'),
      clock: systemClock,
      log,
      engine,
    },
    freeBytes: () => undefined,
  })
  archiver.start()
  await archiver.settled()
  await archiver.stop()
  await bus.close()
  // The half hour of a first start, which begins before the queried chain.
  const [half] = await archive.list('chain', 0, NOW)
  await archive.remove(half!)
  /** As seen by a process that starts now: others write here too. */
  const list = async () => createArchive(await openFolderStorage(folder), systemClock).list('chain', 0, NOW)
  const told = async () =>
    (await list()).map(({ hour, revision, complete, gaps }) => [
      ...[hour, revision, complete],
      gaps.map(({ fromSlot, toSlot }) => [fromSlot, toSlot]),
    ])

  expect(await told()).toEqual([
    [name(6), 1, true, []],
    [name(5), 1, false, [[hole[0], hole.at(-1)]]],
    [name(4), 1, true, []],
  ])
  expect((await backfill('--gaps', '--source', url)).lines).toMatchObject([{ hour: name(5), revision: 2 }])
  expect(await told()).toMatchObject([{}, [name(5), 2, true, []], {}])
  const [older, newer] = await list()
  expect(newer!.counts.swaps).toBeGreaterThan(100)
  expect(await check('--chain')).toMatchObject({ isRight: true, faults: [] })

  // The stream keeps only what comes after the first two hours.
  const store = await openEventStore({
    ...{ folder: join(dataFolder, 'stream'), source: 'chain', retention, now: Date.now, log },
  })
  const kept = createInProcessBus({ maxBytes: 1, store })
  await kept.publish(events.filter((event) => slotOf(event) > newer!.slots!.last))
  await kept.close()
  const audit = async (fromSlot: number, archivePlace: { kind: 'folder'; folder: string } | undefined) => {
    const reported: string[] = []
    const isRight = await runAuditVerb(
      ['--from-slot', `${fromSlot}`, '--to-slot', `${newer!.slots!.last + 50}`, '--source', url],
      {
        config: {
          ...{ archivePlace, dataFolder, natsUrl: undefined, retention },
          ...{ solanaSource: 'simulator', solanaSourceTokens: [], solanaRpcUrl: undefined },
        },
        write: (line) => void reported.push(line),
        report: (line) => void reported.push(line),
        signal,
      },
    )
    return { isRight, last: reported.at(-1) }
  }
  const from = older!.slots!.first + 5

  await expect(audit(from, undefined)).rejects.toThrow(/^--from-slot: events of slot \d+ are not kept/)
  const { isRight, last: said } = await audit(from, { kind: 'folder', folder })
  expect(said).toMatch(
    /^\d{3} events of \d{3} blocks were compared\. All of them were published as the chain has them\.$/,
  )
  expect(isRight).toBe(true)
  await archive.remove(newer!)
  await expect(audit(from, { kind: 'folder', folder })).rejects.toThrow(/are not kept, or no longer/)
})
