import { once } from 'node:events'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { createPgliteFolder, WORKER_URL } from '../testing/pglite-folders.ts'
import type { FromWorker, PglitePlace } from './pglite-messages.ts'

const ANSWER_BYTES = 4_000_000
const ANSWERS = 20
/** Less than all answers together, and more than the thread needs. */
const HEAP_MB = 64

it('keeps none of its answers in memory', async () => {
  const { folder, remove } = await createPgliteFolder()
  const place = { cluster: join(folder, 'cluster'), dump: join(folder, 'dump'), restore: false }
  const thread = new Worker(WORKER_URL, {
    workerData: place satisfies PglitePlace,
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
  })
  const answer = async (): Promise<FromWorker> => (await once(thread, 'message'))[0]
  const asked = query(`select repeat('x', 1000) from generate_series(1, ${ANSWER_BYTES / 1_000})`)
  try {
    expect(await answer()).toEqual({ type: 'ready' })
    const lengths: number[] = []
    for (let at = 0; at < ANSWERS; at++) {
      thread.postMessage({ type: 'bytes', connection: 1, bytes: asked })
      const said = await answer()
      lengths.push(said.type === 'bytes' ? said.bytes.length : 0)
    }

    expect(Math.min(...lengths)).toBeGreaterThan(ANSWER_BYTES)
  } finally {
    await thread.terminate()
    remove()
  }
})

it.skipIf(process.platform !== 'linux')('names the fault of a disk that takes no files', async () => {
  const { folder, remove } = await createPgliteFolder()
  // Nothing can be made in this folder of the system.
  const place = { cluster: '/sys/kernel', dump: join(folder, 'dump.tar.gz'), restore: true }
  const thread = new Worker(WORKER_URL, { workerData: place satisfies PglitePlace })
  try {
    const [said] = await once(thread, 'message')

    expect(said).toMatchObject({ type: 'failed', message: expect.stringMatching(/^(EACCES|EPERM|EROFS)$/) })
    expect(said.code).toBe(said.message)
  } finally {
    await thread.terminate()
    remove()
  }
})

/** A simple query in PostgreSQL's protocol. */
function query(sql: string): Uint8Array {
  const text = Buffer.from(`${sql}\0`)
  const message = Buffer.alloc(5 + text.length, 'Q')
  message.writeUInt32BE(4 + text.length, 1)
  text.copy(message, 5)
  return new Uint8Array(message)
}
