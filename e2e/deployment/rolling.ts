import { setTimeout as wait } from 'node:timers/promises'
import { systemClock } from '@pairwire/basics'
import { encodeBase58 } from '@pairwire/contract'
import { openChainReader } from '@pairwire/ingest'
import { expectedOf } from '../../apps/ingest/src/audit/compare-slot.ts'
import { freePort } from '../../packages/basics/src/testing/free-port.ts'
import { createAccount, openStore, SECRET } from './accounts.ts'
import { createPart, entrypoint, type Part, startDeployment } from './deployment.ts'
import { readSwaps, type SwapReader, slotOf } from './swap-reader.ts'

/** The outcome of a rolling restart. */
type RollingOutcome = Readonly<{
  /** The longest disconnection of each client in milliseconds, the shortest first. */
  away: readonly number[]
  /** Swaps of the chain per second meanwhile, and those received by all clients together. */
  swapsPerSecond: number
  received: number
  missing: number
  gaps: number
  seconds: number
  problems: readonly string[]
}>

/** Connections of an account. */
const CONNECTIONS = 2

/** Tokens that are assigned, the busiest: each client wants one of them, and nine that nobody trades. */
const MINTS = 100
const OTHERS = Array.from({ length: 9 }, (_, at) => encodeBase58(new Uint8Array(32).fill(240 + at)))

/** Milliseconds between two restarts, in which the last client has returned. */
const BETWEEN_MS = 3_000

/** Milliseconds between two checks of a gateway's `/readyz`, and in which it must answer. */
const LOOK_EVERY_MS = 500
const LOOK_TIMEOUT_MS = 2_000

/** Checks, a second apart, of whether the last swaps have arrived. */
const LAST_LOOKS = 20

/** Seconds of trades that show which tokens are traded most. */
const MARKET_SECONDS = 3

/** Milliseconds in which every client must be connected. */
const PATIENCE_MS = 120_000

/** Restarts each gateway of a deployment, one after the other, under clients that filter and resume. */
export async function rollGateways(
  clientCount: number,
  swapsPerSecond: number,
  report: (line: string) => void,
): Promise<RollingOutcome> {
  const chainPort = await freePort()
  const chainUrl = `http://127.0.0.1:${chainPort}`
  const words = ['chain', '--port', chainPort, '--swaps', swapsPerSecond, '--fault', 'history=100000']
  const chain = createPart('chain', chainPort, [...entrypoint(), ...words.map(String)], {})
  await chain.start()
  const deployment = await startDeployment(
    {
      ...{ PUBLIC_HOST: 'pairwire.example', PUBLIC_URL: 'http://localhost:8080', METRICS_TOKEN: 'token' },
      ...{ SOLANA_SOURCE: `yellowstone+${chainUrl}`, SOLANA_RPC_URL: chainUrl },
      ...{ SESSION_SECRET: SECRET, KEY_ENCRYPTION_SECRET: SECRET },
      ...{ SMTP_URL: 'smtp://127.0.0.1:9', MAIL_FROM: 'hello@pairwire.example' },
    },
    // Elsewhere clients have different addresses.
    { environment: { CONNECT_RATE_PER_ADDRESS: '10000' } },
  )
  const store = await openStore(deployment.databaseUrl)
  const followed = followChain(chainUrl)
  const clients: SwapReader[] = []
  const problems: string[] = []
  const ends: (() => void)[] = []
  try {
    const gateways = deployment.gateways()
    const spread = spreadAs(gateways)
    ends.push(spread.stop)
    while (followed.swaps.length < MARKET_SECONDS * swapsPerSecond) await wait(50)
    const mints = busiestMints(followed.swaps)
    report(`${mints.length} tokens are traded; ${clientCount} clients connect.`)
    const filters = Array.from({ length: clientCount }, (_, number) => [
      mints[number % mints.length]!,
      ...OTHERS,
    ])
    for (let made = 0; made < clientCount; made += CONNECTIONS) {
      const { key } = await createAccount(store.accounts, CONNECTIONS)
      for (let own = made; own < Math.min(clientCount, made + CONNECTIONS); own++) {
        clients.push(
          readSwaps({
            ...{ port: spread.port, key, include: { baseTokenMint: filters[own]! } },
            problem: (sentence) => problems.push(`client ${own}: ${sentence}`),
          }),
        )
      }
    }
    await untilAll(clients, (client) => client.isOpen() && client.cursors.length > 0)

    const began = performance.now()
    for (const gateway of gateways) {
      await gateway.end('SIGTERM')
      await gateway.start()
      await untilAll(clients, (client) => client.isOpen())
      report(`${gateway.name} is back after ${Math.round(performance.now() - began)} ms.`)
      await wait(BETWEEN_MS)
    }
    const seconds = (performance.now() - began) / 1_000

    const end = Math.max(...clients.map((client) => client.newestSlot()))
    await untilAll(clients, (client) => client.isOpen())
    await followed.stop()
    const wanted = followed.swaps.filter(({ slot }) => slot <= end)
    let missing = countMissing(clients, filters, wanted)
    // The last of it may still be on its way.
    for (let looks = 0; missing > 0 && looks < LAST_LOOKS; looks++) {
      await wait(1_000)
      missing = countMissing(clients, filters, wanted)
    }
    const twice = clients.reduce((sum, client) => sum + client.duplicates(), 0)
    if (twice > 0) problems.push(`${twice} swaps came twice.`)
    return {
      away: clients.map((client) => client.longestAwayMs()).sort((a, b) => a - b),
      // A slot is 400 ms.
      swapsPerSecond: wanted.length / ((end - followed.first() + 1) * 0.4),
      received: clients.reduce((sum, { cursors }) => sum + cursors.length, 0),
      gaps: clients.reduce((sum, { gaps }) => sum + gaps.length, 0),
      ...{ missing, seconds, problems },
    }
  } finally {
    for (const end of ends) end()
    for (const client of clients) client.stop()
    await store.close().catch(() => {})
    await deployment.stop()
    await chain.end('SIGKILL')
  }
}

