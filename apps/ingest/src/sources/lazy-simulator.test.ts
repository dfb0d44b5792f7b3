import { createJumpingClock } from '@pairwire/basics/testing/manual-clock'
import { expect, it, vi } from 'vitest'
import { aRecord } from '../testing/a-record.ts'
import { aFolder } from '../testing/temporary-folder.ts'

const loaded = vi.hoisted(() => ({ writer: false }))
vi.mock('@pairwire/chain-writer', async (load) => {
  loaded.writer = true
  return load()
})

// Guards production: a service on the real chain loads no code that makes up transactions.
it('loads the byte writers with the first block of the simulator, and with no other source', async () => {
  vi.resetModules() // Another file in the same process may have loaded it.
  const { openSource } = await import('../index.ts')
  const options = { clock: createJumpingClock(), nextRun: async () => 1, loopByDefault: false }
  const { signal } = new AbortController()

  const folder = aFolder({ 'a.json': JSON.stringify(aRecord(1)) })
  for await (const _ of openSource(`replay:${folder}`, options).blocks(signal)) break
  const simulator = openSource('simulator', options)
  expect(loaded.writer).toBe(false)

  for await (const block of simulator.blocks(signal)) {
    expect(block).toMatchObject({ transactions: expect.arrayContaining([expect.anything()]) })
    break
  }
  expect(loaded.writer).toBe(true)
})
