// @ts-check
/**
 * The embedded database in its own thread, so that a query never blocks the thread that serves clients.
 *
 * Takes over `parentPort`:
 *   {type: 'bytes', connection, bytes}   frontend messages of PostgreSQL's protocol, answered with the same type
 *   {type: 'gone', connection}           that connection's stream is over
 *   {type: 'dump'}                       answered {type: 'dumped', error?} once a dump has been written
 *   {type: 'close'}                      answered {type: 'closed'}; the thread ends by itself
 * and says {type: 'ready'} or {type: 'failed', message, code?} after opening.
 *
 * Plain JavaScript, since Node 20 cannot start a TypeScript file as a worker.
 */
import { open, readFile, rename } from 'node:fs/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { PGlite } from '@electric-sql/pglite'

/** @typedef {import('./pglite-messages.ts').ToWorker} ToWorker */
/** @typedef {import('./pglite-messages.ts').FromWorker} FromWorker */

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)
const { cluster, dump, restore } = /** @type {import('./pglite-messages.ts').PglitePlace} */ (workerData)

/** Type byte of the frontend message Terminate. @see https://www.postgresql.org/docs/18/protocol-message-formats.html */
const TERMINATE = 0x58

/** A simple query message `ROLLBACK`; a notice and nothing else when no transaction is open. */
const ROLLBACK = simpleQuery('ROLLBACK')

/** @type {PGlite} */
let database
/** The connection whose messages the one session of the database belongs to at present. */
let current = -1
/** Everything runs in the order in which it came. @type {Promise<void>} */
let queue = Promise.resolve()

try {
  const loadDataDir = restore ? { loadDataDir: new Blob([await readFile(dump)]) } : {}
  database = await PGlite.create({ dataDir: cluster, ...loadDataDir })
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
      say({ type: 'bytes', connection, bytes: await database.execProtocolRaw(bytes, { syncToFs: false }) })
      return
    }
    case 'gone':
      return leave(message.connection)
    case 'dump':
      try {
        await writeDump()
        say({ type: 'dumped' })
      } catch (error) {
        say({ type: 'dumped', error: sentenceOf(error) })
      }
      return
    case 'close':
      await database.close()
      say({ type: 'closed' })
      port.close()
  }
}

/** The session passes on to a new connection; whatever the last one left open is undone. @param {number} connection */
async function takeOver(connection) {
  if (current !== -1) await database.execProtocolRaw(ROLLBACK, { syncToFs: false })
  current = connection
}

/** @param {number} connection */
async function leave(connection) {
  if (connection !== current) return
  current = -1
  await database.execProtocolRaw(ROLLBACK, { syncToFs: false })
}

/** Writes the whole database to one file, which is complete or not there at all. */
async function writeDump() {
  const blob = await database.dumpDataDir('gzip')
  const file = await open(`${dump}.part`, 'w', 0o600)
  try {
    await file.writeFile(Buffer.from(await blob.arrayBuffer()))
    await file.datasync()
  } finally {
    await file.close()
  }
  await rename(`${dump}.part`, dump)
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
