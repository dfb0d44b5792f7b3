import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS } from '../limits.ts'
import { openGateway, type TestGateway } from '../testing/test-gateway.ts'
import { createTurnClock } from '../testing/turn-clock.ts'
import { createDrainLimit } from './drain-limit.ts'
import { createLiveness } from './liveness.ts'

/** Lets the turns pass in which sockets are read. */
const turns = async () => {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
}

// After a pause, timers run before sockets are read. Each of these once cut clients that had done nothing wrong.
describe('a pause of the process', () => {
  describe('before the idle close', () => {
    let stream: TestGateway
    beforeEach(async () => {
      stream = await openGateway()
    })
    afterEach(() => stream.close())

    it('reads what a client has sent first: 61 s with an unread request close nothing', async () => {
      const client = await stream.connect()

      client.send({ id: 1, method: 'ping' })
      stream.clock.advance(61_000)

      expect(await client.next()).toMatchObject({ id: 1, result: 'pong' })
      await stream.clock.pass(1_000)
      expect(stream.gateway.stats()).toMatchObject({ connections: 1, ended: {} })
    })

    it('pings a client first that was not pinged during the pause', async () => {
      const { clock, pass } = createTurnClock()
      let pings = 0
      const liveness = createLiveness(
        clock,
        DEFAULT_LIMITS,
        () => pings++,
        () => false,
      )

      pass(61_000)
      expect(liveness.isIdle()).toBe(false)
      liveness.check(0)
      expect(pings).toBe(1)

      pass(DEFAULT_LIMITS.probeMs)
      expect(liveness.isIdle()).toBe(true)
    })
  })

  it.each([
    ['a sign of life that was not yet read', true, false],
    ['a frame that was read and waits for its turn', false, true],
  ])('before the verdict of a probe counts %s', async (_name, comes, isHeld) => {
    const clock = createManualClock()
    const liveness = createLiveness(
      clock,
      DEFAULT_LIMITS,
      () => {},
      () => isHeld,
    )

    const isAlive = liveness.probe()
    clock.advance(DEFAULT_LIMITS.probeMs)
    if (comes) liveness.noteFrame()

    expect(await isAlive).toBe(true)
  })

  it('before it cuts a client that is ending, notices that it reads', async () => {
    const clock = createManualClock()
    let cuts = 0
    const limit = createDrainLimit(clock, DEFAULT_LIMITS, () => cuts++)
    limit.begin()

    clock.advance(DEFAULT_LIMITS.stalledMs)
    limit.extend()
    await turns()
    expect(cuts).toBe(0)

    clock.advance(DEFAULT_LIMITS.stalledMs)
    await turns()
    expect(cuts).toBe(1)
  })
})
