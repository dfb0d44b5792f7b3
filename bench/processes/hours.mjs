// Hours of history, made as by the service: an archiver follows a bus that keeps events on disk. Leaves two archives in
// `folder`, `month` (719 small hours, the newest with 1,000 swaps/s) and `day` (24 hours of 0.5 M), and the spool of an hour
// that was not made into files yet.
import { randomBytes, randomInt } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { log } from '../harness/gateway.mjs'
import { processorMs } from '../harness/processes.mjs'
import { product } from '../harness/product.mjs'
import { args, serve } from '../harness/serve.mjs'

const { encodeBase58, formatCursor, HOUR_MS, hourName, LAST_PLACE, paramsText, WRAPPED_SOL } = await product(
  'packages/contract/src/index.ts',
)
const { createInProcessBus, openEventStore } = await product('packages/bus/src/index.ts')
const { createArchive, openFolderStorage } = await product('packages/archive/src/index.ts')
const { systemClock } = await product('packages/basics/src/clock.ts')
const { Archiver, createEngine, Spooler } = await product('apps/archiver/src/index.ts')
const { forkScript } = await product('apps/archiver/src/engine/fork-script.ts')

const { folder, to } = args
const source = 'simulator'
const SLOT_MS = 400
const SLOTS = HOUR_MS / SLOT_MS
/** Swaps per slot: 1,000 per second, 0.5 M per hour, and small hours that only need to exist. */
const PER_SLOT = { full: 400, half: 56, small: 0.1, waiting: 100 }

const ALPHABET = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'
const accounts = (count) =>
  Array.from({ length: count }, () => encodeBase58(randomBytes(32)).padStart(44, '1'))
const [wallets, pools, mints] = [accounts(15_000), accounts(3_000), accounts(3_000)]
/** The first of a list much more often than the last: by 1/rank. */
const byRank = (list) => Math.floor(list.length ** Math.random()) - 1

/** The blocks of an hour plus one, starting two before it, each with the hash of the one before. */
function* blocksOf(hour, perSlot) {
  for (let at = -2, parent = accounts(1)[0]; at <= SLOTS; at++) {
    const [count, hash] = [Math.floor((at + 1) * perSlot) - Math.floor(at * perSlot), accounts(1)[0]]
    yield blockOf(hour, at, at < 0 || at === SLOTS ? 1 : count, { blockhash: hash, parentBlockhash: parent })
    parent = hash
  }
}

function blockOf(hour, at, swaps, hashes) {
  const slot = 400_000_003 + at
  const receivedAt = hour + at * SLOT_MS + (at < 0 ? 0 : 300)
  const blockTime = Math.floor((hour + at * SLOT_MS) / 1000)
  const events = Array.from({ length: swaps }, (_, transactionIndex) => ({
    kind: 'swap',
    cursor: formatCursor({ run: 0, slot, transactionIndex, eventIndex: 0 }),
    params: { slot, signature: aSignature(), blockTime, swap: aSwap() },
    receivedAt,
  }))
  const cursor = formatCursor({ run: 0, slot, ...LAST_PLACE })
  return [
    ...events,
    { kind: 'latestBlock', cursor, params: { block: slot, blockTime }, receivedAt, ...hashes },
  ]
}

function aSignature() {
  let text = ''
  for (const byte of randomBytes(88)) text += ALPHABET[byte % ALPHABET.length]
  return text
}

function aSwap() {
  const pool = byRank(pools)
  return {
    ...{ sourceExchange: 'raydium_launchlab', ammAccount: pools[pool] },
    ...{ baseTokenMint: mints[pool], quoteTokenMint: WRAPPED_SOL, walletAccount: wallets[byRank(wallets)] },
    ...{
      quotePrice: `0.00000${randomInt(1e9, 1e10)}${randomInt(1e10, 1e11)}`,
      usdValue: randomInt(1e6) / 100,
    },
    ...{ baseAmount: String(randomInt(1e14)), quoteAmount: String(randomInt(1e11)) },
    ...{ swapType: randomInt(2) ? 'buy' : 'sell', quoteTokenLiquidity: String(randomInt(1e12)) },
  }
}

