import { setTimeout as wait } from 'node:timers/promises'
import type { Accounts } from '@pairwire/accounts'
import { freePort } from '../../packages/basics/src/testing/free-port.ts'
import { createRandom } from '../../packages/chain-double/src/index.ts'
import { COUNTS_MS, createAccount, openStore, SECRET, untilCounted } from './accounts.ts'
import { createChainComparison } from './compare-with-chain.ts'
import { createPart, entrypoint, type Part, startDeployment } from './deployment.ts'
import { createEarlyClient } from './early-client.ts'
import { faultsOf, pick, targetsOf } from './faults.ts'
import { keepTelling } from './keep-telling.ts'
import { readServerSent } from './server-sent-reader.ts'
import { readSwaps, type SwapReader, slotOf } from './swap-reader.ts'
import { useUpCaps } from './use-up-caps.ts'

/** The outcome of a torture run. */
type TortureOutcome = {
  schedules: number
  faults: number
  swaps: number
  gaps: number
  intruders: number
  /** Slots that clients of `processed` saw completely, and accounts that have used up their plan. */
  earlySlots: number
  caps: number
  problems: string[]
}

/** Accounts with two connections each, and a client on each connection. */
const ACCOUNTS = 50
const CONNECTIONS = 2

/** Accounts with a client of `processed` each. */
const EARLY_CLIENTS = 6

/** Swaps per second of the stand-in for the chain, all of them sent to each client. */
const SWAPS = 20

/** Milliseconds in which every client must have the newest events again after the last fault. */
const RECOVERY_MS = 45_000

/** Slots after which the clients are compared with the chain, of which the stand-in keeps some 600. */
const COMPARED_EVERY = 250

/**
 * Restarts each part of a deployment, then runs `schedules` random schedules on it, each with some faults at once, and
 * compares the clients' events with the chain, the accounts with the acknowledged changes, and connections with their limit.
 */
export async function tortureDeployment(
  schedules: number,
  seed: number,
  { report = () => {}, only = '' }: { report?(line: string): void; only?: string } = {},
): Promise<TortureOutcome> {
  const outcome: TortureOutcome = {
    ...{ schedules: 0, faults: 0, swaps: 0, gaps: 0, intruders: 0, earlySlots: 0, caps: 0 },
    problems: [],
  }
  const problem = (sentence: string) => {
    if (outcome.problems.length >= 50) return
    outcome.problems.push(`schedule ${outcome.schedules}: ${sentence}`)
    report(`problem: ${sentence}`)
  }
  const random = createRandom(seed)
  const chainPort = await freePort()
  const chainUrl = `http://127.0.0.1:${chainPort}`
  const chain = createPart(
    'chain',
    chainPort,
    [
      ...entrypoint(),
      'chain',
      '--port',
      String(chainPort),
      '--swaps',
      String(SWAPS),
      '--seed',
      String(seed),
      '--fault',
      'history=100000',
    ],
    {},
  )
  await chain.start()
  const deployment = await startDeployment(
    {
      PUBLIC_HOST: 'pairwire.example',
      PUBLIC_URL: 'http://localhost:8080',
      SOLANA_SOURCE: `yellowstone+${chainUrl}`,
      SOLANA_RPC_URL: chainUrl,
      METRICS_TOKEN: 'token',
      SESSION_SECRET: SECRET,
      KEY_ENCRYPTION_SECRET: SECRET,
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'hello@pairwire.example',
    },
    { cuttable: true },
  ).catch(async (error) => {
    await chain.end('SIGKILL')
    throw error
  })
  const store = await openStore(deployment.databaseUrl)
  const stopAll: (() => unknown)[] = []
  try {
    const people = await makePeople(store.accounts, ACCOUNTS)
    const database = { downSince: undefined as number | undefined }
    const ports = deployment.gateways().map(({ port }) => port)
    const port = () => ports[Math.floor(Math.random() * ports.length)]!
    const uncountedSince = () => database.downSince
    const clients: SwapReader[] = people.flatMap(({ key }) =>
      Array.from({ length: CONNECTIONS }, () => readSwaps({ port, key, problem, uncountedSince })),
    )
    const earlyClients = (await makePeople(store.accounts, EARLY_CLIENTS)).map(({ key }) =>
      createEarlyClient({ port, key, problem }),
    )
    for (const client of [...clients, ...earlyClients]) stopAll.push(client.stop)
    await untilAll(clients, (client) => client.cursors.length > 0, RECOVERY_MS)

    const faults = faultsOf(deployment, database).filter(({ name }) => name.includes(only))
    const told = keepTelling(store.accounts, problem)
    stopAll.push(told.stop)
    const caps = useUpCaps({ accounts: store.accounts, port, problem, uncountedSince })
    stopAll.push(caps.stop)
    const chainComparison = createChainComparison(clients, earlyClients, chainUrl, problem)
    let compared = newestSlot(clients)
    /** Everything on the chain so far, for every client. */
    const compare = async (end = newestSlot(clients)) => {
      await untilAll(clients, (client) => client.newestSlot() > end, RECOVERY_MS)
      Object.assign(outcome, await chainComparison.upTo(end))
      compared = end
    }
    if (only === '') {
      const { key } = await createAccount(store.accounts, 1)
      const served = readServerSent({ port, key, problem })
      stopAll.push(served.stop)
      await restartEach([...deployment.parts.values()], [...clients, served], report)
      await compare()
      if (outcome.gaps + served.gaps.length > 0)
        problem('Gaps were said while parts were restarted one by one.')
      await untilAll([served], (client) => client.newestSlot() > compared, RECOVERY_MS)
      const lost = lacksOf(served, clients[0]!).filter((cursor) => slotOf(cursor) <= compared)
      if (lost.length > 0) problem(`A client of server-sent events lacks ${lost.length} swaps.`)
      served.stop()
    }
    for (; outcome.schedules < schedules; outcome.schedules++) {
      if (newestSlot(clients) - compared > COMPARED_EVERY) await compare()
      const chosen = pick(faults, Math.min(1 + Math.floor(random() * 3), targetsOf(faults)), random)
      const began = performance.now()
      const plan = chosen.map((fault) => ({ fault, atMs: random() * 600, downMs: 100 + random() * 1_400 }))
      const names = plan.map(({ fault, downMs }) => `${fault.name} for ${Math.round(downMs)} ms`).join(', ')
      await Promise.all(
        plan.map(async ({ fault, atMs, downMs }) => {
          await wait(atMs)
          await fault.do(downMs)
        }),
      )
      outcome.faults += plan.length
      const goal = newestSlot(clients)
      const late = await untilAll(
        clients,
        (client) => client.newestSlot() > goal && client.isOpen(),
        RECOVERY_MS,
      )
      report(
        `${outcome.schedules}: ${names}; all well after ${Math.round(performance.now() - began)} ms, at slot ${goal}`,
      )
      for (const part of deployment.parts.values()) {
        if (part.isRunning()) continue
        problem(`${part.name} ended by itself: ${part.output().slice(-2_000)}`)
        await part.start()
      }
      if (late > 0) {
        const refusals = clients
          .filter((client) => client.newestSlot() <= goal)
          .map((client) => client.reasons.at(-1))
        const why = [...new Set(refusals)].join('; ')
        problem(`${late} clients had nothing new ${RECOVERY_MS} ms after ${names}: ${why}`)
      }
      outcome.intruders += await intrude(people, clients, ports, random, problem)
    }

    await compare()
    told.stop()
    outcome.caps = await caps.stop()
    await compareCounts(store.accounts, people, clients, problem)
    await told.compare()
  } finally {
    for (const stop of stopAll) stop()
    await store.close().catch(() => {})
    await deployment.stop().finally(() => chain.end('SIGKILL'))
  }
  return outcome
}

