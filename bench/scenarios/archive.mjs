import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
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
import { libraryOf, product } from '../harness/product.mjs'
import { byTurns, machine, mb, median, ms, quantile, show, whole } from '../harness/results.mjs'

export const title = 'History'
export const about =
  'The cost of making and storing hours of the stream, how fast they are delivered, replayed and filtered, and the effect on live clients.'
export const options = {
  folder: ['', 'keeps the hours that are made, and reuses existing ones: 12 GB'],
  clients: [200, 'live clients'],
}

const WebSocket = libraryOf('apps/gateway', 'ws')
const { HOUR_MS, hourName, parseCursor } = await product('packages/contract/src/index.ts')

export const besideRounds = 5
/** Clients whose frames are timed. */
const TIMED_CLIENTS = 4
const WARM_MS = 3_000
const MEASURED_MS = 15_000
const DOWNLOADS = 10
/** Within the rate of trials. */
const TRIAL_EVERY_MS = 6_500
const SLOT_MS = 400
const SWAPS_PER_SECOND = 1_000
const FILTER = { kind: 'swap', params: { include: { usdValue: 5_000 }, swapType: ['buy'] } }

/** The age of swaps at live clients: of another checkout without hours, of this one also while an hour is made. */
export async function figures({ folder, clients }, checkout) {
  const place = resolve(folder || temporaryFolder())
  const { end } = await makeHours(place)
  const source = `simulator?swaps=${SWAPS_PER_SECOND}${checkout ? '' : '&history=0'}`
  const of = { place, end, clients, checkout, source, archive: 'month' }
  const alone = await withService(of, measureLive)
  const beside = checkout ? alone : await withService(of, measureLive, leaveHour)
  const times = ({ p50Ms, p99Ms }) => ({ p50Ms, p99Ms })
  return { 'live clients': times(alone), 'while an hour is made (in this checkout)': times(beside) }
}

export async function* run({ folder, rounds, clients }) {
  const place = resolve(folder || temporaryFolder())
  const made = await makeHours(place)
  const of = (archive, swaps = 50) => ({
    ...made,
    ...{ place, archive, clients, source: `simulator?swaps=${swaps}&history=0` },
  })
  const served = show('served', await withService(of('month'), measureServed))
  const dayMs = show('a day', await withService(of('day'), (service) => timeTrial(service, 24)))
  const live = await byTurns(['alone', 'beside'], rounds || besideRounds, (name) =>
    withService(of('month', SWAPS_PER_SECOND), measureLive, name === 'beside' ? leaveHour : undefined),
  )
  yield { text: describe({ made, served, dayMs, live, clients, rounds: rounds || besideRounds }) }
}

/** The hours up to `end` (Unix milliseconds), and the cost of making them. */
async function makeHours(place) {
  const file = join(place, 'made.json')
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8'))
  mkdirSync(place, { recursive: true })
  const end = Date.now() - (Date.now() % HOUR_MS)
  const made = show('made', { end, ...(await runAlone('hours', { folder: place, to: end })) })
  writeFileSync(file, JSON.stringify(made))
  return made
}

/** A service on one of the archives, with accounts that its first start makes: one of a month, 20 of the newest hour. */
async function withService({ place, archive, source, end, clients, checkout }, measure, leave) {
  const dataFolder = join(place, `service-${archive}-${clients}${checkout ? '-older' : ''}`)
  const accounts = join(dataFolder, 'accounts.json')
  const kept = { ARCHIVE_URL: join(place, archive, 'archive'), ARCHIVE_RETENTION: '90d 1000GB' }
  const settings = { DATA_DIR: dataFolder, SOLANA_SOURCE: source, CONNECT_RATE_PER_ADDRESS: '100000' }
  const startAgain = () => startService({ ...settings, ...(!checkout && kept) }, checkout)
  if (!existsSync(accounts)) {
    const service = await startAgain()
    const emails = Array.from({ length: clients + TIMED_CLIENTS }, (_, at) => `at${at}@pairwire.example`)
    const keys = createAccounts(dataFolder, emails, checkout)
    const give = (email, offer) =>
      operate(dataFolder, ['order', 'create', email, '--offer', offer, '--to', new Date(end).toISOString()])
    for (const email of archive === 'month' && !checkout ? emails.slice(1, 21) : []) give(email, 'hour')
    writeFileSync(accounts, JSON.stringify({ emails, keys }))
    await service.stop()
  }
  const waiting = leave?.(dataFolder, place, end)
  const service = await startAgain()
  try {
    return await measure({ ...service, ...JSON.parse(readFileSync(accounts, 'utf8')), waiting, end })
  } finally {
    await service.stop()
  }
}

