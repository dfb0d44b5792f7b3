// @ts-check
/** A worker of the embedded database that stops answering once it is asked to close. */
import { parentPort } from 'node:worker_threads'

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort)
const say = port.postMessage.bind(port)
port.postMessage = (message) => {
  if (message.type !== 'closed' && message.type !== 'dumped') say(message)
}
await import('../database/pglite-worker.mjs')
