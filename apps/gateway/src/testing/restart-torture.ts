import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { bundleScript } from '@pairwire/basics/testing/bundle-script'
import { addressOf } from '@pairwire/bus/testing/chain-of-slots'
import { createRandom } from '@pairwire/chain-double'
import { LAUNCHPADS, type Swap } from '@pairwire/contract'
import { type CappedAccounts, createCappedAccounts } from './capped-accounts.ts'
import { createEarlyClient } from './early-client.ts'
import { readSwaps } from './restart-accounts.ts'
import { createRestartClient, type RestartClient, type RestartCounts, type Wish } from './restart-client.ts'

/** The outcome of some restarts. */
type RestartOutcome = Readonly<{
  kills: number
  /** Clean stops, ends after which the disk had lost its last bytes, and starts after some missed slots. */
  stops: number
  powerCuts: number
  aways: number
  lastSlot: number
  /** The problems, each as a sentence; empty if all is well. */
  problems: readonly string[]
}> &
  RestartCounts

/** One end of the service, and its effects. */
export type End = Readonly<{
  /** Milliseconds that the service runs before. */
  lifeMs: number
  /** Connections to drop as too slow in this life, at least, however long that takes. */
  slow: number
  /** Whether a client, by index, cuts its own connection just before. */
  cut(client: number): boolean
  signal: 'SIGKILL' | 'SIGTERM'
  /** Bytes that a power cut takes from the end of the kept events. */
  bytesLost: number
  /** Slots that the service misses. */
  slotsAway: number
}>

/** Milliseconds without an event after which a client that is still incomplete has failed. */
const STALLED_MS = 20_000

/** Number of problems after which it stops. */
const MOST_PROBLEMS = 20

const CHILD = new URL('service-child.ts', import.meta.url)

/**
 * Kills a service repeatedly while clients of every kind are connected, which reconnect with their cursors, and
 * compares what each gets with the chain: every event that it asked for, once, in order, or a reported gap.
 */
export async function tortureRestarts(folder: string, ends: Iterable<End>): Promise<RestartOutcome> {
  const problems: string[] = []
  const problem = (sentence: string) => {
    if (problems.length < MOST_PROBLEMS) problems.push(sentence)
  }
  const capped = [1_000, 2_000].map((first) => createCappedAccounts(`a cap, from ${first}`, first, problem))
  const clients = clientsOfEveryKind(capped, problem)
  const counts = { kills: 0, stops: 0, powerCuts: 0, aways: 0 }
  mkdirSync(join(folder, 'events'))
  let child = await startChild(folder, 0)
  for (const client of clients) client.connect(child.port)

  const slowOnes = () => clients.reduce((sum, client) => sum + client.counts().slow, 0)
  for (const { lifeMs, slow, cut, signal, bytesLost, slotsAway } of ends) {
    const slowBefore = slowOnes()
    await wait(lifeMs)
    while (slowOnes() < slowBefore + slow && problems.length === 0) await wait(10)
    for (const [at, client] of clients.entries()) if (cut(at)) client.cut()
    counts[signal === 'SIGTERM' ? 'stops' : 'kills']++
    await end(child.process, signal)
    if (bytesLost > 0 && cutOff(join(folder, 'events'), bytesLost)) counts.powerCuts++
    if (slotsAway > 0) counts.aways++
    child = await startChild(folder, slotsAway)
    for (const client of clients) client.connect(child.port)
    if (problems.length > 0) break
  }

  child.process.send('rest')
  const [{ lastSlot }] = await once(child.process, 'message')
  const behind = () => clients.filter((client) => !client.hasAll(lastSlot)).length
  const got = () => clients.reduce((sum, client) => sum + client.counts().events, 0)
  for (let before = -1; behind() > 0 && got() > before && problems.length === 0; ) {
    before = got()
    const until = performance.now() + STALLED_MS
    while (behind() > 0 && got() === before && performance.now() < until) {
      for (const client of clients) client.comeBack()
      await wait(50)
    }
  }
  if (behind() > 0) problems.push(`${behind()} clients do not get all, up to slot ${lastSlot}.`)
  for (const client of clients) client.close()
  // A clean stop records the counts.
  await end(child.process, 'SIGTERM')
  const recorded = readSwaps(join(folder, 'counts'))
  for (const accounts of capped) accounts.compare(recorded)
  const sums = { events: 0, gaps: 0, named: 0, slow: 0, slots: 0, takenBack: 0, caps: 0 }
  for (const client of clients) {
    for (const [name, count] of Object.entries(client.counts())) sums[name as keyof typeof sums] += count
  }
  return { ...counts, lastSlot, ...sums, problems }
}

/** Longest life in milliseconds, of one in twenty, bytes lost in a power cut, and missed slots. */
const LIFE_MS = 400
const LONG_LIFE_MS = 4_000
const CUT_BYTES = 60_000
const AWAY_SLOTS = 20

/** Does so at random, in a temporary folder; `report` is called at each end. */
export async function tortureAtRandom(
  kills: number,
  seed: number,
  report: (ends: number) => void,
): Promise<RestartOutcome> {
  let ends = 0
  function* counted() {
    for (const end of randomEnds(kills, createRandom(seed))) {
      yield end
      report(++ends)
    }
  }
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-torture-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  return tortureRestarts(folder, counted())
}