async function measureServed(service) {
  const { url, keys, end } = service
  const month = await openMonth(service)
  const headers = { 'x-api-key': keys[0] }
  const files = Array.from({ length: 720 }, (_, at) => hourName(end - (at + 1) * HOUR_MS))
  const body = JSON.stringify({ files })
  const orderMs = await timesOf(60, () => fetch(`${url}/order/${month.id}`, { headers }))
  const metadataMs = await timesOf(50, () =>
    fetch(`${url}/archive/metadata`, { method: 'POST', headers, body }),
  )
  const begins = []
  for (const at of [1_800, 900, 2_700]) begins.push(await play(service, 1, { at, seconds: 2, speed: 10 }))
  const playAll = (count, { from, ...playback }) =>
    Promise.all([...Array(count).keys()].map((n) => play(service, n + 1, { ...playback, at: from + 4 * n })))
  return {
    ...{ firstByteMs: month.firstByteMs, orderMs, metadataMs },
    firstFrameMs: Math.max(...begins.map(({ firstMs }) => firstMs)),
    fast: worst(await playAll(2, { from: 2, seconds: 200, speed: 10 })),
    slow: worst(await playAll(20, { from: 1_800, seconds: 20, speed: 1 })),
    trialMs: await timeTrial(service, 1),
  }
}

/** Grants the first account a month, and downloads its first byte. */
async function openMonth({ url, dataFolder, emails, keys, end }) {
  const words = ['order', 'create', emails[0], '--offer', 'month', '--to', new Date(end).toISOString()]
  const [{ id }] = operate(dataFolder, words)
  const began = performance.now()
  const order = await (await fetch(`${url}/order/${id}`, { headers: { 'x-api-key': keys[0] } })).json()
  const first = hourName(end - 720 * HOUR_MS)
  const { body } = await fetched(`${url}/archive/download/${first}?token=${order.download_token}`)
  await body.getReader().read()
  return { id, token: order.download_token, firstByteMs: performance.now() - began }
}

async function fetched(url, options) {
  const answer = await fetch(url, options)
  if (!answer.ok) throw new Error(`${url}: ${answer.status} ${await answer.text()}`)
  return answer
}

