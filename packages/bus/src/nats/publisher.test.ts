import type { StreamEvent } from '@pairwire/contract'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { FakeStream, ManualClock, slotOf } from '../testing/fake-stream.ts'
import { aBlock, cursorOf } from '../testing/slot-end.ts'
import { Publisher, type PublisherOptions } from './publisher.ts'

const TAKE_OVER_MS = 1_200

describe('a publisher', () => {
  const running: Publisher[] = []
  afterEach(() => {
    for (const publisher of running.splice(0)) void publisher.close()
  })

  /** Another process that publishes to the stream. */
  const open = (stream: FakeStream, clock: ManualClock, options: Partial<PublisherOptions> = {}) => {
    const publisher = new Publisher({
      stream,
      live: { async tell() {} },
      name: `publisher-${running.length}`,
      source: 'chain',
      tip: stream.tip(),
      takeOverMs: TAKE_OVER_MS,
      maxPayload: () => 1_000_000,
      whenUp: async () => {},
      clock,
      log: { info() {}, warn() {} },
      ...options,
    })
    running.push(publisher)
    return publisher
  }

  it('takes over from one that is silent, within two seconds', async () => {
    const [stream, clock] = [new FakeStream(), new ManualClock()]
    const [active, other] = [open(stream, clock), open(stream, clock)]
    active.publish([aBlock(1)], '1')
    await clock.pass(2_000)
    await stream.has(1)

    other.publish([aBlock(1)], '1')
    other.publish([aBlock(2)], '2')
    await clock.pass(2_000)

    await stream.has(1, 2)
    expect([active.state(), other.state()]).toEqual(['publishing', 'publishing'])
  })

  it('is unacknowledged from the fifth second that the stream refuses its slots, until it takes them', async () => {
    const [stream, clock] = [new FakeStream(), new ManualClock()]
    const [active, other] = [open(stream, clock), open(stream, clock)]
    active.publish([aBlock(1)], '1')
    await clock.pass(2_000)
    stream.fault = 'refused'
    for (const publisher of [active, other]) publisher.publish([aBlock(2)], '2')
    await clock.pass(4_750)
    expect([active.isAcknowledged(), other.isAcknowledged()]).toEqual([true, true])
    await clock.pass(500)
    expect(active.isAcknowledged()).toBe(false)

    stream.fault = undefined
    await clock.pass(5_000)

    await stream.has(1, 2)
    expect([active.isAcknowledged(), other.isAcknowledged()]).toEqual([true, true])
    // A silent source is not the publisher's fault.
    await clock.pass(60_000)
    expect(active.isAcknowledged()).toBe(true)
  })

  it('sends every slot live while the stream takes none, and reports that once', async () => {
    const [stream, clock] = [new FakeStream(), new ManualClock()]
    const [told, said]: string[][] = [[], []]
    const publisher = open(stream, clock, {
      live: { tell: async ({ before, events }) => void told!.push(`${before} ${events[0]!.cursor}`) },
      log: { info: (line) => said!.push(line), warn: (line) => said!.push(line) },
    })
    publisher.publish([aBlock(1)], '1')
    await clock.pass(2_000)
    said!.length = 0
    stream.append = async () => {
      throw new Error('no space left on device')
    }

    for (let slot = 2; slot <= 40; slot++) {
      publisher.publish([aBlock(slot)], String(slot))
      await clock.pass(125)
    }

    expect(told).toEqual(Array.from({ length: 39 }, (_, at) => `${cursorOf(at + 1)} ${cursorOf(at + 2)}`))
    expect(said).toEqual([expect.stringMatching(/^NATS does not take events/)])
  })

  it('stands by while another one publishes, and appends nothing', async () => {
    const [stream, clock] = [new FakeStream(), new ManualClock()]
    const [active, other] = [open(stream, clock), open(stream, clock)]
    for (let slot = 1; slot <= 20; slot++) {
      active.publish([aBlock(slot)], String(slot))
      if (slot === 1) await clock.pass(1_700)
      // Packing takes real time: on a busy machine the stream could otherwise be silent for longer than the take-over.
      await stream.has(...Array.from({ length: slot }, (_, at) => at + 1))
      other.publish([aBlock(slot)], String(slot))
      await clock.pass(400)
    }

    expect(other.state()).toBe('standby')
    expect(stream.publishers()).toEqual(new Set(['publisher-0']))
  })

  it('sends a slot live while it publishes, but none without an id, and none while it stands by', async () => {
    const [stream, clock] = [new FakeStream(), new ManualClock()]
    const told: string[] = []
    const live = (name: string): Partial<PublisherOptions> => ({
      live: {
        async tell({ before, events }) {
          told.push(`${name}: ${before} ${events[0]!.cursor}`)
        },
      },
    })
    const [active, other] = [open(stream, clock, live('active')), open(stream, clock, live('other'))]
    active.publish([aBlock(1)], '1')
    await clock.pass(2_000)
    await stream.has(1)
    expect(told).toEqual([])

    other.publish([aBlock(1)], '1')
    active.publish([aBlock(2)])
    active.publish([aBlock(3)], '3')
    other.publish([aBlock(2)], '2')

    expect(told).toEqual([`active: ${aBlock(2).cursor} ${aBlock(3).cursor}`])
  })

  it('lets a slot reach listeners before it packs it for the stream', async () => {
    const [stream, clock] = [new FakeStream(), new ManualClock()]
    let arrive = () => {}
    const publisher = open(stream, clock, {
      live: {
        tell: () =>
          new Promise((resolve) => {
            arrive = resolve
          }),
      },
    })
    publisher.publish([aBlock(1)], '1')
    await clock.pass(2_000)
    await stream.has(1)

    publisher.publish([aBlock(2)], '2')
    await clock.pass(2_000)
    await stream.has(1)
    arrive()

    await stream.has(1, 2)
  })

  it('stands by once it learns that another one has taken over', async () => {
    const [stream, clock] = [new FakeStream(), new ManualClock()]
    const [active, other] = [open(stream, clock), open(stream, clock)]
    active.publish([aBlock(1)], '1')
    await clock.pass(2_000)
    other.publish([aBlock(1)], '1')
    other.publish([aBlock(2)], '2')
    await clock.pass(2_000)
    await stream.has(1, 2)

    active.publish([aBlock(2)], '2')
    active.publish([aBlock(3)], '3')
    await clock.pass(250)

    expect(active.state()).toBe('standby')
    expect(other.state()).toBe('publishing')
  })

  it('appends no gap if another ingest has the slots', async () => {
    const [stream, clock] = [new FakeStream(), new ManualClock()]
    const [active, other] = [open(stream, clock), open(stream, clock)]
    active.publish([aBlock(1)], '1')
    other.publish([aBlock(1)], '1')
    await clock.pass(2_000)

    active.publish([aGap(2, 3)])
    for (const slot of [2, 3, 4]) other.publish([aBlock(slot)], String(slot))
    active.publish([aBlock(4)], '4')
    await clock.pass(5_000)

    await stream.has(1, 2, 3, 4)
    expect(await stream.gaps()).toEqual([])
  })

  it('appends of a gap only what no ingest has', async () => {
    const [stream, clock] = [new FakeStream(), new ManualClock()]
    const [active, other] = [open(stream, clock), open(stream, clock)]
    active.publish([aBlock(1)], '1')
    other.publish([aBlock(1)], '1')
    await clock.pass(2_000)

    active.publish([aGap(2, 4)])
    active.publish([aBlock(5)], '5')
    other.publish([aBlock(2)], '2')
    await clock.pass(1_500)
    // Packing takes real time: on a busy machine the gap could otherwise be appended before the other's slot.
    await stream.has(1, 2)
    await clock.pass(6_500)

    await stream.has(1, 2, 4, 5)
    expect(await stream.gaps()).toEqual([[3, 4]])
  })

  it('appends a gap that has the cursor of the slot before it', async () => {
    const [stream, clock] = [new FakeStream(), new ManualClock()]
    const alone = open(stream, clock, { takeOverMs: 0 })
    alone.publish([aBlock(5)], '5')
    await clock.pass(250)

    alone.publish([{ ...aGap(3, 3), cursor: cursorOf(5) }])
    alone.publish([aBlock(6)], '6')
    await clock.pass(250)

    await stream.has(5, 5, 6)
    expect(await stream.gaps()).toEqual([[3, 3]])
  })

  it('appends again what the stream has lost, as far as its memory reaches', async () => {
    const [stream, clock] = [new FakeStream(), new ManualClock()]
    const alone = open(stream, clock, { takeOverMs: 0 })
    for (let slot = 1; slot <= 5; slot++) alone.publish([aBlock(slot)], String(slot))
    await clock.pass(250)
    await stream.has(1, 2, 3, 4, 5)

    stream.lose(3)
    alone.publish([aBlock(6)], '6')
    await clock.pass(1_000)

    await stream.has(1, 2, 3, 4, 5, 6)
  })

  it('skips what its memory has dropped while NATS is away, so that readers see the hole', async () => {
    const [stream, clock] = [new FakeStream(), new ManualClock()]
    const alone = open(stream, clock, { takeOverMs: 0, queueBytes: 2_000 })
    alone.publish([aBlock(1)], '1')
    await clock.pass(250)

    stream.fault = 'refused'
    for (let slot = 2; slot <= 60; slot++) alone.publish([aBlock(slot)], String(slot))
    await clock.pass(1_000)
    stream.fault = undefined
    await clock.pass(1_000)
    await alone.settled()

    const slots = await stream.slots()
    const [first, second] = stream.messages
    expect([slots[0], slots.at(-1)]).toEqual([1, 60])
    expect(slots.length).toBeLessThan(60)
    expect(second!.head.before > first!.head.last).toBe(true)
  })

  it('removes the events of another kind of source before it appends', async () => {
    const [stream, clock] = [new FakeStream(), new ManualClock()]
    const simulator = open(stream, clock, { takeOverMs: 0, source: 'simulator' })
    simulator.publish([aBlock(100)])
    await simulator.settled()

    const chain = open(stream, clock, { takeOverMs: 0 })
    expect(chain.newestCursor()).toBeUndefined()
    chain.publish([aBlock(5)], '5')
    await clock.pass(250)

    await stream.has(5)
  })

  /** Two on a stream that has a block of an earlier one. */
  const openTwo = async (earlier: Partial<PublisherOptions> = {}) => {
    const [stream, clock] = [new FakeStream(), new ManualClock()]
    const before = open(stream, clock, { takeOverMs: 0, ...earlier })
    before.publish([aBlock(100)])
    await before.settled()
    return { stream, clock, active: open(stream, clock), other: open(stream, clock) }
  }

  // Guards a day of events: the one that stood by takes over hours later.
  it('leaves the events of another one that has removed them already', async () => {
    const { stream, clock, active, other } = await openTwo({ source: 'simulator' })
    active.publish([aBlock(1)], '1')
    await clock.pass(2_000)
    await stream.has(1)

    other.publish([aBlock(2)], '2')
    await clock.pass(2_000)

    await stream.has(1, 2)
  })

  it('leaves the first events of the next run, for which another one has started over already', async () => {
    const { stream, clock, active, other } = await openTwo()
    for (const publisher of [active, other]) void publisher.startOver()
    active.publish([aBlock(1)], '1')
    await clock.pass(2_000)
    await stream.has(1)

    other.publish([aBlock(2)], '2')
    await clock.pass(2_000)

    await stream.has(1, 2)
  })

  it('removes nothing that another one appends at that moment', async () => {
    const { stream, clock, active, other } = await openTwo({ source: 'simulator' })
    active.publish([aBlock(1)], '1')
    const { clear } = stream
    stream.clear = async (last) => {
      stream.clear = clear
      other.publish([aBlock(2)], '2')
      await clock.pass(2_000)
      await clear(last)
    }

    await clock.pass(4_000)

    await stream.has(2)
  })

  // The core promise of two ingests: whatever fails, the stream has each slot once, in order, or reports a gap.
  it('publishes each slot once and in order together with another one, whatever fails', async () => {
    const LAST_SLOT = 12
    const operation = fc.oneof(
      fc.record({
        does: fc.constant('read' as const),
        who: fc.nat(1),
        slots: fc.integer({ min: 1, max: 4 }),
      }),
      fc.record({ does: fc.constant('pass' as const), ms: fc.integer({ min: 10, max: 2_000 }) }),
      fc.record({
        does: fc.constant('fail' as const),
        how: fc.constantFrom('refused' as const, 'unanswered' as const, undefined),
      }),
      fc.record({ does: fc.constant('restart' as const), who: fc.nat(1) }),
      fc.record({ does: fc.constant('lose' as const), count: fc.integer({ min: 1, max: 3 }) }),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(operation, { minLength: 5, maxLength: 25 }), async (operations) => {
        const [stream, clock] = [new FakeStream(), new ManualClock()]
        const next = [1, 1]
        const both = [open(stream, clock), open(stream, clock)]
        const read = (who: number, count: number) => {
          for (let at = 0; at < count && next[who]! <= LAST_SLOT; at++, next[who]!++) {
            both[who]!.publish([aBlock(next[who]!)], `${next[who]}:hash`)
          }
        }

        for (const todo of operations) {
          if (todo.does === 'read') read(todo.who, todo.slots)
          else if (todo.does === 'pass') await clock.pass(todo.ms)
          else if (todo.does === 'fail') stream.fault = todo.how
          else if (todo.does === 'lose') {
            stream.lose(todo.count)
            for (const publisher of both) publisher.lookAgain()
          } else {
            stop(both[todo.who]!)
            both[todo.who] = open(stream, clock)
            // As the source does, after the newest slot in the stream.
            next[todo.who] = slotOf(stream.tip().last) + 1
          }
        }
        stream.fault = undefined
        for (const who of [0, 1]) read(who, LAST_SLOT)
        for (let waits = 0; slotOf(stream.tip().last) < LAST_SLOT && waits < 20; waits++)
          await clock.pass(500)

        const slots = await stream.slots()
        expect(slots).toEqual([...new Set(slots)].sort((left, right) => left - right))
        expect(slots.at(-1)).toBe(LAST_SLOT)
        const said = new Set([...slots, ...stream.missing()])
        expect(said.size).toBe(LAST_SLOT)
        for (const publisher of both) stop(publisher)
      }),
      { numRuns: 25 },
    )
  })

  const stop = (publisher: Publisher) => {
    running.splice(running.indexOf(publisher), 1)
    void publisher.close()
  }
})

function aGap(fromSlot: number, toSlot: number): StreamEvent {
  const params = { fromSlot, toSlot, cause: 'upstream' as const, resume_from: null }
  return { kind: 'gap', cursor: cursorOf(toSlot), params }
}