/** Chooses like the proxy of `deploy/Caddyfile`: among the gateways whose last `/readyz` was positive. */
function spreadAs(gateways: readonly Part[]) {
  let ready = gateways
  const look = setInterval(async () => {
    const answers = await Promise.all(
      gateways.map(({ url }) =>
        fetch(`${url}/readyz`, { signal: AbortSignal.timeout(LOOK_TIMEOUT_MS) }).then(
          ({ ok }) => ok,
          () => false,
        ),
      ),
    )
    ready = gateways.filter((_, at) => answers[at])
  }, LOOK_EVERY_MS)
  return {
    port: () => (ready[Math.floor(Math.random() * ready.length)] ?? gateways[0]!).port,
    stop: () => clearInterval(look),
  }
}

type ChainSwap = Readonly<{ slot: number; cursor: string; mint: string }>

/** Reads the chain while it runs: it keeps its blocks for a minute only. */
function followChain(chainUrl: string) {
  const swaps: ChainSwap[] = []
  let first: number | undefined
  let next: number | undefined
  let stopped = false
  const read = async () => {
    const newest = (await askSlot(chainUrl)) - 2
    next ??= newest
    first ??= newest
    if (newest < next) return
    for await (const swap of swapsOf(chainUrl, next, newest)) swaps.push(swap)
    next = newest + 1
  }
  const ended = (async () => {
    while (!stopped) {
      await read()
      await wait(1_000)
    }
    await read()
  })()
  return {
    swaps,
    first: () => first!,
    /** Reads up to the newest block, and no further. */
    async stop() {
      stopped = true
      await ended
    },
  }
}

async function askSlot(chainUrl: string): Promise<number> {
  const answer = await fetch(chainUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'getSlot', params: [{ commitment: 'confirmed' }] }),
  })
  const { result } = (await answer.json()) as { result: number }
  return result
}

/** The tokens that were traded most. */
function busiestMints(swaps: readonly ChainSwap[]): readonly string[] {
  const trades = new Map<string, number>()
  for (const { mint } of swaps) trades.set(mint, (trades.get(mint) ?? 0) + 1)
  return [...trades.entries()]
    .sort(([, a], [, b]) => b - a)
    .slice(0, MINTS)
    .map(([mint]) => mint)
}

/** Swaps of the chain from decoding it again. */
async function* swapsOf(chainUrl: string, from: number, to: number): AsyncGenerator<ChainSwap> {
  const reader = openChainReader('', { tokens: [], rpcUrl: chainUrl, clock: systemClock })!
  for await (const block of reader.blocks(from, to, new AbortController().signal)) {
    for (const event of await expectedOf(block)) {
      if (event.kind !== 'swap') continue
      yield { slot: block.slot, cursor: event.cursor, mint: event.params.swap.baseTokenMint }
    }
  }
}

/** What each client lacks of the chain without an announced gap; a client that has just connected joins within a slot. */
function countMissing(
  clients: readonly SwapReader[],
  filters: readonly (readonly string[])[],
  swaps: readonly ChainSwap[],
): number {
  const known = clients.map(({ cursors }) => new Set(cursors))
  const byMint = new Map<string, number[]>()
  for (const [number, mints] of filters.entries())
    for (const mint of new Set(mints)) byMint.set(mint, [...(byMint.get(mint) ?? []), number])
  let missing = 0
  for (const { slot, cursor, mint } of swaps) {
    for (const number of byMint.get(mint) ?? []) {
      const { cursors, gaps } = clients[number]!
      if (slot <= slotOf(cursors[0]!) || known[number]!.has(cursor)) continue
      if (!gaps.some(({ fromSlot, toSlot }) => slot >= fromSlot && slot <= toSlot)) missing++
    }
  }
  return missing
}

async function untilAll(
  clients: readonly SwapReader[],
  isSo: (client: SwapReader) => boolean,
): Promise<void> {
  const until = performance.now() + PATIENCE_MS
  for (
    let late = clients.filter((client) => !isSo(client));
    late.length > 0;
    late = late.filter((client) => !isSo(client))
  ) {
    if (performance.now() > until) {
      throw new Error(
        `${late.length} clients are late: ${[...new Set(late.map((client) => client.reasons.at(-1)))].join('; ')}`,
      )
    }
    await wait(50)
  }
}
