import { describe, expect, it } from 'vitest'
import { openControlChannel } from './control-channel.ts'
import type { NatsLink } from './nats-link.ts'

describe('the control channel', () => {
  it('sends the newest of more messages than may wait, also if the oldest is under way then', async () => {
    const COUNT = 10_001
    const sent: string[] = []
    const link = {
      connection: {},
      whenUp: async () => {},
      js: { publish: async (_subject: string, text: string) => sent.push(JSON.parse(text).accountId) },
      jsm: { streams: { info: async () => ({ state: { messages: 0, first_seq: 0, last_seq: 0 } }) } },
    } as unknown as NatsLink
    const channel = await openControlChannel(
      link,
      { name: 'CONTROL', subject: 'control', makes: false },
      { warn() {} },
    )

    const ids = Array.from({ length: COUNT }, (_, at) => String(at))
    await Promise.all(ids.map((accountId) => channel.send({ type: 'keyReset', accountId })))

    expect(sent).toEqual(ids)
    channel.close()
  })
})
