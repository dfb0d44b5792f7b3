// @ts-check
/**
 * The embedded database in its own thread, so that a query never blocks the thread that serves clients.
 *
 * Takes over `parentPort`:
 *   {type: 'bytes', connection, bytes}   frontend messages of PostgreSQL's protocol, answered with the same type
 *   {type: 'gone', connection}           that connection's stream is over
 *   {type: 'dump'}                       answered {type: 'dumped', error?} once a dump has been written, beside all else
 *   {type: 'close'}                      answered {type: 'closed'}; a dump may follow, then the thread is to be ended
 * and says {type: 'ready'} or {type: 'failed', message, code?} after opening.
 *
 * Plain JavaScript, since Node 20 cannot start a TypeScript file as a worker.
 */
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

/** A simple query message `ROLLBACK`; a notice and nothing else when no transaction is open. */
const ROLLBACK = simpleQuery('ROLLBACK')

/**
 * Bounds of the write-ahead log. Small, so that the checkpoints that follow from them are short: the database has no
 * thread of its own for them, and queries wait. Old parts are removed, since a dump would copy them with the rest.
 */
const LOG_BOUNDS = ['-c', 'max_wal_size=64MB', '-c', 'min_wal_size=32MB', '-c', 'wal_recycle=off']

/** @type {PGlite} */
let database
/** The connection whose messages the one session of the database belongs to at present. */
let current = -1
/** Everything runs in the order in which it came. @type {Promise<void>} */
let queue = Promise.resolve()
/** Ends the dump under way. */
let dumping = new AbortController()
/** @type {Promise<void>} */
let dumped = Promise.resolve()

try {
  const loadDataDir = restore ? { loadDataDir: new Blob([await readFile(dump)]) } : {}
  database = await PGlite.create({
    dataDir: cluster,
    startParams: [...PGlite.defaultStartParams, ...LOG_BOUNDS],
    ...loadDataDir,
  })
  port.on('message', (/** @type {ToWorker} */ message) => {
    queue = queue.then(() => handle(message))
  })
  say({ type: 'ready' })
} catch (error) {
  const code = error instanceof Error && 'code' in error ? { code: String(error.code) } : {}
  say({ type: 'failed', message: sentenceOf(error), ...code })
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
      // Not awaited: what comes next does not wait for it.
      dumped = writeDump(dumped)
      return
    case 'close':
      dumping.abort()
      await dumped
      await database.close()
      say({ type: 'closed' })
  }
}

/** The session passes on to a new connection; whatever the last one left open is undone. @param {number} connection */
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
 * What the database answers. PGlite's call that returns it reads it too, and keeps all that it has read for ever.
 * @param {Uint8Array} bytes
 */
async function execute(bytes) {
  /** @type {Uint8Array[]} */
  const parts = []
  // What it hands over lies in its own memory and is overwritten.
  const onRawData = (/** @type {Uint8Array} */ part) => parts.push(part.slice())
  await database.execProtocolRawStream(bytes, { syncToFs: false, onRawData })
  return new Uint8Array(Buffer.concat(parts))
}

/** Writes the whole database to one file, in the place of a dump that is under way. @param {Promise<void>} before */
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
  return error instanceof Error ? error.message : String(error)
}
