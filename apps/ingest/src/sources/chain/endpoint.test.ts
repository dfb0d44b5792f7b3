import {
  createJumpingClock,
  createManualClock,
  type ManualClock,
} from '@pairwire/basics/testing/manual-clock'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createListLog } from '../../testing/live-chain.ts'
import { Endpoint } from './endpoint.ts'
import { FeedError, type FeedParts } from './feed.ts'

type Read = (parts: FeedParts) => Promise<void>

function anEndpoint(clock: ManualClock, read: Read) {
  const log = createListLog()
  const abort = new AbortController()
  const endpoint = new Endpoint({
    ...{ feed: { name: 'rpc a.example', canReplay: false, read }, clock, log },
    take: () => true,
    drained: async () => {},
    whereFrom: () => undefined,
    tipSlot: () => undefined,
  })
  const reading = endpoint.read(abort.signal)
  const stop = async () => {
    abort.abort()
    await reading
  }
  onTestFinished(stop)
  return { endpoint, log, stop, signal: abort.signal }
}

/** An endpoint controlled by the test. */
function aLiveEndpoint() {
  const clock = createManualClock()
  let push: FeedParts['push'] = () => true
  const parts = anEndpoint(clock, (given) => {
    push = given.push
    return new Promise((resolve) => given.signal.addEventListener('abort', () => resolve()))
  })
  const unreadable = (reason: string) => push({ kind: 'unreadable', slot: 7, reason } as never)
  const readable = () => push({ kind: 'confirmed', slot: 7, bankId: 0 })
  return { ...parts, clock, unreadable, readable }
}

describe('an endpoint', () => {
  // Guards the disk: after a change of format, a provider sends a thousand unreadable messages a second.
  it('logs the first unreadable message of each reason, then their count once a minute', () => {
    const { log, clock, unreadable, endpoint } = aLiveEndpoint()

    for (let at = 0; at < 1_000; at++) unreadable(`It uses account ${at}.`)
    unreadable('It is cut off.')
    clock.advance(60_000)
    for (let at = 0; at < 1_000; at++) unreadable('It is cut off.')

    expect(log.lines).toEqual([
      'rpc a.example: a message could not be read.',
      'rpc a.example: 1000 messages could not be read.',
      'rpc a.example: a message could not be read.',
    ])
    expect(endpoint.status().unreadable).toBe(2_001)
  })

  it('is not connected while none of its messages can be read for ten seconds', () => {
    const { clock, readable, unreadable, endpoint } = aLiveEndpoint()
    const states: string[] = []
    const look = () => states.push(endpoint.status().state)

    unreadable('It is cut off.')
    look()
    readable()
    look()
    for (const step of [0, 9_999, 1]) {
      clock.advance(step)
      unreadable('It is cut off.')
      look()
    }
    readable()
    look()

    expect(states).toEqual(['connecting', 'connected', 'connected', 'connected', 'resting', 'connected'])
  })

  it('is connected while it is silent after an unreadable message', () => {
    const { clock, readable, unreadable, endpoint } = aLiveEndpoint()
    readable()
    unreadable('It is cut off.')

    clock.advance(60_000)

    expect(endpoint.status().state).toBe('connected')
  })

  it.each([
    ['that is away after 2 to 5 seconds', 'unreachable', 2_000, 5_000],
    ['that refuses us after about half a minute', 'unauthorised', 20_000, 40_000],
  ] as const)('is retried %s', async (_, kind, from, to) => {
    const clock = createJumpingClock()
    let tries = 0
    const { stop } = anEndpoint(clock, async () => {
      if (++tries > 20) void stop()
      throw new FeedError(kind, 'No.')
    })
    await new Promise<void>((resolve) => {
      const look = () => (tries > 20 ? resolve() : setImmediate(look))
      look()
    })

    const last = clock.waits.slice(10, 20)
    expect(Math.min(...last)).toBeGreaterThan(from)
    expect(Math.max(...last)).toBeLessThan(to)
  })

  it("reports a stranger's answer in one line, without terminal control characters", () => {
    const { message } = new FeedError('broken', 'It says: x\n12:00:00 All is well\u001b[2J\u202e')

    expect(message).toBe('It says: x 12:00:00 All is well [2J ')
  })
})
