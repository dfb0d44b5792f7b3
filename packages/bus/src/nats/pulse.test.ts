import { afterEach, describe, expect, it } from 'vitest'
import { ManualClock } from '../testing/fake-stream.ts'
import { openPulse } from './pulse.ts'

const AWAY = 'NATS at nats:4222 is away; retrying.'
const SILENT =
  'JetStream does not answer, although NATS at nats:4222 takes connections. Look at its disk and its log; it may need a restart.'

describe('the pulse of JetStream', () => {
  const opened: ReturnType<typeof openPulse>[] = []
  afterEach(() => {
    for (const pulse of opened.splice(0)) pulse.close()
  })

  /** A pulse on a NATS whose connection and JetStream fail on command. */
  const open = () => {
    const clock = new ManualClock()
    const said: string[] = []
    const nats = { isUp: true, answers: true }
    const changes = new Set<(isUp: boolean) => void>()
    const pulse = openPulse({
      link: {
        isUp: () => nats.isUp,
        whenUp: async () => {
          while (!nats.isUp) await clock.wait(100, new AbortController().signal)
        },
        onChange(listener) {
          changes.add(listener)
          return () => changes.delete(listener)
        },
      },
      where: 'nats:4222',
      ask: async () => {
        if (nats.answers) return
        await clock.wait(2_000, new AbortController().signal)
        throw new Error('timeout')
      },
      clock,
      log: { info: (line) => said.push(line), warn: (line) => said.push(line) },
    })
    opened.push(pulse)
    const connect = (isUp: boolean) => {
      nats.isUp = isUp
      for (const change of changes) change(isUp)
    }
    return { pulse, clock, said, nats, connect }
  }

  it('answers while JetStream does, and is gone at once with the connection', async () => {
    const { pulse, clock, said, connect } = open()
    await clock.pass(60_000)
    expect([pulse.isAnswering(), said]).toEqual([true, []])

    connect(false)
    expect(pulse.isAnswering()).toBe(false)
    await clock.pass(30_000)
    connect(true)
    await clock.pass(1_000)

    expect(pulse.isAnswering()).toBe(true)
    expect(said).toEqual([AWAY, 'NATS is back.'])
  })

  it('is gone within 6 s on an open but silent connection, and reports JetStream once, until it answers', async () => {
    const { pulse, clock, said, nats } = open()
    await clock.pass(10_000)
    nats.answers = false
    await clock.pass(6_000)
    expect(pulse.isAnswering()).toBe(false)
    await clock.pass(4_000)
    expect(said).toEqual([SILENT])
    await clock.pass(120_000)
    nats.answers = true
    await clock.pass(4_000)

    expect([pulse.isAnswering(), said]).toEqual([true, [SILENT, 'JetStream answers again.']])
  })

  it('does not flap with connections that open and break every few seconds', async () => {
    const { pulse, clock, said, nats, connect } = open()
    await clock.pass(2_000)
    nats.answers = false
    for (let time = 0; time < 40; time++) {
      await clock.pass(2_900)
      connect(false)
      await clock.pass(100)
      connect(true)
      expect(pulse.isAnswering()).toBe(time === 0)
    }

    expect(said).toEqual([AWAY, SILENT])
  })
})
