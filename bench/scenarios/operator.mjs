import { execFileSync } from 'node:child_process'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import {
  createAccounts,
  openTimed,
  operate,
  runAlone,
  start,
  startService,
  subscriber,
  temporaryFolder,
} from '../harness/processes.mjs'
import { libraryOf, pathOf, product } from '../harness/product.mjs'
import { byTurns, machine, median, ms, quantile, show, whole } from '../harness/results.mjs'

export const title = "The operator's room"
export const about =
  'Lists, searches, a person and money on PostgreSQL and on the embedded database; what keys and the loop wait for behind them; backups beside COPY; live clients beside an open room.'
export const options = {
  clients: [1_000, 'live clients'],
  people: [100_000, 'accounts of PostgreSQL, with three payments and ten connections for each'],
  live: [false, 'measures only the live clients'],
}

const WebSocket = libraryOf('apps/gateway', 'ws')
const { Client } = libraryOf('packages/accounts', 'pg')
const { createPostgresDatabase, startPostgres } = await product(
  'packages/accounts/src/testing/postgres-server.ts',
)
const { codeOf, STEP_MS } = await product('packages/accounts/src/testing/authenticator.ts')

const sizesOf = (people) => ({ people, reports: 3 * people, connections: 10 * people })
/** The embedded database has this part of it. */
const EMBEDDED_PART = 10
const CALLS = 40
const KEY_EVERY_MS = 25
const REFRESH_MS = 5_000
/** As the room says of what nobody's press has led to. */
const REFRESHING = { 'pairwire-refresh': '1' }
const REFRESHED = ['overview/show', 'connections/list', 'stream/show']
/** Connections of one account: within the rate at which a key may connect. */
const CLIENTS_EACH = 10
const MEASURED_MS = 30_000
const WARM_MS = 4_000
const LIVE_TURNS = 5

/** What is asked, as the room does, and the bound of its p95 in milliseconds. */
const ASKED = {
  'people, the last seen first': ['account/list', () => ({}), 150],
  'people by faults': ['account/list', () => ({ sort: 'faults' }), 150],
  'people who have paid': ['account/list', () => ({ state: 'active' }), 150],
  'a search by a part of the email': ['account/list', (n) => ({ search: `son${n * 271}@` }), 150],
  'a search by a key': ['account/list', (_, { keys }) => ({ search: keys[0] }), 150],
  'a person': ['account/show', (n, { emails }) => ({ who: emails[n % emails.length] }), 150],
  'money of 12 months': ['money/show', () => ({}), 1_000],
  'the service at a glance': ['overview/show', () => ({}), 1_500],
}

export async function* run({ rounds, clients, people, live: isLiveAlone }) {
  if (!isLiveAlone) yield { text: await measureStores(people) }
  const measure = (name) => measureLive(clients, name === 'beside')
  const live = await byTurns(['alone', 'beside'], rounds || LIVE_TURNS, measure)
  yield { name: 'operator-live', text: describeLive(live, clients) }
}

/** What is asked of both databases, and the backup. */
async function measureStores(people) {
  const postgres = await startPostgres()
  try {
    const { url } = await createPostgresDatabase(postgres.adminUrl)
    const kept = temporaryFolder()
    const many = await measureRoom({ place: { url }, dataFolder: kept, ...sizesOf(people) })
    const folder = temporaryFolder()
    const place = { folder: join(folder, 'database') }
    const embedded = await measureRoom({ place, dataFolder: folder, ...sizesOf(people / EMBEDDED_PART) })
    return describe({ many, embedded, copied: await measureBackup(url, kept), people })
  } finally {
    await postgres.stop()
  }
}

