import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import type { Accounts } from '@pairwire/accounts'
import { openChainReader } from '@pairwire/ingest'
import { systemClock } from '@pairwire/process'
import { expectedOf } from '../../apps/ingest/src/audit/compare-slot.ts'
import { createRandom } from '../../packages/chain-double/src/index.ts'
import { freePort } from '../service.ts'
import { createPart, type Deployment, entrypoint, type Part, startDeployment } from './deployment.ts'
import { createResumingClient, type ResumingClient, slotOf } from './resuming-client.ts'
import { connectStream, openStore } from './stream-client.ts'

/** What a torture came to. */
type TortureOutcome = {
  schedules: number
  deeds: number
  swaps: number
  gaps: number
  intruders: number
  problems: string[]
}

const SECRET = 'a secret of thirty-two characters or more'

/** Accounts with two connections each, and a client on each connection. */
const ACCOUNTS = 50
const CONNECTIONS = 2

/** Swaps a second of the stand-in for the chain, of which each client gets all. */
const SWAPS = 20

/** Milliseconds in which everybody must have the newest events again after the last deed. */
const RECOVERY_MS = 45_000

/** Milliseconds in which all gateways have written down what they have counted: a write that hung is tried again. */
const COUNTS_MS = 20_000

/** What is done to a deployment, each for a time: something is away, and comes back. */
type Deed = Readonly<{ name: string; do(downMs: number): Promise<void> }>

/**
 * Runs `schedules` random schedules over one deployment, each of some deeds at once, and holds what the clients got
 * against the chain, what the accounts have against what was said to be done, and connections against their limit.
 */
export async function tortureDeployment(
  schedules: number,
  seed: number,
  { report = () => {}, only = '' }: { report?(line: string): void; only?: string } = {},
): Promise<TortureOutcome> {
  const outcome: TortureOutcome = { schedules: 0, deeds: 0, swaps: 0, gaps: 0, intruders: 0, problems: [] }
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
  )
  const store = await openStore(deployment.databaseUrl, SECRET)
  const stopAll: (() => void)[] = []
  try {
    const people = await makePeople(store.accounts)
    const database = { downSince: undefined as number | undefined }
    const ports = deployment.gateways().map(({ port }) => port)
    const clients: ResumingClient[] = people.flatMap(({ key }) =>
      Array.from({ length: CONNECTIONS }, () =>
        createResumingClient({
          port: () => ports[Math.floor(Math.random() * ports.length)]!,
          key,
          problem,
          uncountedSince: () => database.downSince,
        }),
      ),
    )
    for (const client of clients) stopAll.push(client.stop)
    await untilAll(clients, (client) => client.cursors.length > 0, RECOVERY_MS)

    const deeds = deedsOn(deployment, database).filter(({ name }) => name.includes(only))
    const told = keepTelling(store.accounts, problem)
    stopAll.push(told.stop)
    for (; outcome.schedules < schedules; outcome.schedules++) {
      const chosen = pick(deeds, Math.min(1 + Math.floor(random() * 3), targetsOf(deeds)), random)
      const began = performance.now()
      const plan = chosen.map((deed) => ({ deed, atMs: random() * 600, downMs: 100 + random() * 1_400 }))
      const names = plan.map(({ deed, downMs }) => `${deed.name} for ${Math.round(downMs)} ms`).join(', ')
      await Promise.all(
        plan.map(async ({ deed, atMs, downMs }) => {
          await wait(atMs)
          await deed.do(downMs)
        }),
      )
      outcome.deeds += plan.length
      const goal = await newestSlot(clients)
      const late = await untilAll(
        clients,
        (client) => client.newestSlot() > goal && client.isOpen(),
        RECOVERY_MS,
      )
      report(`${outcome.schedules}: ${names}; all well after ${Math.round(performance.now() - began)} ms`)
      for (const part of deployment.parts.values()) {
        if (part.isRunning()) continue
        problem(`${part.name} ended by itself: ${part.output().slice(-2_000)}`)
        await part.start()
      }
      if (late > 0) {
        const refusals = clients
          .filter((client) => client.newestSlot() <= goal)
          .map((client) => client.refusal())
        const why = [...new Set(refusals)].join('; ')
        problem(`${late} clients had nothing new ${RECOVERY_MS} ms after ${names}: ${why}`)
      }
      outcome.intruders += await intrude(people, clients, ports, random, problem)
    }

    // All that the chain has up to now, for everybody.
    const end = await newestSlot(clients)
    await untilAll(clients, (client) => client.newestSlot() > end, RECOVERY_MS)
    told.stop()
    await compareWithChain(clients, end, chainUrl, outcome, problem)
    await compareCounts(store.accounts, people, clients, problem)
    await told.compare()
  } finally {
    for (const stop of stopAll) stop()
    await store.close().catch(() => {})
    await deployment.stop()
    await chain.end('SIGKILL')
  }
  return outcome
}