/** Has an hour archived from a bus that kept it, and returns the cost. */
async function archiveHour(name, hour, perSlot) {
  const root = join(folder, name)
  const retention = { milliseconds: 24 * HOUR_MS, bytes: 1e10 }
  const store = await openEventStore({ folder: join(root, 'stream'), source, retention, now: Date.now, log })
  const bus = createInProcessBus({ maxBytes: 16 * 1024 * 1024, store })
  let last
  for (const block of blocksOf(hour, perSlot)) {
    if (last) await bus.publish(last)
    // The bus drops what the disk does not write in time.
    if (block.at(-1).params.block % 8 === 0) await store.settled()
    last = block
  }
  let child
  await store.settled()
  const engine = createEngine(systemClock, () => {
    child = forkScript()
    return child
  })
  const archive = createArchive(await openFolderStorage(join(root, 'archive')), systemClock)
  let published
  const done = new Promise((resolve) => {
    published = resolve
  })
  const archiver = new Archiver({
    ...{ bus, archive, source, folder: join(root, 'archiver'), clock: systemClock, log, engine },
    freeBytes: () => undefined,
    published: async (manifest) => manifest.hour === hourName(hour) && published(manifest),
  })
  const [cpu, began] = [process.cpuUsage(), performance.now()]
  archiver.start()
  await archiver.settled()
  const { user, system } = process.cpuUsage(cpu)
  const endedAt = performance.now()
  const followSeconds = (endedAt - began) / 1000
  await bus.publish(last)
  const manifest = await done
  const figures = {
    ...{ manifest, followSeconds, followMs: (user + system) / 1000, makeMs: processorMs(child.pid) },
    makeSeconds: (performance.now() - endedAt) / 1000,
    mostBytes: Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'latin1'))[1]) * 1024,
  }
  await archiver.stop()
  await bus.close()
  return figures
}

/** Copies the files of an hour into an archive as many hours, from `first` back in time. */
function copyHour(manifest, from, into, first, count) {
  const pathOf = (root, { hour }, name) =>
    join(root, 'archive', source, `${hour.slice(0, 4)}-${hour.slice(4, 6)}`, name)
  for (let at = 0; at < count; at++) {
    const begin = first - at * HOUR_MS
    const hour = hourName(begin)
    const files = manifest.files.map((file) => ({ ...file, name: `${hour}${file.name.slice(hour.length)}` }))
    const [own, end] = [begin, begin + HOUR_MS].map((time) => `${new Date(time).toISOString().slice(0, 19)}Z`)
    const copy = { ...manifest, hour, from: own, to: end, files }
    mkdirSync(pathOf(into, copy, ''), { recursive: true })
    for (const [number, { name }] of files.entries()) {
      copyFileSync(pathOf(from, manifest, manifest.files[number].name), pathOf(into, copy, name))
    }
    writeFileSync(pathOf(into, copy, `${hour}.json`), JSON.stringify(copy))
  }
}

/** Microseconds of bare deflate per swap, and the bytes of one as a line. */
function measureDeflate() {
  const events = [...Array(250)].flatMap((_, at) => blockOf(to, at, PER_SLOT.full, {}).slice(0, -1))
  const line = (event) =>
    `${paramsText(event).slice(0, -1)},"cursor":"${event.cursor}","receivedAt":${event.receivedAt}}\n`
  const text = Buffer.from(events.map(line).join(''))
  const before = process.cpuUsage()
  deflateRawSync(text, { level: 1 })
  const { user, system } = process.cpuUsage(before)
  return { deflateUs: (user + system) / events.length, lineBytes: text.length / events.length }
}

/** The spool of an hour before all others, which an archiver finds at its start. */
async function leaveSpool() {
  const spooler = new Spooler({ folder: join(folder, 'waiting'), source, made: 'stream', ended() {} })
  await spooler.open()
  const blocks = [...blocksOf(to - 1_000 * HOUR_MS, PER_SLOT.waiting)]
  for (const block of blocks.slice(2, -1)) await spooler.append(block)
  await spooler.close()
}

const scale = measureDeflate()
const { manifest, ...full } = await archiveHour('month', to - HOUR_MS, PER_SLOT.full)
const half = await archiveHour('day', to - HOUR_MS, PER_SLOT.half)
copyHour(half.manifest, join(folder, 'day'), join(folder, 'day'), to - 2 * HOUR_MS, 23)
const small = await archiveHour('small', to - HOUR_MS, PER_SLOT.small)
copyHour(small.manifest, join(folder, 'small'), join(folder, 'month'), to - 2 * HOUR_MS, 719)
await leaveSpool()
const bytesOf = (at) => manifest.files[at].bytes
serve({
  ...{ ...scale, ...full, swaps: manifest.counts.swaps, zipBytes: bytesOf(0) },
  parquetBytes: bytesOf(1) + bytesOf(2) + bytesOf(3),
})
