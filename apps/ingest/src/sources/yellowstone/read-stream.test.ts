import { createJumpingClock } from '@pairwire/basics/testing/manual-clock'
import { createChain, GRPC_STATUS, serveYellowstone } from '@pairwire/chain-double'
import { expect, it, onTestFinished } from 'vitest'
import { eventually, someTransactions, WANTED } from '../../testing/live-chain.ts'
import { readStream } from './read-stream.ts'

/** Reads a burst of 50 transactions, and counts those in each turn of the event loop. `push` takes each of them. */
async function readBurst(push: () => void): Promise<readonly number[]> {
  const chain = createChain({ firstSlot: 1_000 })
  const server = await serveYellowstone({ chain })
  const abort = new AbortController()
  let milliseconds = 0
  const turns = [0]
  const beginTurn = () => {
    turns.push(0)
    if (!abort.signal.aborted) setImmediate(beginTurn)
  }
  setImmediate(beginTurn)
  const reading = readStream(
    {
      ...{ url: new URL(server.url.replace('yellowstone+', '')), token: undefined, programs: [WANTED] },
      // A hastened clock: each message takes a millisecond of it.
      clock: { ...createJumpingClock(), elapsed: () => milliseconds++ },
    },
    {
      whereFrom: () => undefined,
      push: (update) => {
        if (update.kind !== 'transaction') return true
        turns[turns.length - 1]!++
        push()
        return true
      },
      drained: async () => {},
      report: () => {},
      signal: abort.signal,
    },
  )
  onTestFinished(async () => {
    abort.abort()
    await reading
    await server.close()
  })
  await eventually(() => server.streams() > 0)

  chain.add(someTransactions('burst', 50))
  await eventually(() => turns.reduce((sum, count) => sum + count) === 50)
  return turns
}

// Guards the sockets of the same process: a slot's transactions come in one burst.
it('yields the thread to others after a millisecond, and continues in the next turn', async () => {
  const turns = await readBurst(() => {
    const until = performance.now() + 1
    while (performance.now() < until);
  })

  expect(Math.max(...turns)).toBeLessThanOrEqual(2)
})

it('reads as much in a turn under a hastened clock', async () => {
  expect(Math.max(...(await readBurst(() => {})))).toBeGreaterThan(5)
})

// Guards the slots of the next connection: late messages would be mistaken for parts of them.
it('passes on nothing of a broken stream', async () => {
  const chain = createChain({ firstSlot: 1_000 })
  const server = await serveYellowstone({ chain })
  onTestFinished(server.close)
  let milliseconds = 0
  let pushed = 0
  let drained = () => {}
  const reading = readStream(
    {
      ...{ url: new URL(server.url.replace('yellowstone+', '')), token: undefined, programs: [WANTED] },
      clock: { ...createJumpingClock(), elapsed: () => milliseconds++ },
    },
    {
      whereFrom: () => undefined,
      // Full after ten, so that the rest of the burst waits in the stream.
      push: () => ++pushed < 10,
      drained: () =>
        new Promise((resolve) => {
          drained = resolve
        }),
      report: () => {},
      signal: new AbortController().signal,
    },
  )
  await eventually(() => server.streams() > 0)
  chain.add(someTransactions('burst', 50))
  await eventually(() => pushed === 10)
  server.endStreams(GRPC_STATUS.internal, 'the double ended it')
  server.drop()

  await expect(reading).rejects.toThrow()
  drained()
  for (let turn = 0; turn < 50; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(pushed).toBe(10)
})
