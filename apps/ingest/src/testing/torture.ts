import {
  type Chain,
  type ChainTransaction,
  createChain,
  createRandom,
  type Faults,
  GRPC_STATUS,
  noFaults,
  type Rpc,
  serveRpc,
  serveYellowstone,
  type Yellowstone,
} from '@pairwire/chain-double'
import { createChainSource } from '../sources/chain/chain-source.ts'
import type { Checkpoint, Place } from '../sources/chain/checkpoint.ts'
import { createRpcBackfill } from '../sources/rpc/rpc-backfill.ts'
import { createRpcClient } from '../sources/rpc/rpc-client.ts'
import { createRpcFeed } from '../sources/rpc/rpc-feed.ts'
import type { Source } from '../sources/source.ts'
import { createYellowstoneFeed } from '../sources/yellowstone/yellowstone-feed.ts'
import {
  aChainTransaction,
  type Collected,
  collect,
  createHastyClock,
  createListLog,
  expectedOf,
  WANTED,
} from './live-chain.ts'

/** The outcome of one schedule. */
type TortureOutcome = Readonly<{
  seed: number
  /** The problems, each as a sentence; empty if all is well. */
  problems: readonly string[]
  events: number
  gaps: number
  /** Slots within them. */
  missed: number
}>

/** Speed of a schedule's clock: its 10 s of waiting are half a second. */
const HASTE = 20

/** Transactions per block, and blocks between two changes of faults. */
const PER_BLOCK = 20
const BLOCKS_PER_MOOD = 12

/** Milliseconds in which a stream must have begun. */
const BEGIN_MS = 30_000

/** Blocks after which a recovered stream must have delivered; pauses of the machine do not count. */
const RECOVERY_BLOCKS = 3_000

/**
 * Plays one random schedule of faults, restarts and crashes on a chain of that many events, and compares the output
 * with the chain: every event once, in order, and each missing one within a reported gap.
 */
export async function torture(seed: number, events: number): Promise<TortureOutcome> {
  const random = createRandom(seed * 7_919 + 13)
  const pick = <Item>(...items: readonly Item[]): Item => items[Math.floor(random() * items.length)]!
  const chain = createChain({ firstSlot: 1_000, name: `torture ${seed}` })
  const streams: Yellowstone[] = []
  for (let at = pick(1, 1, 2); at > 0; at--) streams.push(await serveYellowstone({ chain, seed: seed + at }))
  const rpc = await serveRpc({ chain, seed })
  const hasBackfill = random() < 0.7
  const isRpcFeed = random() < 0.2
  const checkpoint = createForgetfulCheckpoint(random)

  let made = 0
  const transactions = (count: number): ChainTransaction[] =>
    Array.from({ length: count }, () =>
      aChainTransaction(`${seed} ${made++}`, random() < 0.8 ? WANTED : OTHER),
    )

  let source: Source | undefined
  const log = createListLog()
  const start = (): Collected => {
    const clock = createHastyClock(HASTE)
    const programs = [WANTED]
    const client = createRpcClient({ url: new URL(rpc.url), token: undefined, clock })
    const feeds = streams.map(({ url }) =>
      createYellowstoneFeed({
        url: new URL(url.replace('yellowstone+', '')),
        token: undefined,
        programs,
        clock,
      }),
    )
    if (isRpcFeed) feeds.push(createRpcFeed({ url: new URL(rpc.url), token: undefined, programs, clock }))
    const backfill = hasBackfill ? createRpcBackfill(client, programs, clock) : undefined
    source = createChainSource({ feeds, backfill, checkpoint, clock, log })
    return collect(source)
  }

  const lives: (readonly string[])[] = []
  let life = start()
  try {
    for (const stream of streams) await waitFor(() => stream.streams() > 0)
    while (made < events) {
      const moods = [...streams, rpc].map((each) => setMood(each, random, pick))
      for (let blocks = 0; blocks < BLOCKS_PER_MOOD; blocks++) {
        addBlock(chain, transactions, random, pick)
        for (const mood of moods) mood()
        if (random() < 0.02) {
          // A restart remembers what was published; a crash may have published slightly more.
          await life.stop()
          if (random() < 0.5) checkpoint.crash()
          lives.push(life.entries)
          life = start()
        }
        await new Promise((resolve) => setTimeout(resolve, random() * 4))
      }
    }
    for (const each of [...streams, rpc]) Object.assign(each.faults, noFaults(), { history: 100_000 })
    const { target, reached } = await recover(chain, life, transactions)
    lives.push(life.entries)
    const late = new Set(streams.flatMap(({ lateSlots }) => [...lateSlots]))
    const outcome = judge(seed, chain, lives, Math.min(target, reached), late)
    if (reached >= target) return outcome
    const stands = `It stands at ${reached}, below ${target}: ${JSON.stringify(source?.status?.())}. Its log: ${log.lines.slice(-20).join(' ')}`
    return { ...outcome, problems: [stands, ...outcome.problems] }
  } finally {
    await life.stop()
    for (const each of [...streams, rpc]) await each.close()
  }
}

const OTHER = '11111111111111111111111111111112'

function addBlock(
  chain: Chain,
  transactions: (count: number) => ChainTransaction[],
  random: () => number,
  pick: <Item>(...items: readonly Item[]) => Item,
): void {
  const rare = random()
  chain.add(transactions(Math.floor(random() * 2 * PER_BLOCK)), {
    skipped: pick(0, 0, 0, 0, 0, 1, 4),
    ...(rare < 0.04 ? { rival: transactions(3) } : {}),
    ...(rare > 0.96 ? { orphan: transactions(3) } : {}),
  })
}