type Person = Readonly<{ key: string; accountId: string }>

function makePeople(accounts: Accounts): Promise<Person[]> {
  return Promise.all(
    Array.from({ length: ACCOUNTS }, async () => {
      const email = `${randomUUID()}@example.org`
      const { accountId } = await accounts.createAccount(email)
      const { account } = await accounts.grantPlan(email, 3, CONNECTIONS)
      return { key: account.user.APIKey, accountId }
    }),
  )
}

function deedsOn(
  { parts, nats, postgres, lines }: Deployment,
  database: { downSince: number | undefined },
): Deed[] {
  /** As a supervisor does: again and again, since what it needs may be away. */
  const startAgain = async (part: Part) => {
    for (let tries = 0; !part.isRunning(); tries++) {
      await part.start().catch((error) => {
        if (tries > 20) throw error
      })
      if (!part.isRunning()) await wait(250)
    }
  }
  const withoutDatabase = async (action: () => Promise<void>) => {
    const since = performance.now()
    database.downSince ??= since
    await action()
    // Those who count write down what they have kept.
    await wait(3_000)
    if (database.downSince === since) database.downSince = undefined
  }
  const deeds: Deed[] = [...parts.values()].flatMap((part) =>
    (['SIGKILL', 'SIGTERM'] as const).map((signal) => ({
      name: `${signal} ${part.name}`,
      async do(downMs: number) {
        await part.end(signal)
        await wait(downMs)
        await startAgain(part)
      },
    })),
  )
  deeds.push(
    {
      name: 'SIGKILL nats',
      async do(downMs) {
        await nats.kill()
        await wait(downMs)
        await nats.start()
      },
    },
    {
      name: 'SIGKILL postgres',
      do: (downMs) =>
        withoutDatabase(async () => {
          await postgres.kill()
          await wait(downMs)
          await postgres.start()
        }),
    },
  )
  if (lines) {
    deeds.push(
      {
        name: 'cut nats',
        async do(downMs) {
          lines.nats.cut()
          await wait(downMs)
          lines.nats.mend()
        },
      },
      {
        name: 'cut postgres',
        do: (downMs) =>
          withoutDatabase(async () => {
            lines.postgres.cut()
            await wait(downMs)
            lines.postgres.mend()
          }),
      },
    )
  }
  return deeds
}

function targetsOf(deeds: readonly Deed[]): number {
  return new Set(deeds.map(({ name }) => name.split(' ')[1])).size
}

/** Some of them, of each target one. */
function pick(deeds: readonly Deed[], count: number, random: () => number): Deed[] {
  const chosen = new Map<string, Deed>()
  while (chosen.size < count) {
    const deed = deeds[Math.floor(random() * deeds.length)]!
    chosen.set(deed.name.split(' ')[1]!, deed)
  }
  return [...chosen.values()]
}

async function newestSlot(clients: readonly ResumingClient[]): Promise<number> {
  return Math.max(...clients.map((client) => client.newestSlot()))
}

/** @returns of how many it is still not so */
async function untilAll(
  clients: readonly ResumingClient[],
  test: (client: ResumingClient) => boolean,
  limitMs: number,
): Promise<number> {
  const began = performance.now()
  for (;;) {
    const missing = clients.filter((client) => !test(client)).length
    if (missing === 0 || performance.now() - began > limitMs) return missing
    await wait(50)
  }
}

/** One connection more than the plan has, while all of them are open from before to after: nobody may let it in. */
async function intrude(
  people: readonly Person[],
  clients: readonly ResumingClient[],
  ports: readonly number[],
  random: () => number,
  problem: (sentence: string) => void,
): Promise<number> {
  const at = Math.floor(random() * people.length)
  const own = clients.slice(at * CONNECTIONS, (at + 1) * CONNECTIONS)
  const areOpen = () => own.every((client) => client.isOpen())
  if (!areOpen()) return 0
  const intruder = await connectStream(ports[Math.floor(random() * ports.length)]!, people[at]!.key)
  if (intruder.status === 101) {
    // One of them may have been taken for dead, and not know it yet: who is alive gets what comes from now on.
    const goal = Math.max(...own.map((client) => client.newestSlot())) + 2
    await untilAll(own, (client) => !areOpen() || client.newestSlot() >= goal, RECOVERY_MS)
    if (areOpen()) problem('A connection over the limit was let in.')
  }
  intruder.close()
  return 1
}

