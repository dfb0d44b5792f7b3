import { describe, expect, it } from 'vitest'
import { isPublicAddress } from './public-address.ts'
import { createPublicResolver } from './public-resolver.ts'

describe('public addresses', () => {
  it.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.31.255.255',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fe80::1',
    'fc00::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001:0:7f00:1::',
    '2001:db8::1',
    'localhost',
    '',
  ])('does not include %s', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  it.each(['1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111'])('includes %s', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })
})

describe('the resolver', () => {
  const names = (ipv4: string[], ipv6: string[] = []) => ({
    resolve4: (async () => ipv4) as never,
    resolve6: (async () => ipv6) as never,
  })

  it('returns the first address of a public host', async () => {
    const resolve = createPublicResolver(names(['1.1.1.1', '1.0.0.1'], ['2606:4700::1111']))

    expect(await resolve('logo.example')).toEqual({ address: '1.1.1.1', family: 4 })
  })

  it('refuses a host with one private address, of either family', async () => {
    await expect(createPublicResolver(names(['1.1.1.1', '10.0.0.1']))('a.example')).rejects.toThrow()
    await expect(createPublicResolver(names(['1.1.1.1'], ['::1']))('a.example')).rejects.toThrow()
    await expect(createPublicResolver(names([]))('a.example')).rejects.toThrow()
  })

  it('makes no DNS query for a host that is an address', async () => {
    const fail = (() => Promise.reject(new Error('asked'))) as never
    const resolve = createPublicResolver({ resolve4: fail, resolve6: fail })

    expect(await resolve('[2606:4700::1111]')).toEqual({ address: '2606:4700::1111', family: 6 })
    await expect(resolve('127.0.0.1')).rejects.toThrow('public')
    await expect(resolve('[::1]')).rejects.toThrow('public')
  })
})
