import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { bundleScript } from '@pairwire/basics/testing/bundle-script'
import { blockCursor, eventsOf } from '@pairwire/bus/testing/chain-of-slots'
import { createRandom } from '@pairwire/chain-double'
import { createPairwire, type Stream, type StreamEvent } from '@pairwire/client'
import { CuttingProxy } from './cutting-proxy.ts'
import { PRO_KEY } from './restart-accounts.ts'
import { type Got, judge, type Published } from './sdk-judge.ts'

/** The counts of some schedules. A run in which one of them is 0 tested too little. */
type SdkRestartsOutcome = Readonly<{
  kills: number
  events: number
  cuts: number
  resumes: number
  gaps: number
  problems: readonly string[]
}>

/** Upper limits: milliseconds before a kill, slots missed after every second one, and kills. */
const LIFE_MS = 250
const AWAY_SLOTS = 12
const MOST_KILLS = 2

/** Minimum value of the wanted swaps. */
const USD_VALUE = 5_000

/** Milliseconds that a reader has to make progress after a kill. */
const LIMIT_MS = 15_000

type Reader = Readonly<{ stream: Stream<StreamEvent>; kind: 'swap' | 'newPair' | 'latestBlock'; got: Got[] }>

/** Kills a service while a program reads three of its streams, and compares what it got with the chain. */
export async function tortureSdkRestarts(
  schedules: number,
  seed: number,
  report: (played: number) => void = () => {},
): Promise<SdkRestartsOutcome> {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-torture-'))
  mkdirSync(join(folder, 'events'))
  const counts = { kills: 0, events: 0, cuts: 0, resumes: 0, gaps: 0, problems: [] as string[] }
  const proxy = new CuttingProxy()
  const url = `ws://127.0.0.1:${await proxy.listen()}`
  let child = await startChild(folder, 0, proxy)
  let start = blockCursor(1)
  try {
    for (let played = 0; played < schedules && counts.problems.length === 0; played++) {
      const random = createRandom(seed + played)
      const pairwire = createPairwire({ url, key: PRO_KEY, retryFirstMs: 10, retryMaxMs: 100, onState() {} })
      const readers = [
        read('swap', pairwire.swaps({ include: { usdValue: USD_VALUE } }, { from: start, maxUnread: 5 })),
        read('newPair', pairwire.newPairs({ include_launchpad_tokens: true }, { from: start })),
        read('latestBlock', pairwire.blocks({ from: start, maxUnread: 2 })),
      ]
      for (let kills = 1 + Math.floor(random() * MOST_KILLS); kills > 0; kills--) {
        if (random() < 0.5) {
          await wait(random() * LIFE_MS)
          proxy.cut(Math.floor(random() * 5_000))
          counts.cuts++
        }
        await wait(random() * LIFE_MS)
        child.kill('SIGKILL')
        await once(child, 'exit')
        counts.kills++
        child = await startChild(folder, counts.kills % 2 ? Math.ceil(random() * AWAY_SLOTS) : 0, proxy)
        await behind(readers)
      }
      await pairwire.close()
      for (const { kind, got, stream } of readers) {
        const problem = judge(published(start, got), got, kind, [
          { from: kind === 'swap' ? USD_VALUE : -1, notBefore: '', notAfter: '' },
        ])
        if (problem) counts.problems.push(`seed ${seed + played}: ${kind}: ${problem}`)
        counts.events += got.length
        counts.resumes += stream.stats().connects - 1
        counts.gaps += stream.stats().gaps
      }
      start = readers
        .map(({ stream }) => stream.cursor!)
        .sort()
        .at(-1)!
      report(played + 1)
    }
  } finally {
    child.kill('SIGKILL')
    await proxy.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return counts
}

function read(kind: Reader['kind'], stream: unknown): Reader {
  const reader: Reader = { kind, stream: stream as Stream<StreamEvent>, got: [] }
  reader.stream.on('gap', (gap) => reader.got.push(gap))
  reader.stream.on('event', ({ cursor }) => reader.got.push(cursor!))
  return reader
}

/** Resolves once each reader has an event after the newest that any of them has now. */
async function behind(readers: readonly Reader[]): Promise<void> {
  const last = ({ got }: Reader) => String(got.findLast((item) => typeof item === 'string') ?? '')
  const newest = readers.map(last).sort().at(-1)!
  for (const until = performance.now() + LIMIT_MS; readers.some((reader) => last(reader) <= newest); ) {
    if (performance.now() > until) throw new Error(`Nothing came behind ${newest} within ${LIMIT_MS} ms.`)
    await wait(5)
  }
}

/** Returns the chain's events after a cursor, as far as a reader has come. */
function published(start: string, got: readonly Got[]): Published[] {
  const last = String(got.findLast((item) => typeof item === 'string') ?? start)
  const slots: Published[] = []
  for (let slot = slotOf(start); slot <= slotOf(last); slot++) {
    for (const { kind, cursor, params } of eventsOf(slot)) {
      const usdValue = 'swap' in params ? (params.swap.usdValue ?? -1) : 0
      if (cursor > start && cursor <= last) slots.push({ cursor, event: { kind, usdValue } })
    }
  }
  return slots
}

function slotOf(cursor: string): number {
  return Number(cursor.split('-')[1])
}

async function startChild(folder: string, slotsAway: number, proxy: CuttingProxy): Promise<ChildProcess> {
  const script = await bundleScript(new URL('service-child.ts', import.meta.url))
  const child = fork(script, [folder, String(slotsAway)])
  const [{ port }] = await once(child, 'message')
  proxy.pointTo(port)
  return child
}
