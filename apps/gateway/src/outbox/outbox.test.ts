import { Duplex } from 'node:stream'
import { inCi } from '@pairwire/basics/testing/in-ci'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { Frames } from '../protocol/frames.ts'
import { Outbox } from './outbox.ts'
import { OutboxBudget } from './outbox-budget.ts'

const PING = Buffer.of(0x89, 0)

/** A socket whose system takes bytes only when the test lets it. */
function aSocket() {
  const taken: Buffer[] = []
  let isOpen = true
  let waiting: { chunk: Buffer; done: () => void } | undefined
  const socket = new Duplex({
    read() {},
    write(chunk, _encoding, done) {
      if (isOpen) {
        taken.push(Buffer.from(chunk))
        done()
      } else waiting = { chunk, done }
    },
  })
  const settled = () => new Promise((resolve) => setImmediate(resolve))

  return {
    socket,
    taken: () => Buffer.concat(taken),
    stop: () => {
      isOpen = false
    },
    /** Takes what is waiting, and with `all` everything that follows. */
    async go(all = true) {
      isOpen = all
      const { chunk, done } = waiting ?? { chunk: Buffer.alloc(0), done: () => {} }
      waiting = undefined
      taken.push(Buffer.from(chunk))
      done()
      await settled()
    },
  }
}

function anOutbox({ budget = new OutboxBudget(1e9), maxBytes = 1e9 } = {}) {
  const system = aSocket()
  const ws = { readyState: WebSocket.OPEN as number }
  const calls = { moved: 0, overBudget: 0, cut: 0 }
  const outbox = new Outbox({
    line: { isOpen: () => ws.readyState === WebSocket.OPEN },
    socket: system.socket,
    ping: PING,
    budget,
    owner: {
      moved: () => calls.moved++,
      overBudget: () => {
        calls.overBudget++
        outbox.giveUp()
      },
      terminate: () => calls.cut++,
    },
    clock: createManualClock(),
    maxBytes,
  })
  return { outbox, ws, budget, calls, ...system }
}

const bytes = (length: number, fill = 1) => Buffer.alloc(length, fill)
const frames = (length: number, fill = 1) => new Frames(bytes(length, fill))
const withoutPings = (buffer: Buffer) => Buffer.from([...buffer].filter((byte) => !PING.includes(byte)))

describe('outbox', () => {
  it('sends everything once and in order, whenever the system takes it, and holds nothing at the end', async () => {
    const step = fc.oneof(
      fc.record({ write: fc.integer({ min: 1, max: 40_000 }), isShared: fc.boolean() }),
      fc.constantFrom('stop' as const, 'one' as const, 'all' as const),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { outbox, budget, stop, go, taken } = anOutbox()
        const wanted: Buffer[] = []

        for (const [at, step] of steps.entries()) {
          if (step === 'stop') stop()
          else if (step === 'one') await go(false)
          else if (step === 'all') await go()
          else {
            const sent = bytes(step.write, 1 + (at % 100))
            const written = new Frames(Buffer.from(sent), step.isShared)
            expect(outbox.write(written)).toBe(true)
            // Bytes that are neither shared nor held belong to the writer again, who may put other ids in.
            if (!written.isShared && written.holders === 0) written.bytes.fill(0xff)
            wanted.push(sent)
          }
        }
        await go()

        expect(withoutPings(taken()).equals(Buffer.concat(wanted))).toBe(true)
        expect([outbox.queuedBytes(), budget.bytes]).toEqual([0, 0])
      }),
      { numRuns: inCi(100, 30) },
    )
  })

  it('copies frames that are not shared, so that their writer may reuse the bytes', async () => {
    const { outbox, stop, go, taken } = anOutbox()
    stop()
    const first = frames(10, 1)
    outbox.write(first)
    const again = frames(10, 2)
    outbox.write(again)

    expect([first.holders, again.holders]).toEqual([1, 0])
    again.bytes.fill(3)
    await go()

    expect(withoutPings(taken())).toEqual(Buffer.concat([bytes(10, 1), bytes(10, 2)]))
  })

  it('refuses frames when too much is unread, and all frames once it has finished', async () => {
    const { outbox, stop, go, taken, ws } = anOutbox({ maxBytes: 100 })
    stop()

    expect([60, 60, 1].map((length) => outbox.write(frames(length)))).toEqual([true, true, false])
    let isTaken = false
    outbox.finish(
      () => bytes(5, 5),
      () => {
        isTaken = true
      },
    )
    expect(outbox.write(frames(1))).toBe(false)
    expect(isTaken).toBe(false)
    await go()

    expect(isTaken).toBe(true)
    expect(withoutPings(taken())).toEqual(Buffer.concat([bytes(120), bytes(5, 5)]))
    ws.readyState = WebSocket.CLOSING
    outbox.writeAnyhow(bytes(1))
    expect(withoutPings(taken())).toHaveLength(125)
  })

  it('drops its queue between two frames, and still sends the last ones', async () => {
    const { outbox, stop, go, taken, budget } = anOutbox()
    stop()
    outbox.write(frames(10, 1))
    outbox.write(frames(200_000, 2))
    outbox.finish(
      () => bytes(5, 5),
      () => {},
    )

    outbox.giveUp()
    await go()

    expect(withoutPings(taken())).toEqual(Buffer.concat([bytes(10, 1), bytes(5, 5)]))
    expect(budget.bytes).toBe(0)
  })

  // Over the budget every client is asked to drop its queue, perhaps several times.
  it('sends the last frames once, also if it is to drop its queue when the socket has them already', async () => {
    const { outbox, stop, go, taken, budget } = anOutbox()
    stop()
    outbox.write(frames(10, 1))
    outbox.finish(
      () => bytes(5, 5),
      () => {},
    )
    await go(false)
    await go(false)

    outbox.giveUp()
    await go()

    expect(withoutPings(taken())).toEqual(Buffer.concat([bytes(10, 1), bytes(5, 5)]))
    expect(budget.bytes).toBe(0)
  })

  it('reports progress on a backlog, and only then', async () => {
    const { outbox, stop, go, calls } = anOutbox()
    outbox.write(frames(10))
    expect(calls.moved).toBe(0)

    stop()
    outbox.write(frames(10))
    outbox.write(frames(10))
    expect(calls.moved).toBe(0)
    await go()

    expect(calls.moved).toBeGreaterThan(0)
  })

  it('adds a ping after what it takes from a queue, between two frames', async () => {
    const { outbox, stop, go, taken } = anOutbox()
    stop()
    for (let count = 0; count < 11; count++) outbox.write(frames(30_000, 7))

    await go()

    const pings = taken().indexOf(PING)
    expect(pings % 30_000).toBe(0)
    expect(taken().length - 11 * 30_000).toBeGreaterThanOrEqual(10)
  })
})

