import { readObject } from '@pairwire/basics'
import { ControlMessage, encodeBase58, type PairUpdateMessage } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'

const address = encodeBase58(new Uint8Array(32).fill(1))
const update: PairUpdateMessage = {
  type: 'pairUpdate',
  cursor: '0-1-2-3',
  sourceExchange: 'raydium',
  update: { ammAccount: address, baseToken: { account: address, info: null } },
}

/** As the control channel parses messages. */
const readControlMessage = (text: string) => ControlMessage.safeParse(readObject(text)).data

describe('a control message', () => {
  it.each([
    update,
    { type: 'keyReset', accountId: 'a' },
    { type: 'closeConnection', accountId: 'a', connectionId: 'c' },
    {
      type: 'spent',
      gatewayId: 'g',
      spent: { a: { requests: 1, requestBytes: 9, resumes: 0, connects: 0, swaps: -2 } },
    },
  ])('of any kind is parsed as it was sent: %j', (message) => {
    expect(readControlMessage(JSON.stringify(message))).toEqual(message)
  })

  it.each([
    '{',
    '7',
    '{"type":"other","accountId":"a"}',
    '{"type":"keyReset"}',
    '{"type":"spent","gatewayId":"g","spent":{"a":{"requests":-1,"requestBytes":0,"resumes":0,"connects":0}}}',
    JSON.stringify({ ...update, update: { ammAccount: 'x' } }),
    JSON.stringify({ ...update, cursor: 7 }),
  ])('is refused when it is %s', (text) => {
    expect(readControlMessage(text)).toBeUndefined()
  })
})
