// @ts-check
/**
 * The embedded database in a separate thread, so that a query never blocks the thread that serves clients.
 *
 * Handles on `parentPort`:
 *   {type: 'bytes', connection, bytes}   frontend messages of PostgreSQL's protocol, answered with the same type
 *   {type: 'gone', connection}           that connection's stream has ended
 *   {type: 'dump'}                       answered {type: 'dumped', error?} once a dump has been written, while queries continue
 *   {type: 'close'}                      answered {type: 'closed'}; a dump may follow, then the thread should be ended
 * and posts {type: 'ready'} or {type: 'failed', message, code?} after opening.
 *
 * Plain JavaScript, since Node 20 cannot start a TypeScript file as a worker.
 */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'
import { dumpCluster } from './pglite-dump.mjs'

/** @typedef {import('./pglite-messages.ts').ToWorker} ToWorker */
/** @typedef {import('./pglite-messages.ts').FromWorker} FromWorker */

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)
const { cluster, dump, restore } = /** @type {import('./pglite-messages.ts').PglitePlace} */ (workerData)

/** Type byte of the frontend message Terminate. @see https://www.postgresql.org/docs/18/protocol-message-formats.html */
const TERMINATE = 0x58

/** A simple query message `ROLLBACK`; causes only a notice if no transaction is open. */
const ROLLBACK = simpleQuery('ROLLBACK')

/**
 * Bounds of the write-ahead log. Small, so that its checkpoints are short: the database has no separate thread for them, and
 * queries wait. Old segments are removed, since a dump would copy them too.
 */
const LOG_BOUNDS = ['-c', 'max_wal_size=64MB', '-c', 'min_wal_size=32MB', '-c', 'wal_recycle=off']

/** Pages in memory. All are cleared at each start: PostgreSQL's own 128 MB take half a second of a core. */
const BUFFERS = ['-c', 'shared_buffers=16MB']

/** Reads 3,000 rows of a table for its statistics: keys wait for it. */
const STATISTICS = ['-c', 'default_statistics_target=10']

/** Faults of the machine by the numbers that the database's file system throws. @type {Record<number, string>} */
const FAULTS = { 2: 'EACCES', 19: 'EDQUOT', 29: 'EIO', 51: 'ENOSPC', 63: 'EPERM', 69: 'EROFS' }

/** @type {PGlite} */
let database
/** The connection that currently owns the only session of the database. */
let current = -1
/** Runs everything in order of arrival. @type {Promise<void>} */
let queue = Promise.resolve()
/** Cancels the running dump. */
let dumping = new AbortController()
/** @type {Promise<void>} */
let dumped = Promise.resolve()

/** An empty database, made by `scripts/build.mjs`. Without it the database makes itself, in four times the time. */
const EMPTY = new URL('../../dist/empty-cluster.tar.gz', import.meta.url)

try {
  const source = restore ? dump : !existsSync(cluster) && existsSync(EMPTY) && EMPTY
  const loadDataDir = source ? { loadDataDir: new Blob([await readFile(source)]) } : {}
  database = await PGlite.create({
    dataDir: cluster,
    startParams: [...PGlite.defaultStartParams, ...LOG_BOUNDS, ...BUFFERS, ...STATISTICS],
    ...loadDataDir,
  })
  port.on('message', (/** @type {ToWorker} */ message) => {
    queue = queue.then(() => handle(message))
  })
  say({ type: 'ready' })
} catch (error) {
  const code = error instanceof Error && 'code' in error ? String(error.code) : FAULTS[Object(error).errno]
  say({ type: 'failed', message: sentenceOf(error), ...(code && { code }) })
  port.close()
}

/** @param {ToWorker} message */
async function handle(message) {
  switch (message.type) {
    case 'bytes': {
      const { connection, bytes } = message
      if (bytes[0] === TERMINATE) return leave(connection)
      if (connection !== current) await takeOver(connection)
      say({ type: 'bytes', connection, bytes: await execute(bytes) })
      return
    }
    case 'gone':
      return leave(message.connection)
    case 'dump':
      // Not awaited, so that later messages do not wait for it.
      dumped = writeDump(dumped)
      return
    case 'close':
      dumping.abort()
      await dumped
      await database.close()
      say({ type: 'closed' })
  }
}

/** Passes the session to a new connection; rolls back whatever the last one left open. @param {number} connection */
async function takeOver(connection) {
  if (current !== -1) await execute(ROLLBACK)
  current = connection
}

/** @param {number} connection */
async function leave(connection) {
  if (connection !== current) return
  current = -1
  await execute(ROLLBACK)
}

/**
 * The database's answer. PGlite's own call parses the answer as well, and keeps everything parsed for ever.
 * @param {Uint8Array} bytes
 */
async function execute(bytes) {
  /** @type {Uint8Array[]} */
  const parts = []
  // The part lies in the database's memory and is overwritten later.
  const onRawData = (/** @type {Uint8Array} */ part) => parts.push(part.slice())
  await database.execProtocolRawStream(bytes, { syncToFs: false, onRawData })
  return new Uint8Array(Buffer.concat(parts))
}

/** Writes the whole database to one file, cancelling a running dump. @param {Promise<void>} before */
async function writeDump(before) {
  dumping.abort()
  await before
  dumping = new AbortController()
  try {
    await dumpCluster(cluster, dump, { signal: dumping.signal })
    say({ type: 'dumped' })
  } catch (error) {
    say({ type: 'dumped', error: sentenceOf(error) })
  }
}

/** @param {string} sql @returns {Uint8Array} */
function simpleQuery(sql) {
  const text = Buffer.from(`${sql}\0`)
  const message = Buffer.alloc(5 + text.length)
  message.write('Q')
  message.writeUInt32BE(4 + text.length, 1)
  text.copy(message, 5)
  return new Uint8Array(message)
}

/** @param {FromWorker} message */
function say(message) {
  port.postMessage(message)
}

/** @param {unknown} error @returns {string} */
function sentenceOf(error) {
  return error instanceof Error ? error.message : (FAULTS[Object(error).errno] ?? String(error))
}