/** Restarts each part, one after the other, as an upgrade does. */
async function restartEach(
  parts: readonly Part[],
  clients: readonly Client[],
  report: (line: string) => void,
): Promise<void> {
  for (const part of parts) {
    const began = performance.now()
    await part.end('SIGTERM')
    await part.start()
    while (!(await fetch(`${part.url}/readyz`)).ok) await wait(50)
    await untilAll(clients, (client) => client.isOpen(), RECOVERY_MS)
    report(`${part.name} restarted; all well after ${Math.round(performance.now() - began)} ms`)
  }
}

type Client = Pick<SwapReader, 'cursors' | 'isOpen' | 'newestSlot'>

/** What `other` got since the first of a client's, and the client did not; it joined within its first slot. */
function lacksOf({ cursors }: Client, other: Client): string[] {
  const had = new Set(cursors)
  const first = slotOf(cursors[0]!)
  return other.cursors.filter((cursor) => slotOf(cursor) > first && !had.has(cursor))
}

type Person = Readonly<{ key: string; accountId: string }>

function makePeople(accounts: Accounts, count: number): Promise<Person[]> {
  return Promise.all(Array.from({ length: count }, () => createAccount(accounts, CONNECTIONS)))
}

function newestSlot(clients: readonly SwapReader[]): number {
  return Math.max(...clients.map((client) => client.newestSlot()))
}

/** @returns for how many it does not hold yet */
async function untilAll<Of extends Client>(
  clients: readonly Of[],
  test: (client: Of) => boolean,
  limitMs: number,
): Promise<number> {
  const began = performance.now()
  for (;;) {
    const missing = clients.filter((client) => !test(client)).length
    if (missing === 0 || performance.now() - began > limitMs) return missing
    await wait(50)
  }
}

/** One connection more than the plan allows, while all of them stay open: no gateway may accept it. */
async function intrude(
  people: readonly Person[],
  clients: readonly SwapReader[],
  ports: readonly number[],
  random: () => number,
  problem: (sentence: string) => void,
): Promise<number> {
  const at = Math.floor(random() * people.length)
  const own = clients.slice(at * CONNECTIONS, (at + 1) * CONNECTIONS)
  const areOpen = () => own.every((client) => client.isOpen())
  if (!areOpen()) return 0
  const port = ports[Math.floor(random() * ports.length)]!
  const intruder = readSwaps({ port: () => port, key: people[at]!.key, problem })
  await untilAll([intruder], ({ isOpen, reasons }) => isOpen() || reasons.length > 0, RECOVERY_MS)
  if (intruder.isOpen()) {
    // One of them may have been taken for dead without knowing it yet: a live one gets the events from now on.
    const goal = Math.max(...own.map((client) => client.newestSlot())) + 2
    await untilAll(own, (client) => !areOpen() || client.newestSlot() >= goal, RECOVERY_MS)
    if (areOpen()) problem('A connection over the limit was let in.')
  }
  intruder.stop()
  return 1
}

async function compareCounts(
  accounts: Accounts,
  people: readonly Person[],
  clients: readonly SwapReader[],
  problem: (sentence: string) => void,
): Promise<void> {
  const until = performance.now() + COUNTS_MS
  for (const [at, { accountId }] of people.entries()) {
    const own = clients.slice(at * CONNECTIONS, (at + 1) * CONNECTIONS)
    const got = own.reduce((sum, client) => sum + client.cursors.length - client.perhapsUncounted(), 0)
    // A gateway may have ended in the second before its clients were told.
    const least = got - SWAPS * CONNECTIONS * 2
    const counted = await untilCounted(accounts, accountId, () => least, until)
    if (counted < least) problem(`${got - counted} swaps of an account are not counted.`)
  }
}
