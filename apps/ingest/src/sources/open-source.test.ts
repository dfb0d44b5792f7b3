import { createJumpingClock } from '@pairwire/basics/testing/manual-clock'
import { describe, expect, it } from 'vitest'
import { aFolder } from '../testing/temporary-folder.ts'
import { historyOf, openSource } from './open-source.ts'

const open = (setting: string) =>
  openSource(setting, { clock: createJumpingClock(), nextRun: async () => 1, loopByDefault: false })

const openLive = (setting: string, tokens: string[] = []) => {
  const log = { info() {}, warn() {}, error() {} }
  const clock = createJumpingClock()
  return openSource(setting, {
    ...{ clock, log, tokens, nextRun: async () => 1, loopByDefault: false },
    dataFolder: aFolder({}),
  })
}

describe('openSource', () => {
  it('opens the simulator with and without its settings', () => {
    for (const setting of ['simulator', 'simulator?', 'simulator?swaps=6000', 'simulator?seed=7&swaps=0.5']) {
      expect(open(setting).simulated).toBe(true)
    }
  })

  it('reads how many hours of history the simulator makes up, from none to 720, one by default', () => {
    expect(['simulator', 'simulator?history=0', 'simulator?swaps=5&history=720'].map(historyOf)).toEqual([
      1, 0, 720,
    ])
    for (const hours of ['721', '-1', '1.5', 'x']) {
      expect(() => open(`simulator?history=${hours}`)).toThrow(
        `SOLANA_SOURCE asks the simulator for history=${hours}`,
      )
    }
  })

  it('opens a recording, even with a question mark in its name', () => {
    const folder = aFolder({ 'what?/a.json': '{}' })

    expect(open(`replay:${folder}`).simulated).toBe(true)
    expect(open(`replay:${folder}/what??speed=10&loop=false`).simulated).toBe(true)
  })

  it('refuses unknown sources with a sentence that names the variable', () => {
    for (const setting of [
      'rpc+wss://host',
      'yellowstone+wss://host:443',
      'simulatr',
      '',
      'file:x',
      'https://x',
    ]) {
      expect(() => open(setting)).toThrow(/^SOLANA_SOURCE .*present version does not have/)
    }
  })

  // Guards the keys of RPC providers, which are part of addresses.
  it('does not repeat the address of a refused source', () => {
    expect(() => open('rpc+wss://host/?api-key=s3cret')).toThrow(/^(?!.*s3cret).*"rpc\+wss:"/)
  })

  it('opens one or several sources of the live chain', () => {
    expect(openLive('yellowstone+https://host:443').simulated).toBe(false)
    expect(openLive(' yellowstone+http://one   yellowstone+https://two ').status?.().endpoints).toMatchObject(
      [{ name: 'yellowstone one' }, { name: 'yellowstone two' }],
    )
  })

  it('treats program logs next to whole sources as unused, and reports that they are not read', () => {
    const source = openLive('logs+wss://free/?key=s3cret yellowstone+https://paid:443', [
      'of free',
      'of paid',
    ])

    expect(source.inOrderOfArrival).toBeUndefined()
    expect(source.status?.().endpoints).toMatchObject([
      { name: 'yellowstone paid' },
      {
        name: 'logs free',
        state: 'resting',
        trouble: expect.stringMatching(/^It is not used: program logs/),
      },
    ])
    expect(() => openLive('rpc+https://one logs+wss://:s3cret')).toThrow(/^SOLANA_SOURCE: (?!.*s3cret)/)
    expect(() => openLive('rpc+https://one logs+wss://two', ['a', 'b', 'c'])).toThrow(/^SOLANA_SOURCE_TOKEN/)
  })

  // Guards providers' tokens, which people put into addresses.
  it('refuses an address that may contain a token, without repeating it', () => {
    for (const setting of [
      'yellowstone+https://host/s3cret',
      'yellowstone+https://host/?token=s3cret',
      'yellowstone+https://me:s3cret@host',
      'yellowstone+https://host simulator?s3cret',
      'yellowstone+https://s3cret s3cret',
      'yellowstone+https://:s3cret',
    ]) {
      expect(() => openLive(setting), setting).toThrow(/^SOLANA_SOURCE:? (?!.*s3cret)/)
    }
    expect(() => openLive('yellowstone+https://host', ['s3cret', 's3cret'])).toThrow(
      /^SOLANA_SOURCE_TOKEN (?!.*s3cret)/,
    )
  })

  it('refuses invalid or out-of-range numbers', () => {
    const folder = aFolder({})
    const settings = [
      'simulator?swaps=6001',
      'simulator?swaps=0',
      'simulator?swaps=-5',
      'simulator?swaps=many',
      'simulator?swaps=',
      'simulator?swaps=1e3',
      'simulator?seed=1.5',
      'simulator?seed=99999999999999999999',
      `replay:${folder}?speed=0`,
      `replay:${folder}?speed=Infinity`,
      `replay:${folder}?loop=maybe`,
    ]

    for (const setting of settings) expect(() => open(setting), setting).toThrow(/^SOLANA_SOURCE /)
  })

  it('says which numbers the simulator takes, without the bounds that it does not', () => {
    for (const swaps of ['0', '0.0', '6000.1'])
      expect(() => open(`simulator?swaps=${swaps}`)).toThrow(
        `swaps=${swaps}; it is a number of swaps a second above 0 and up to 6000.`,
      )
    expect(() => open('simulator?seed=10000000000000000')).toThrow('a whole number of at most 15 digits.')
    for (const seed of ['999999999999999', '-999999999999999'])
      expect(open(`simulator?seed=${seed}`).simulated).toBe(true)
  })

  it('refuses unknown settings, and repeated ones', () => {
    expect(() => open('simulator?speed=2')).toThrow(/^SOLANA_SOURCE sets "speed", which the present version/)
    expect(() => open('simulator?swaps=2&swaps=3')).toThrow(/^SOLANA_SOURCE sets "swaps" twice/)
  })

  it('refuses a replay without a path, or with a missing one', () => {
    expect(() => open('replay:')).toThrow(/^SOLANA_SOURCE .*without the file or folder/)
    expect(() => open('replay:/no/such/folder')).toThrow(/^SOLANA_SOURCE .*no such file or folder/)
  })
})