/** Each call, one after the other, while keys are looked up evenly and the loop is watched. */
async function measureRoom({ place, dataFolder, ...sizes }) {
  const figuresFile = join(temporaryFolder(), 'figures.ndjson')
  const begin = () =>
    startService({
      DATA_DIR: dataFolder,
      ...(place.url && { DATABASE_URL: place.url }),
      SOAK_FIGURES: figuresFile,
      CONNECT_RATE_PER_ADDRESS: '100000',
      NODE_OPTIONS: `--import ${new URL('../processes/watched.mjs', import.meta.url).href}`,
    })
  const emails = Array.from({ length: 20 }, (_, at) => `bench${at}@pairwire.example`)
  // The accounts with real keys come first: a start tries one of the keys.
  const first = await begin()
  const keys = createAccounts(dataFolder, emails)
  await first.stop()
  await runAlone('fill-people', { place, dataFolder, ...sizes })
  const service = await begin()
  try {
    const room = await signIn(service)
    const rows = {}
    // The first reading of everything, and the sums that are read in the background, are not measured.
    for (const [path, input] of Object.values(ASKED)) await room.ask(path, input(0, { emails, keys }))
    await wait(WARM_MS)
    for (const [name, [path, input]] of Object.entries(ASKED)) {
      await wait(1_100)
      process.kill(service.pid, 'SIGUSR2')
      const watch = watchKeys(service, keys)
      const times = []
      for (let at = 0; at < CALLS; at++) times.push(await room.time(path, input(at, { emails, keys })))
      const keyMs = await watch.stop()
      await wait(1_100)
      const { longestMs } = JSON.parse(readFileSync(figuresFile, 'utf8').trim().split('\n').at(-1))
      rows[name] = show(name, { p50Ms: quantile(times, 0.5), p95Ms: quantile(times, 0.95), keyMs, longestMs })
    }
    return rows
  } finally {
    await service.stop()
  }
}

/** Looks a key up every so often, by a connection that it opens, and returns the longest time of it. */
function watchKeys({ url }, keys) {
  const times = []
  const waiting = new Set()
  let next = 0
  const timer = setInterval(() => {
    const began = performance.now()
    const socket = new WebSocket(url.replace('http', 'ws'), {
      headers: { 'X-API-KEY': keys[next++ % keys.length] },
    })
    const opened = new Promise((resolve) => {
      for (const event of ['open', 'error']) socket.once(event, resolve)
    }).then(() => {
      times.push(performance.now() - began)
      socket.terminate()
      waiting.delete(opened)
    })
    waiting.add(opened)
  }, KEY_EVERY_MS)
  return {
    async stop() {
      clearInterval(timer)
      await Promise.all(waiting)
      return quantile(times, 1)
    },
  }
}