async function compareWithChain(
  clients: readonly ResumingClient[],
  end: number,
  chainUrl: string,
  outcome: TortureOutcome,
  problem: (sentence: string) => void,
): Promise<void> {
  const begin = Math.min(...clients.map(({ cursors }) => slotOf(cursors[0]!)))
  const reader = openChainReader('', { tokens: [], rpcUrl: chainUrl, clock: systemClock })!
  const expected = new Map<number, string[]>()
  for await (const block of reader.blocks(begin, end, new AbortController().signal)) {
    const swaps = (await expectedOf(block)).filter(({ kind }) => kind === 'swap')
    expected.set(
      block.slot,
      swaps.map(({ cursor }) => cursor),
    )
    outcome.swaps += swaps.length
  }
  for (const [number, { cursors, gaps }] of clients.entries()) {
    // A client that comes first joins within a slot.
    const first = slotOf(cursors[0]!)
    const got = new Set(cursors)
    outcome.gaps += gaps.length
    let missing = 0
    for (const [slot, wanted] of expected) {
      if (slot <= first || gaps.some(({ fromSlot, toSlot }) => slot >= fromSlot && slot <= toSlot)) continue
      missing += wanted.filter((cursor) => !got.has(cursor)).length
    }
    if (missing > 0) problem(`client ${number} lacks ${missing} swaps of which no gap was said.`)
    const extra = cursors.filter(
      (cursor) => slotOf(cursor) <= end && !expected.get(slotOf(cursor))?.includes(cursor),
    )
    if (extra.length > 0)
      problem(`client ${number} got ${extra.length} swaps that the chain does not have, ${extra[0]}.`)
  }
}

async function compareCounts(
  accounts: Accounts,
  people: readonly Person[],
  clients: readonly ResumingClient[],
  problem: (sentence: string) => void,
): Promise<void> {
  const until = performance.now() + COUNTS_MS
  for (const [at, { accountId }] of people.entries()) {
    const own = clients.slice(at * CONNECTIONS, (at + 1) * CONNECTIONS)
    const least = own.reduce((sum, client) => sum + client.cursors.length - client.perhapsUncounted(), 0)
    for (;;) {
      const usage = await accounts.getUsage(accountId)
      const counted = usage.reduce((sum, { buys, sells }) => sum + buys + sells, 0)
      // A gateway may have ended in the second before its clients were told.
      if (counted >= least - SWAPS * CONNECTIONS * 2) break
      if (performance.now() > until) {
        problem(`${least - counted} swaps of an account are not counted.`)
        break
      }
      await wait(250)
    }
  }
}

/** Makes accounts, resets keys and takes payments all the while; what was acknowledged has to be there at the end. */
function keepTelling(accounts: Accounts, problem: (sentence: string) => void) {
  const done: { accountId: string; key: string; transactionId: string }[] = []
  let stopped = false
  const tell = async () => {
    while (!stopped) {
      await wait(300)
      try {
        const email = `${randomUUID()}@example.org`
        const { accountId } = await accounts.createAccount(email)
        const { user } = await accounts.resetKey(accountId)
        const transactionId = randomUUID()
        const subscriptionId = randomUUID()
        await accounts.applyBillingEvent({
          ...{
            provider: 'paddle',
            id: randomUUID(),
            occurredAt: new Date(),
            subscriptionId,
            customerId: 'customer',
          },
          ...{ accountId, priceIds: [], raw: {} },
          report: {
            ...{ type: 'charged', transactionId, amount: 7_900n, currency: 'USD' },
            until: new Date(Date.now() + 30 * 24 * 60 * 60_000),
          },
        })
        done.push({ accountId, key: user.APIKey, transactionId })
      } catch {
        // Nobody was told that it was done.
      }
    }
  }
  void tell()
  return {
    stop() {
      stopped = true
    },
    async compare() {
      if (done.length === 0) problem('Nothing could be told all the while.')
      for (const { accountId, key, transactionId } of done) {
        const account = await accounts.getAccount(accountId)
        if (account.user.APIKey !== key) problem('A key is not the one that was given.')
        const payments = await accounts.listPayments(accountId)
        if (!payments.some((payment) => payment.transactionId === transactionId))
          problem('A payment is gone.')
      }
    },
  }
}
