import { CLOSE_REASONS, SUPPORT_EMAIL } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { archiveSettings, ConfigError, readSettings, settingsPart } from './settings.ts'

const KEYS = { ARCHIVE_ACCESS_KEY: 'access', ARCHIVE_SECRET_KEY: 'secret' }

function read(environment: Record<string, string>) {
  return readSettings({ DATA_DIR: '/data', ...environment }, [archiveSettings])
}

/** The sentences with which `environment` is refused. */
function faultsOf(environment: Record<string, string>): string {
  try {
    read(environment)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  return ''
}

describe('settings of the archive', () => {
  it('store hours below the data folder by default: a month of the chain, two days of anything else', () => {
    const [day, gigabyte] = [86_400_000, 1_000_000_000]

    expect(read({})).toEqual({
      archivePlace: { kind: 'folder', folder: '/data/archive' },
      archiveRetention: { milliseconds: 2 * day, bytes: 2 * gigabyte },
    })
    expect(read({ SOLANA_SOURCE: 'rpc+https://rpc.example' }).archiveRetention).toEqual({
      milliseconds: 31 * day,
      bytes: 50 * gigabyte,
    })
    expect(read({ ARCHIVE_RETENTION: '40d' }).archiveRetention).toEqual({
      milliseconds: 40 * day,
      bytes: 2 * gigabyte,
    })
  })

  it('accept a folder by its path or file address, a bucket with a prefix, and off', () => {
    expect(read({ ARCHIVE_URL: '/mnt/hours/' }).archivePlace).toEqual({
      kind: 'folder',
      folder: '/mnt/hours',
    })
    expect(read({ ARCHIVE_URL: 'file:///mnt/my%20hours' }).archivePlace).toEqual({
      kind: 'folder',
      folder: '/mnt/my hours',
    })
    expect(read({ ARCHIVE_URL: 'off' }).archivePlace).toBeUndefined()
    expect(
      read({
        ...KEYS,
        ARCHIVE_URL: 's3+https://s3.example:9000/hours/live/one',
        ARCHIVE_PUBLIC_URL: 'https://files.example',
      }).archivePlace,
    ).toEqual({
      kind: 'bucket',
      endpoint: 'https://s3.example:9000',
      bucket: 'hours',
      prefix: 'live/one',
      accessKey: 'access',
      secretKey: 'secret',
      region: 'us-east-1',
      publicUrl: 'https://files.example',
    })
  })

  it('accept a bucket over plain http only on this machine or a private address', () => {
    for (const host of [
      'localhost',
      '127.0.0.1:9000',
      '10.1.2.3',
      '192.168.0.9',
      '172.20.0.1',
      '[fd00::1]',
    ]) {
      expect(faultsOf({ ...KEYS, ARCHIVE_URL: `s3+http://${host}/hours` })).toBe('')
    }
    for (const host of ['s3.example', '8.8.8.8', '172.32.0.1', '10.example', '[2001:db8::1]']) {
      expect(faultsOf({ ...KEYS, ARCHIVE_URL: `s3+http://${host}/hours` })).toMatch(/^ARCHIVE_URL: .*private/)
    }
  })

  it.each([
    'hours',
    './hours',
    's3://hours',
    's3+https://s3.example',
    's3+https://s3.example/h',
    's3+https://s3.example/hours/../x%2f',
    's3+https://key:secret@s3.example/hours',
    's3+https://s3.example/hours?x=1',
    'ftp://s3.example/hours',
    'OFF!',
  ])('refuse %s by the name of the variable', (ARCHIVE_URL) => {
    expect(faultsOf({ ...KEYS, ARCHIVE_URL })).toMatch(/^ARCHIVE_URL: /)
  })

  it('say what a bucket needs, and list the other faults', () => {
    expect(faultsOf({ ARCHIVE_URL: 's3+https://s3.example/hours' })).toMatch(
      /^ARCHIVE_ACCESS_KEY: .*SECRET_KEY/,
    )
    expect(faultsOf({ ARCHIVE_PUBLIC_URL: 'https://files.example/hours' })).toMatch(/^ARCHIVE_PUBLIC_URL: /)
    expect(faultsOf({ ARCHIVE_RETENTION: 'for ever' })).toMatch(/^ARCHIVE_RETENTION: /)
  })
})

describe('the address of the support', () => {
  // Guards the gateway: the library throws at a reason of more than 123 bytes, within a callback of the socket too.
  it('is refused if it is too long for the close reason that names it', () => {
    const part = settingsPart(['SUPPORT_EMAIL'], (values) => ({ address: values.SUPPORT_EMAIL }))
    const roomFor = 123 - CLOSE_REASONS.accountSuspended.sentence.replace(SUPPORT_EMAIL, '').length
    const longest = 'help@pairwire.example'.padStart(roomFor, 'h')

    expect(readSettings({ SUPPORT_EMAIL: longest }, [part])).toEqual({ address: longest })
    expect(() => readSettings({ SUPPORT_EMAIL: `h${longest}` }, [part])).toThrow(/^SUPPORT_EMAIL: .*86/)
  })
})