/** A session of the room, by a link and a code of an operator who is made for it. */
async function signIn({ url, dataFolder }) {
  const [{ secret, link }] = operate(dataFolder, ['operator', 'add', `op${Date.now()}@pairwire.example`])
  const headers = { 'content-type': 'application/json', origin: url }
  const post = async (path, body, own) => {
    const request = { method: 'POST', headers: { ...headers, ...own }, body: JSON.stringify(body) }
    const answer = await fetch(`${url}/api/operator/${path}`, request)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`)
    return answer
  }
  const code = codeOf(secret, Math.floor(Date.now() / STEP_MS))
  const opened = await post('session/open', { t: new URL(link).searchParams.get('t'), code })
  headers.cookie = opened.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
  return {
    ask: post,
    async time(path, input) {
      const began = performance.now()
      await post(path, input)
      return performance.now() - began
    },
  }
}

/** A backup of PostgreSQL by the tool, its check, and a COPY of the same tables to files. */
async function measureBackup(url, dataFolder) {
  const folder = temporaryFolder()
  const file = join(folder, 'one.zip')
  const tool = (...words) => {
    const began = performance.now()
    execFileSync(process.execPath, [pathOf('bin/pairwire.js'), ...words], {
      env: { ...process.env, DATA_DIR: dataFolder, DATABASE_URL: url },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    return performance.now() - began
  }
  const client = new Client({ connectionString: url })
  await client.connect()
  const { rows: tables } = await client.query("select tablename from pg_tables where schemaname = 'public'")
  const began = performance.now()
  for (const { tablename } of tables) await client.query(`copy "${tablename}" to program 'cat > /dev/null'`)
  const copyMs = performance.now() - began
  await client.end()
  const backupMs = tool('backup', file)
  return show('backup', {
    copyMs,
    backupMs,
    checkMs: tool('restore', file, '--check'),
    bytes: statSync(file).size,
  })
}

/** The age of swaps at live clients, with or without a room that refreshes. */
async function measureLive(clients, isRoomOpen) {
  const dataFolder = temporaryFolder()
  const service = await startService({
    DATA_DIR: dataFolder,
    SOLANA_SOURCE: 'simulator?swaps=1000&history=0',
    CONNECT_RATE_PER_ADDRESS: '100000',
  })
  const readers = await start('readers', {}, { isElsewhere: true })
  const ages = []
  try {
    const emails = Array.from({ length: clients / CLIENTS_EACH + 1 }, (_, at) => `live${at}@pairwire.example`)
    const keys = createAccounts(dataFolder, emails)
    const room = await signIn(service)
    for (const who of emails) await room.ask('account/plan', { who, plan: 'pro', connections: CLIENTS_EACH })
    const port = Number(new URL(service.url).port)
    const [key, ...others] = keys
    for (const other of others)
      await readers.ask('open', { count: CLIENTS_EACH, client: { ...subscriber(port), key: other } })
    openTimed(service.url, key, (receivedAt) => ages.push(Date.now() - receivedAt))
    const pageNow = () => REFRESHED[Math.floor(performance.now() / REFRESH_MS) % REFRESHED.length]
    const refresh = () => room.ask(pageNow(), {}, REFRESHING).catch(({ message }) => console.error(message))
    const refreshing = isRoomOpen && setInterval(refresh, REFRESH_MS)
    await wait(WARM_MS)
    ages.length = 0
    await wait(MEASURED_MS)
    clearInterval(refreshing)
    return { p50Ms: quantile(ages, 0.5), p99Ms: quantile(ages, 0.99), timed: ages.length }
  } finally {
    await readers.stop()
    await service.stop()
  }
}

function describe({ many, embedded, copied, people }) {
  const row = ([name, [, , bound]]) => {
    const cells = [many[name], embedded[name]].map(
      ({ p50Ms, p95Ms, keyMs, longestMs }) => `${ms(p50Ms)}, ${ms(p95Ms)} | ${ms(longestMs)}, ${ms(keyMs)}`,
    )
    return `| ${name} | ${cells.join(' | ')} | ${bound} ms |`
  }
  const { reports, connections } = sizesOf(people)
  return `## ${title}

PostgreSQL with ${whole(people)} accounts, ${whole(reports)} billing reports and ${whole(connections)} notes of connections, and the embedded database with a tenth of all that, beneath the whole service in one process. Each is asked ${CALLS} times as the room asks, one call after the other; meanwhile a connection is opened every ${KEY_EVERY_MS} ms. Bounds: no stretch of the loop over 20 ms, no key over 100 ms.
${machine()}

| asked | PostgreSQL: p50, p95 | longest stretch of the loop, longest wait of a key | embedded: p50, p95 | longest stretch, longest wait | bound of p95 |
|---|---|---|---|---|---|
${Object.entries(ASKED).map(row).join('\n')}

A backup of that PostgreSQL takes ${(copied.backupMs / 1_000).toFixed(1)} s, **${(copied.backupMs / copied.copyMs).toFixed(1)} times** the ${(copied.copyMs / 1_000).toFixed(1)} s of a plain \`COPY\` of the same tables (bound: 5); \`restore --check\` ${(copied.checkMs / 1_000).toFixed(1)} s, **${(copied.checkMs / copied.backupMs).toFixed(1)} times** the backup (bound: 3). The file has ${whole(copied.bytes / 1e6)} MB.

What this does not show: a database on another machine, several processes, a browser that draws the room. The longest stretch includes everything else that the service does on the shared cores, and a key's wait its connection; both take the longest of a run.`
}

function describeLive(live, clients) {
  const [alone, beside] = Object.values(live).map((rows) => median(rows, 'p99Ms'))
  return `## Live clients beside the operator’s room

1,000 swaps/s to ${whole(clients)} clients: p99 ${ms(alone)} alone, ${ms(beside)} with a room open whose reader goes from page to page, each refreshed after ${REFRESH_MS / 1_000} s: **${(beside / alone).toFixed(2)} times** (bound: 1.1; medians of ${live.alone.length}, by turns). ${machine()}`
}
