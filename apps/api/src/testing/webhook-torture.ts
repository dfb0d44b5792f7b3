import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { type Accounts, createAccounts, openDatabase } from '@pairwire/accounts'
import { MIGRATIONS } from '@pairwire/accounts/testing/pglite-folders'
import { createPostgresDatabase, startPostgres } from '@pairwire/accounts/testing/postgres-server'
import { bundleScript } from '@pairwire/basics/testing/bundle-script'
import { addressOf } from '@pairwire/bus/testing/chain-of-slots'
import { createRandom } from '@pairwire/chain-double'
import type { NotificationEvent, Swap } from '@pairwire/contract'
import { slotEvents } from './webhook-chain.ts'

const ENDPOINTS = 40
const PER_ACCOUNT = 10
const FAST = 1_000
const LEASE_MS = 800
const CHILD = new URL('webhooks-child.ts', import.meta.url)

/** Milliseconds within which all must be delivered once nothing fails any more. */
const SETTLE_MS = 120_000

type Random = () => number
type Swaps = (swap: Swap) => boolean

/** What an endpoint asks for, and what it should get, worked out here. */
type Wish = Readonly<{
  kind: 'swap' | 'newPair'
  params: Record<string, unknown>
  wants(event: NotificationEvent): boolean
}>

const swaps = (params: Record<string, unknown>, wants: Swaps): Wish => ({
  ...{ kind: 'swap', params },
  wants: (event) => event.kind === 'swap' && wants(event.params.swap),
})

const WISHES: readonly ((at: number) => Wish)[] = [
  () => swaps({}, () => true),
  (at) =>
    swaps(
      { include: { baseTokenMint: [addressOf('mint', at % 5)] } },
      (swap) => swap.baseTokenMint === addressOf('mint', at % 5),
    ),
  (at) =>
    swaps(
      { include: { usdValue: 900 * (at % 9) } },
      ({ usdValue }) => usdValue !== null && usdValue >= 900 * (at % 9),
    ),
  (at) =>
    swaps(
      {
        include: { walletAccount: [addressOf('wallet', at % 5)], usdValue: 4_000 },
        match: 'all',
        swapType: ['sell'],
      },
      (swap) =>
        swap.walletAccount === addressOf('wallet', at % 5) &&
        (swap.usdValue ?? -1) >= 4_000 &&
        swap.swapType === 'sell',
    ),
  () => ({
    kind: 'newPair',
    params: { include_launchpad_tokens: true },
    wants: ({ kind }) => kind === 'newPair',
  }),
]

type Message = {
  id: string
  n: number
  type: string
  text: string
  cursors: string[]
  isHeld: boolean
  slots?: [number, number]
}

/** A receiver: what it was posted, each message once, and how often it counts as taken. */
type Receiver = Wish & {
  endpoint: string
  accountId: string
  secret: string
  messages: Map<string, Message>
  since: string
  badUntil: number
}

/**
 * Kills apis that deliver to endpoints which fail at random, their database too, and freezes some; compares what each receiver
 * holds with the chain.
 */