/** Changes an endpoint's faults. @returns its occasional faults, to be called after each block */
function setMood(
  endpoint: Yellowstone | Rpc,
  random: () => number,
  pick: <Item>(...items: readonly Item[]) => Item,
): () => void {
  const rarely = (chance: number, value: number) => (random() < chance ? value : 0)
  const faults: Faults = {
    ...noFaults(),
    repeats: rarely(0.3, 0.3),
    reorder: rarely(0.3, pick(3, 30)),
    lostVotes: rarely(0.2, pick(0.2, 1)),
    lostMetas: rarely(0.1, 0.1),
    lostBlocks: rarely(0.1, 0.1),
    earlyMetas: rarely(0.2, 0.5),
    midSlots: rarely(0.5, 1),
    lateTransactions: rarely(0.03, 0.02),
    drops: rarely(0.15, 0.005),
    malformed: rarely(0.1, 0.01),
    padding: rarely(0.05, 100_000),
    sendsDeadBanks: random() < 0.3,
    replay: pick('served', 'served', 'served', 'served', 'refused', 'off', 'ignored', 'stalled'),
    history: pick(3, 150, 10_000, 10_000, 10_000),
    lagsOut: random() < 0.05,
    isDown: random() < 0.06,
    token: random() < 0.05 ? 'another' : undefined,
    rpcErrors: rarely(0.2, 0.1),
    callsPerSecond: rarely(0.1, 20 * HASTE),
  }
  Object.assign(endpoint.faults, faults)
  const drops = rarely(0.3, 0.15)
  return () => {
    if (random() >= drops) return
    if ('endStreams' in endpoint && random() < 0.5) {
      endpoint.endStreams(
        pick(GRPC_STATUS.internal, GRPC_STATUS.unavailable, GRPC_STATUS.ok),
        'the double ended it',
      )
    } else endpoint.drop()
  }
}

/** Lets the chain grow without faults until its newest blocks arrive. @returns the expected and the actual last slot */
async function recover(
  chain: Chain,
  life: Collected,
  transactions: (count: number) => ChainTransaction[],
): Promise<{ target: number; reached: number }> {
  const reached = () => Number(/^(\d+):/.exec(life.entries.at(-1) ?? '')?.[1] ?? 0)
  const target = chain.head()!.slot + 5
  for (let block = 0; block < RECOVERY_BLOCKS && reached() < target; block++) {
    chain.add(transactions(2))
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  return { target, reached: reached() }
}

/**
 * Compares what several lives of a source published with the chain, up to slot `last`. `late` are slots that a server
 * ended before it had sent everything: if the connection breaks before the rest arrives, nothing can know of it.
 */
export function judge(
  seed: number,
  chain: Chain,
  lives: readonly (readonly string[])[],
  last: number,
  late: ReadonlySet<number> = new Set(),
): TortureOutcome {
  const problems: string[] = []
  const published = new Map<number, string>()
  const changed = new Map<number, string>()
  const missed = new Set<number>()
  let gaps = 0
  for (const entries of lives) {
    let newest = 0
    for (const entry of entries) {
      const gap = /^gap (\d+)-(\d+)$/.exec(entry)
      if (gap) {
        gaps++
        for (let slot = Number(gap[1]); slot <= Number(gap[2]); slot++) missed.add(slot)
        continue
      }
      const slot = Number(entry.split(':')[0])
      if (slot <= newest) problems.push(`${slot} came after ${newest}.`)
      newest = slot
      const before = published.get(slot)
      if (before !== undefined && before !== entry) {
        changed.set(slot, `${entry} was ${before} in the life before.`)
      }
      published.set(slot, entry)
    }
  }
  const isExcused = (slot: number) => missed.has(slot) || late.has(slot)
  for (const [slot, problem] of changed) if (!isExcused(slot)) problems.push(problem)
  const first = Math.min(...published.keys())
  for (const expected of expectedOf(chain, first)) {
    const slot = Number(expected.split(':')[0])
    if (slot > last) break
    const came = published.get(slot)
    if (came === undefined && !missed.has(slot)) problems.push(`${slot} is missing without a gap.`)
    if (came !== undefined && came !== expected && !isExcused(slot)) {
      problems.push(`${came} is not ${expected}.`)
    }
    published.delete(slot)
  }
  for (const slot of published.keys()) if (slot <= last) problems.push(`${slot} is not on the chain.`)
  const events = chain.blocks.reduce((sum, { transactions }) => sum + transactions.length, 0)

  return { seed, problems, events, gaps, missed: missed.size }
}

/** A checkpoint that may forget the latest position in a crash. */
function createForgetfulCheckpoint(random: () => number): Checkpoint & { crash(): void } {
  let places: Place[] = []
  return {
    load: () => places.at(-1),
    save: (place) => {
      places = [...places.slice(-3), place]
    },
    settled: async () => {},
    crash: () => {
      places = places.slice(0, Math.max(1, places.length - Math.floor(random() * 3)))
    },
  }
}

async function waitFor(test: () => boolean): Promise<void> {
  const until = Date.now() + BEGIN_MS
  while (!test() && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 2))
}
