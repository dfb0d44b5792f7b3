// @ts-check
/** A worker of the embedded database that dies in the middle of a query that contains "die". */
import { parentPort } from 'node:worker_threads'
import '../database/pglite-worker.mjs'

parentPort?.on('message', (/** @type {import('../database/pglite-messages.ts').ToWorker} */ message) => {
  if (message.type === 'bytes' && Buffer.from(message.bytes).includes('die')) process.exit(3)
})