export async function tortureWebhooks(
  kills: number,
  seed: number,
  report: (line: string) => void = () => {},
) {
  // By a name that is no literal: the package is there for tests only.
  const { Webhook } = await import(['standardwebhooks'][0]!)
  const random = createRandom(seed)
  const problems: string[] = []
  const problem = (sentence: string) => void (problems.length < 20 && problems.push(sentence))
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-webhooks-'))
  const begin = Date.now()
  const server = await startPostgres()
  const { url } = await createPostgresDatabase(server.adminUrl)
  const log = { info() {}, warn() {}, error() {} }
  const database = await openDatabase({ url }, { migrationsFolder: MIGRATIONS, log })
  const secrets = { keyEncryption: new Uint8Array(32).fill(1), pepper: new Uint8Array(32).fill(2) }
  const now = () => begin + (Date.now() - begin) * FAST
  const accounts = createAccounts({ ...database, clock: now, secrets })

  const counts = {
    kills: 0,
    databaseKills: 0,
    freezes: 0,
    posts: 0,
    events: 0,
    deadLetters: 0,
    gaps: 0,
    repeats: 0,
  }
  const receivers = new Map<string, Receiver>()
  let isCalm = false
  const http = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    const receiver = receivers.get(request.url!)!
    counts.posts++
    try {
      new Webhook(receiver.secret).verify(text, {
        ...request.headers,
        'webhook-timestamp': request.headers['webhook-timestamp'],
      })
    } catch (error) {
      // Its clock runs fast here: only the signature can be right.
      if (!/timestamp/i.test(String(error))) problem(`${request.url}: ${error}`)
    }
    const id = String(request.headers['webhook-id'])
    const { type, data } = JSON.parse(text)
    const known = receiver.messages.get(id)
    if (known) counts.repeats++
    if (known && known.text !== text) problem(`${id} came twice with another body.`)
    const message: Message = known ?? {
      ...{ id, n: Number(id.split('_').at(-1)), type, text, isHeld: false },
      cursors: type === 'gap' ? [] : data.events.map(({ cursor }: { cursor: string }) => cursor),
      ...(type === 'gap' && { slots: [data.events[0].params.fromSlot, data.events[0].params.toSlot] }),
    }
    receiver.messages.set(id, message)
    answer(receiver, message, response, isCalm ? () => 0 : random)
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const port = (http.address() as AddressInfo).port

  const place = `000000000-${String(1).padStart(12, '0')}-999999-9000`
  for (let at = 0; at < ENDPOINTS; at++) {
    const email = `a${Math.floor(at / PER_ACCOUNT)}@example.org`
    if (at % PER_ACCOUNT === 0) await accounts.createAccount(email)
    const { accountId } = await accounts.grantPlan(email, 3)
    const wish = WISHES[at % WISHES.length]!(at)
    const body = { url: `http://127.0.0.1:${port}/${at}`, kind: wish.kind, params: wish.params }
    const size = { maxEvents: 5 + Math.floor(random() * 30), maxWaitMs: Math.floor(random() * 100) }
    const { id, secret } = await accounts.createWebhook(accountId, { ...body, ...size }, place)
    receivers.set(`/${at}`, {
      ...wish,
      endpoint: id,
      accountId,
      secret,
      messages: new Map(),
      since: place,
      badUntil: 0,
    })
  }

  const open = async (name: string) => {
    const args = [url, join(folder, name), String(begin), MIGRATIONS, String(FAST), String(LEASE_MS)]
    const child = fork(await bundleScript(CHILD), args)
    await Promise.race([once(child, 'message'), once(child, 'exit')])
    return child
  }
  const children = [await open('one'), await open('two')]
  const wakeStopped = () => wake(accounts, receivers, children, problem)
  const waking = setInterval(() => void wakeStopped(), 300)
  for (let left = kills; left > 0 && problems.length === 0; left--) {
    await wait(100 + random() * 900)
    const at = random() < 0.5 ? 0 : 1
    const child = children[at]!
    if (random() < 0.2) {
      counts.freezes++
      child.kill('SIGSTOP')
      await wait(LEASE_MS * 2)
      child.kill('SIGCONT')
    }
    if (left % 4 === 0) {
      counts.databaseKills++
      await server.kill()
      await wait(random() * 500)
      await server.start()
    }
    const ended = child.exitCode === null ? once(child, 'exit') : undefined
    child.kill('SIGKILL')
    await ended
    counts.kills++
    children[at] = await open(at === 0 ? 'one' : 'two')
    report(`${counts.kills} kills, ${counts.posts} posts, ${Date.now() - begin} ms`)
  }

  report(`settling`)
  isCalm = true
  // Each halts first: on a busy machine one has published later slots by the time it hears of the last one.
  const slots = children.map(async (child) => {
    const told = once(child, 'message')
    child.send({ halt: true })
    return (await told)[0] as number
  })
  const lastSlot = Math.max(...(await Promise.all(slots)))
  for (const child of children) child.send({ rest: lastSlot }, () => {})
  const until = Date.now() + SETTLE_MS
  const end = `000000000-${String(lastSlot).padStart(12, '0')}-999999-9000`
  const late = async () => {
    const rows = await Promise.all(
      [...receivers.values()].map(({ accountId, endpoint }) => accounts.getWebhook(accountId, endpoint)),
    ).catch(() => undefined)
    return rows?.filter(({ row }) => row.message !== null || row.place < end)
  }
  for (let behind = await late(); behind?.length !== 0 && Date.now() < until; behind = await late())
    await wait(200)
  clearInterval(waking)
  for (const { row } of (await late()) ?? [])
    problem(
      `${row.id} (${row.url}) is behind at ${row.place} of ${end}: ${row.state}, ${JSON.stringify(row.lastAttempt)}, tries ${row.tries}`,
    )
  for (const receiver of receivers.values()) {
    const letters = await accounts.listDeadLetters(receiver.accountId, receiver.endpoint)
    counts.deadLetters += letters.length
    judge(receiver, letters, lastSlot, counts, problem)
  }
  for (const child of children) child.kill('SIGKILL')
  http.closeAllConnections()
  http.close()
  await database.close()
  await server.stop()
  rmSync(folder, { recursive: true })
  return { ...counts, lastSlot, problems }
}

