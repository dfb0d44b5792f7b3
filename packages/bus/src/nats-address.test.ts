import { describe, expect, it } from 'vitest'
import { readNatsAddress } from './nats-address.ts'

describe('NATS_URL', () => {
  it('names servers, a login, files, and whether the connection must be encrypted', () => {
    expect(readNatsAddress('nats://10.0.0.1')).toEqual({ servers: ['10.0.0.1:4222'] })
    expect(readNatsAddress('nats://a%40b:p%2Fw@one:4223, nats://two')).toEqual({
      servers: ['one:4223', 'two:4222'],
      user: 'a@b',
      password: 'p/w',
    })
    expect(readNatsAddress('tls://token@one?ca=/etc/ca.pem')).toEqual({
      servers: ['one:4222'],
      token: 'token',
      tls: { caFile: '/etc/ca.pem' },
    })
    expect(readNatsAddress('tls://one?creds=/etc/pairwire.creds')).toEqual({
      servers: ['one:4222'],
      credentialsFile: '/etc/pairwire.creds',
      tls: {},
    })
  })

  it('takes settings that stand behind the last server, as those of all', () => {
    expect(readNatsAddress('nats://one, nats://two?creds=/a.creds&ca=/ca.pem')).toEqual({
      servers: ['one:4222', 'two:4222'],
      credentialsFile: '/a.creds',
      tls: { caFile: '/ca.pem' },
    })
    expect(() => readNatsAddress('nats://one,nats://two?pass=secret')).toThrow(/^must have nothing behind/)
  })

  it('is refused without revealing its secrets', () => {
    for (const wrong of [
      '',
      'one:4222',
      'http://secret@one',
      'nats://secret@one?pass=secret',
      'nats://secret@o/x',
      'nats://user:secret%@one',
      'nats://secret%ff@one',
    ]) {
      expect(() => readNatsAddress(wrong)).toThrow(/^must /)
      expect(() => readNatsAddress(wrong)).not.toThrow(/secret/)
    }
  })
})
