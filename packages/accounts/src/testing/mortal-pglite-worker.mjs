// @ts-check
/** The worker of the embedded database, which dies in the middle of a query that says "die". */
import { parentPort } from 'node:worker_threads'
import '../database/pglite-worker.mjs'

parentPort?.on('message', (/** @type {import('../database/pglite-messages.ts').ToWorker} */ message) => {
  if (message.type === 'bytes' && Buffer.from(message.bytes).includes('die')) process.exit(3)
})