/** What a receiver answers, at random from every row of the table; some have spells in which nothing works. */
function answer(receiver: Receiver, message: Message, response: ServerResponse, random: Random): unknown {
  const status = (code: number, headers: Record<string, string> = {}) =>
    void response.writeHead(code, headers).end('{}')
  const take = () => {
    message.isHeld = true
    return status(random() < 0.5 ? 200 : 204)
  }
  const roll = random()
  if (random() < 0.004) receiver.badUntil = Date.now() + 3_000
  if (Date.now() < receiver.badUntil && roll > 0) return status(roll < 0.9 ? 400 : 404)
  if (roll < 0.7) return take()
  if (roll < 0.74) return void response.destroy()
  // Nothing at all: it times out.
  if (roll < 0.77) return undefined
  if (roll < 0.8) {
    // Taken, but nobody is told.
    message.isHeld = true
    return void response.destroy()
  }
  const codes = [500, 503, 502, 408, 425, 429, 302, 301, 400, 401, 403, 404, 413, 422]
  if (roll < 0.995)
    return status(
      codes[Math.floor(random() * codes.length)]!,
      random() < 0.2 ? { 'retry-after': '1', location: 'http://127.0.0.1:1/' } : {},
    )
  return status(410)
}

/** Resumes what was stopped, as its owner would. */
async function wake(
  accounts: Accounts,
  receivers: ReadonlyMap<string, Receiver>,
  children: readonly ChildProcess[],
  problem: (sentence: string) => void,
): Promise<void> {
  try {
    for (const accountId of new Set([...receivers.values()].map((receiver) => receiver.accountId))) {
      for (const { id, state } of await accounts.listWebhooks(accountId)) {
        if (state !== 'stopped') continue
        await accounts.resumeWebhook(accountId, id)
        for (const child of children) if (child.connected) child.send({ changed: accountId }, () => {})
      }
    }
  } catch (error) {
    // The database is away.
    if (!/ERR_UNAVAILABLE|away/.test(String(error))) problem(String(error))
  }
}

type Letters = Awaited<ReturnType<Accounts['listDeadLetters']>>

/** Compares what a receiver holds, and what lies in dead letters, with what the chain had for it. */
function judge(
  receiver: Receiver,
  letters: Letters,
  lastSlot: number,
  counts: { events: number; gaps: number },
  problem: (sentence: string) => void,
): void {
  const { endpoint, messages, wants } = receiver
  const expected: string[] = []
  for (let slot = 2; slot <= lastSlot; slot++) {
    for (const event of slotEvents(slot)) if (wants(event)) expected.push(event.cursor)
  }
  const all = [...messages.values()]
  const held = all.filter(({ isHeld }) => isHeld)
  const cursors = held.flatMap((message) => message.cursors)
  counts.events += cursors.length
  const gaps = held.flatMap(({ slots }) => (slots ? [slots] : []))
  counts.gaps += gaps.length
  for (const [at, { n, id }] of all.entries())
    if (at > 0 && n <= all[at - 1]!.n) problem(`${id} came after ${all[at - 1]!.id}.`)
  for (const [at, cursor] of cursors.entries())
    if (at > 0 && cursor <= cursors[at - 1]!)
      problem(`${endpoint}: ${cursor} came after ${cursors[at - 1]} under another id.`)
  const wanted = new Set(expected)
  for (const cursor of cursors) if (!wanted.has(cursor)) problem(`${endpoint}: ${cursor} was not asked for.`)
  const has = new Set(cursors)
  const missing = expected.filter((cursor) => {
    const slot = Number(cursor.split('-')[1])
    const isGap = gaps.some(([from, to]) => slot >= from && slot <= to)
    const isDead = letters.some(({ first, last }) => cursor >= first && cursor <= last)
    return !has.has(cursor) && !isGap && !isDead
  })
  if (missing.length > 0) problem(`${endpoint} lacks ${missing.length} events, the first ${missing[0]}.`)
  for (const { n, first, last, events } of letters) {
    const inside = expected.filter((cursor) => cursor >= first && cursor <= last).length
    if (inside !== events) problem(`${endpoint}: dead letter ${n} says ${events} events and has ${inside}.`)
  }
}