/** Yields random kills, with clean stops between them. */
function* randomEnds(kills: number, random: () => number): Generator<End> {
  for (let killed = 0; killed < kills; ) {
    const signal = random() < 0.15 ? 'SIGTERM' : 'SIGKILL'
    if (signal === 'SIGKILL') killed++
    const cuts = random() < 0.3
    yield {
      lifeMs: random() * (random() < 0.05 ? LONG_LIFE_MS : LIFE_MS),
      slow: random() < 0.1 ? 1 : 0,
      cut: () => cuts && random() < 0.3,
      signal,
      bytesLost: signal === 'SIGKILL' && random() < 0.2 ? Math.ceil(random() * CUT_BYTES) : 0,
      slotsAway: random() < 0.2 ? Math.ceil(random() * AWAY_SLOTS) : 0,
    }
  }
}

/** Every kind of filter, several subscriptions on a connection, narrow connections, early clients, and caps. */
function clientsOfEveryKind(
  capped: readonly CappedAccounts[],
  problem: (sentence: string) => void,
): RestartClient[] {
  const swaps = (params: object, wants: (swap: Swap) => boolean): Wish => ({
    kind: 'swap',
    params,
    wants: (event) => event.kind === 'swap' && wants(event.params.swap),
  })
  const all = swaps({}, () => true)
  const [pool, wallet, mint] = [addressOf('pool', 1), addressOf('wallet', 2), addressOf('mint', 3)]
  const pairs: Wish = {
    kind: 'newPair',
    params: {},
    wants: ({ kind, params }) =>
      kind === 'newPair' && 'pair' in params && !LAUNCHPADS.has(params.pair.sourceExchange),
  }
  const everyPair: Wish = {
    kind: 'newPair',
    params: { include_launchpad_tokens: true },
    wants: ({ kind }) => kind === 'newPair',
  }
  const pairsOfOne: Wish = {
    kind: 'newPair',
    params: { sourceExchange: ['raydium'] },
    wants: (event) => event.kind === 'newPair' && event.params.pair.sourceExchange === 'raydium',
  }
  const blocks: Wish = { kind: 'latestBlock', params: {}, wants: ({ kind }) => kind === 'latestBlock' }
  const ofWallet = swaps({ include: { walletAccount: [wallet] } }, (swap) => swap.walletAccount === wallet)
  const big = swaps(
    { include: { usdValue: 5_000, ammAccount: [pool] } },
    (swap) => (swap.usdValue ?? -1) >= 5_000 || swap.ammAccount === pool,
  )
  const wishes: Record<string, Wish[]> = {
    'all swaps': [all],
    'all swaps with times': [{ ...all, params: { timestamps: true } }],
    'a wallet': [ofWallet],
    'a value or a pool': [big],
    'a token but a wallet': [
      swaps(
        { include: { baseTokenMint: [mint] }, exclude: { walletAccount: [wallet] } },
        (swap) => swap.baseTokenMint === mint && swap.walletAccount !== wallet,
      ),
    ],
    'a token and a value': [
      swaps(
        { include: { baseTokenMint: [mint], usdValue: 3_000 }, match: 'all' },
        (swap) => swap.baseTokenMint === mint && (swap.usdValue ?? -1) >= 3_000,
      ),
    ],
    'sells of an exchange': [
      swaps(
        { sourceExchange: ['pumpfun'], swapType: ['sell'] },
        (swap) => swap.sourceExchange === 'pumpfun' && swap.swapType === 'sell',
      ),
    ],
    pairs: [pairs],
    'every pair': [everyPair],
    'pairs of an exchange': [pairsOfOne],
    blocks: [blocks],
    'three at once': [ofWallet, everyPair, blocks],
    'three without a filter': [all, pairs, blocks],
  }
  const early: Record<string, Wish> = { 'all swaps': all, 'a wallet': ofWallet, 'every pair': everyPair }
  const slow: Record<string, Wish[]> = { 'slow, all swaps': [all], 'slow, three': [big, everyPair, blocks] }
  return [
    ...Object.entries(wishes).map(([name, wish]) => createRestartClient(name, wish, {}, problem)),
    ...Object.entries(slow).map(([name, wish]) => createRestartClient(name, wish, { isSlow: true }, problem)),
    ...capped.map((accounts, at) =>
      createRestartClient(`a cap, ${at}`, at === 0 ? [all] : [big, everyPair], { capped: accounts }, problem),
    ),
    ...Object.entries(early).map(([name, wish]) => createEarlyClient(`early, ${name}`, wish, false, problem)),
    createEarlyClient('early and slow', all, true, problem),
  ]
}

async function startChild(
  folder: string,
  slotsAway: number,
): Promise<{ process: ChildProcess; port: number }> {
  const child = fork(await bundleScript(CHILD), [folder, String(slotsAway)])
  const [{ port }] = await once(child, 'message')
  return { process: child, port }
}

async function end(child: ChildProcess, signal: 'SIGKILL' | 'SIGTERM'): Promise<void> {
  const ended = once(child, 'exit')
  child.kill(signal)
  await ended
}

/** Removes bytes from the end of the kept events, as a power cut may; false if there were fewer. */
function cutOff(folder: string, bytes: number): boolean {
  const last = readdirSync(folder).sort().at(-1)
  if (last === undefined) return false
  const { size } = statSync(join(folder, last))
  if (size <= bytes) return false
  truncateSync(join(folder, last), size - bytes)
  return true
}