describe('the budget of all outboxes', () => {
  it('counts frames that many clients wait for once', () => {
    const budget = new OutboxBudget(1e9)
    const outboxes = Array.from({ length: 100 }, () => anOutbox({ budget }))
    for (const { outbox, stop } of outboxes) {
      stop()
      outbox.write(frames(1))
    }
    const before = budget.bytes

    const shared = new Frames(bytes(1_000_000), true)
    for (const { outbox } of outboxes) outbox.write(shared)

    expect(budget.bytes - before).toBeLessThan(1_010_000)
    for (const { outbox } of outboxes) outbox.close()
    expect(budget.bytes).toBe(0)
  })

  it('counts the whole slab of a small buffer, or keeps a copy without it', () => {
    const budget = new OutboxBudget(1e9)
    const { outbox, stop } = anOutbox({ budget })
    stop()
    outbox.write(new Frames(Buffer.from('a')))
    const inHand = budget.bytes

    outbox.write(new Frames(Buffer.from('b'), true))

    expect(inHand).toBeGreaterThan(8_000)
    expect(budget.bytes - inHand).toBeLessThan(1_000)
  })

  it('makes the fullest drop first, and is never exceeded', () => {
    const budget = new OutboxBudget(1_000_000)
    const outboxes = [1, 2, 3, 4].map((weight) => ({ weight, ...anOutbox({ budget }) }))
    for (const { outbox, stop } of outboxes) {
      stop()
      outbox.write(frames(1))
    }

    let most = 0
    while (outboxes.every(({ calls }) => calls.overBudget === 0)) {
      for (const { outbox, weight } of outboxes) {
        outbox.write(frames(weight * 1_000))
        most = Math.max(most, budget.bytes)
      }
    }

    expect(most).toBeLessThanOrEqual(1_000_000)
    expect(outboxes.map(({ calls }) => calls.overBudget)).toEqual([0, 0, 0, 1])
    expect(outboxes.every(({ calls }) => calls.cut === 0)).toBe(true)
  })

  it('cuts a connection whose socket alone holds too much', () => {
    const budget = new OutboxBudget(1_000_000)
    const [small, great] = [anOutbox({ budget }), anOutbox({ budget })]
    for (const { stop } of [small, great]) stop()

    small.outbox.write(frames(1_000))
    great.outbox.write(frames(2_000_000))

    expect([small.calls.cut, great.calls.cut]).toEqual([0, 1])
    expect(budget.bytes).toBeLessThan(1_000_000)
  })
})