/** The 95th percentile of a call's time over a hundred calls. */
async function timesOf(count, call) {
  const times = []
  for (let at = 0; at < count; at++) {
    const began = performance.now()
    const answer = await call()
    await answer.text()
    if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`)
    times.push(performance.now() - began)
  }
  return quantile(times, 0.95)
}

/** Plays some seconds of the newest hour for an account. Returns missing and misplaced swaps, and the pace's deviation. */
function play({ url, keys, end }, account, { at, seconds, speed }) {
  const begin = end - HOUR_MS + at * 1_000
  const [from, to] = [begin, begin + seconds * 1_000].map((time) =>
    new Date(time).toISOString().replace('.000', ''),
  )
  const socket = new WebSocket(url.replace('http', 'ws'), { headers: { 'X-API-KEY': keys[account] } })
  const seen = { swaps: 0, misplaced: 0 }
  let [asked, firstAt, lastAt, last] = [0, 0, 0, '']
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('open', () => {
      asked = performance.now()
      socket.send(JSON.stringify({ id: 1, method: 'swapSubscribe', params: { replay: { from, to, speed } } }))
      socket.send('{"method":"startSimulation"}')
    })
    socket.on('message', (data) => {
      const text = String(data)
      const [, cursor] = /"cursor":"([^"]+)"/.exec(text) ?? []
      if (/"error"|"REPLAY_AWAY"/.test(text)) reject(new Error(text))
      if (cursor) {
        lastAt = performance.now()
        firstAt ||= lastAt
        seen.first ??= cursor
        if (cursor <= last) seen.misplaced++
        seen.swaps++
        last = cursor
      } else if (text.includes('REPLAY_ENDED')) {
        const slots = parseCursor(last).slot - parseCursor(seen.first).slot
        const pace = ((lastAt - firstAt) * speed) / (slots * SLOT_MS) - 1
        resolve({ ...seen, pace, firstMs: firstAt - asked, missing: seconds * SWAPS_PER_SECOND - seen.swaps })
      }
    })
  }).finally(() => socket.terminate())
}

/** The faults of several playbacks, and the largest deviation from the pace. */
function worst(plays) {
  const sum = (key) => plays.reduce((total, each) => total + each[key], 0)
  const pace = Math.max(...plays.map((each) => Math.abs(each.pace)))
  return { missing: sum('missing'), misplaced: sum('misplaced'), swaps: sum('swaps'), pace }
}

/** Milliseconds of a trial of a filter over the newest hours, with the child running: the median of three. */
async function timeTrial(service, hours) {
  const times = []
  for (let turn = 0; turn < 4; turn++) {
    const began = performance.now()
    await tryFilter(service, hours)
    times.push(performance.now() - began)
  }
  return median(times.slice(1))
}

async function tryFilter(service, hours) {
  const { url, emails } = service
  const post = async (path, body, headers) => {
    const all = { 'content-type': 'application/json', ...headers }
    return (await fetched(url + path, { method: 'POST', body: JSON.stringify(body), headers: all })).json()
  }
  if (!service.session) {
    await post('/api/login', { email: emails[0] })
    const [{ link }] = await (await fetched(`${url}/dev/mail.json`)).json()
    const email_token = new URL(link).searchParams.get('t')
    service.session = (await post('/api/authenticate', { email_token })).token
  }
  const authorization = `Bearer ${service.session}`
  const tried = await post('/api/filter/try', { ...FILTER, hours }, { authorization })
  if (tried.byHour.length !== hours) throw new Error(`${tried.byHour.length} of ${hours} hours were tried.`)
}

/** Puts an hour where the service finds it at its start, to be made. Returns the path of its manifest once it is. */
function leaveHour(dataFolder, place, end) {
  const hour = hourName(end - (1_000 + randomInt(1_000)) * HOUR_MS)
  const [name] = readdirSync(join(place, 'waiting'))
  const [from, into] = [
    join(place, 'waiting', name),
    join(dataFolder, 'archiver', 'simulator', `000000000-${hour}`),
  ]
  mkdirSync(into, { recursive: true })
  linkSync(join(from, 'events.ndjson'), join(into, 'events.ndjson'))
  const blocks = readFileSync(join(from, 'blocks.ndjson'), 'utf8')
  writeFileSync(join(into, 'blocks.ndjson'), blocks.replace(name.slice(-hour.length), hour))
  return join(place, 'month/archive/simulator', `${hour.slice(0, 4)}-${hour.slice(4, 6)}`, `${hour}.json`)
}

/** The age of swaps when live clients receive them; `waiting` includes the making of that hour, downloads and trials. */
async function measureLive(service) {
  const { url, keys, waiting } = service
  const readers = await start('readers', {}, { isElsewhere: true })
  const port = Number(new URL(url).port)
  for (const key of keys.slice(TIMED_CLIENTS))
    await readers.ask('open', { client: { ...subscriber(port), key } })
  const ages = []
  let isMeasuring = false
  for (const key of keys.slice(0, TIMED_CLIENTS))
    openTimed(url, key, (receivedAt) => isMeasuring && ages.push(Date.now() - receivedAt))
  const stopOthers = waiting && (await beginOthers(service))
  await wait(WARM_MS)
  isMeasuring = true
  await wait(MEASURED_MS)
  isMeasuring = false
  const isMade = waiting && existsSync(waiting)
  const failedTrials = stopOthers?.()
  await readers.stop()
  return { p50Ms: quantile(ages, 0.5), p99Ms: quantile(ages, 0.99), timed: ages.length, isMade, failedTrials }
}

/** Downloads of 10 MB per second each, and trials of a filter as often as an account may. */
async function beginOthers(service) {
  const { token } = await openMonth(service)
  const address = `${service.url}/archive/download/${hourName(service.end - HOUR_MS)}?token=${token}`
  const words = ['--silent', '--fail', '--limit-rate', '10M', '--output', '/dev/null', address]
  const downloads = Array.from({ length: DOWNLOADS }, () => spawn('curl', words))
  const failed = []
  let trying = setTimeout(async function again() {
    await tryFilter(service, 1).catch(({ message }) => failed.push(message))
    trying &&= setTimeout(again, TRIAL_EVERY_MS)
  }, 0)
  return () => {
    clearTimeout(trying)
    trying = undefined
    for (const download of downloads) download.kill()
    return failed.length
  }
}

function describe({ made, served, dayMs, live, clients, rounds }) {
  const cores = (us) => (us * 6_000) / 1e6
  const per = (milliseconds) => (milliseconds * 1_000) / made.swaps
  const [alone, beside] = Object.values(live)
  const p99 = (rows) => median(rows, 'p99Ms')
  const playback = ({ swaps, missing, misplaced, pace }) =>
    `${whole(swaps)} swaps, ${missing} missing, ${misplaced} out of order; at most ${(100 * pace).toFixed(1)} % off its pace`
  return `## ${title}

Hours of ${made.lineBytes.toFixed(0)} bytes a swap as a line, made up: random signatures, 15,000 wallets and 3,000 pools drawn by 1/rank. The scale of the machine is bare deflate of level 1, **${made.deflateUs.toFixed(1)} us a swap** (7.9 where the goals were set). One run. ${machine()}

| what | seen | goal | bound |
|---|---|---|---|
| archiving 6,000 swaps/s, from ${whole(made.swaps)} swaps of one hour: cores, reading and spooling, and making files | ${cores(per(made.followMs + made.makeMs)).toFixed(3)} (${per(made.followMs).toFixed(1)} and ${per(made.makeMs).toFixed(1)} us a swap) | 0.10 | 0.15 |
| the child that makes files: most memory | ${mb(made.mostBytes)} | 400 MB | 512 MB |
| bytes a swap: zip, Parquet | ${(made.zipBytes / made.swaps).toFixed(0)}, ${(made.parquetBytes / made.swaps).toFixed(0)} | 230, 120 | 240, 130 |
| an hour of 1,500 swaps/s, as 1.5 times that of 1,000: zip, Parquet, there after its end | ${mb(1.5 * made.zipBytes)}, ${mb(1.5 * made.parquetBytes)}, ${(1.5 * made.makeSeconds).toFixed(0)} s | 1.2 GB, 0.65 GB, 90 s | 1.3 GB, 0.7 GB, 180 s |
| catching up: events a second | ${whole(made.swaps / made.followSeconds)} | 40,000 | |
| \`GET /order\`, metadata of 720 names: p95 | ${ms(served.orderMs)}, ${ms(served.metadataMs)} | 100 ms | 500 ms |
| first byte of a month, from when it is opened | ${ms(served.firstByteMs)} | 1 s | 2 s |
| playback, 2 at 10 x of 1,000 swaps/s, 200 s near the start of the hour | ${playback(served.fast)} | 2 % | 5 % |
| playback, 20 at 1 x, 20 s each, which begin at once in the middle of the hour | ${playback(served.slow)} | 2 % | 5 % |
| first frame in the middle of an hour of ${whole(made.swaps)} swaps: a quarter, half and three quarters into it, the longest | ${ms(served.firstFrameMs)} | 8 s | 15 s |
| a filter over one hour of ${whole(made.swaps)}, over 24 of 0.5 M | ${ms(served.trialMs)}, ${ms(dayMs)} | 0.5 s, 2 s | 1 s, 4 s |
| live p99 at 1,000 swaps/s to ${whole(clients)} clients: alone; beside an hour of 0.9 M that is made, ${DOWNLOADS} downloads of 10 MB/s and trials (medians of ${rounds}, by turns) | ${ms(p99(alone))}; ${ms(p99(beside))}: ${(p99(beside) / p99(alone)).toFixed(2)} x | 1.2 x | 1.5 x |

What this does not show: a bucket, a network between, orders paid at a provider (the operator gives them), 1,000 live clients. Service, clients, downloads and the child share the machine's two cores. The 24 hours of the day hold the same half million, each in files of its own. The child runs from TypeScript here, whose loader takes some of its memory. What kills at random do to hours stands in decision 0154.`
}
