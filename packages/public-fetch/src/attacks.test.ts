import { syncBuiltinESMExports } from 'node:module'
import { type AddressInfo, createServer, Socket } from 'node:net'
import os from 'node:os'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPublicFetch } from './fetch-public.ts'
import { readFileUrl } from './file-url.ts'
import { createPublicPost } from './post-public.ts'
import { createPublicResolver, type ResolvePlace } from './public-resolver.ts'

/** Names of attackers, with what name servers say of them. */
const NAMES: Record<string, { ipv4?: string[]; ipv6?: string[] }> = {
  'inward.example': { ipv4: ['10.0.0.1'] },
  'metadata.example': { ipv4: ['169.254.169.254'] },
  'half.example': { ipv4: ['1.1.1.1', '192.168.0.1'] },
  'six.example': { ipv4: ['1.1.1.1'], ipv6: ['::1'] },
  'mapped.example': { ipv6: ['::ffff:127.0.0.1'] },
  'nat64.example': { ipv6: ['64:ff9b::7f00:1'] },
  'ours.example': { ipv4: ['9.9.9.9'] },
  'ours-too.example': { ipv4: ['1.1.1.1'], ipv6: ['2620:fe::9'] },
  'nothing.example': {},
  localhost: { ipv4: ['127.0.0.1'] },
}

/** Private addresses, this machine's own, and ways to spell them. */
const ATTACKS = [
  'https://127.0.0.1/',
  'https://127.1/',
  'https://0/',
  'https://0.0.0.0/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0x7f.1/',
  'https://0177.0.0.1/',
  'https://017700000001/',
  'https://127.0.0.1./',
  'https://①②⑦.⓪.⓪.①/',
  'https://127。0。0。1/',
  'https://%31%32%37.0.0.1/',
  'https:127.0.0.1/',
  'https:\\\\127.0.0.1\\',
  'https://10.1.2.3/',
  'https://172.16.0.1/',
  'https://192.168.1.1/',
  'https://100.64.0.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://[::1]/',
  'https://[::]/',
  'https://[0:0:0:0:0:0:0:1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:a00:1]/',
  'https://[::127.0.0.1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[2001:0:7f00:1::]/',
  'https://[fe80::1]/',
  'https://[fd00::1]/',
  'https://9.9.9.9/',
  'https://[2620:fe:0::9]/',
  'https://localhost/',
  'https://LOCALHOST./',
  ...Object.keys(NAMES).map((name) => `https://${name}/`),
  'http://1.1.1.1/',
  'http://localhost:4000/',
  'https://1.1.1.1:22/',
  'https://me:secret@1.1.1.1/',
  'ftp://1.1.1.1/',
  'file:///etc/passwd',
]

// Guards the network around the service, and the service itself.
describe.each(['fetch', 'post'] as const)('%s', (verb) => {
  let attempts: string[]
  const { connect } = Socket.prototype
  const { networkInterfaces } = os
  beforeEach(() => {
    attempts = []
    const own = [{ address: '9.9.9.9' }, { address: '2620:fe::9' }] as os.NetworkInterfaceInfo[]
    vi.spyOn(os, 'networkInterfaces').mockImplementation(() => ({ ...networkInterfaces(), eth9: own }))
    // For modules that were loaded before.
    syncBuiltinESMExports()
    vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (this: Socket, ...made: unknown[]) {
      this.on('connectionAttempt', (address, port) => attempts.push(`${address} ${port}`))
      return connect.apply(this, made as Parameters<typeof connect>)
    })
  })
  afterEach(() => {
    vi.restoreAllMocks()
    syncBuiltinESMExports()
  })

  const send = async (text: string, resolve: ResolvePlace) => {
    if (verb === 'post') {
      const publicPost = createPublicPost({ own: ['https://pairwire.example'], isLocal: false, resolve })
      return publicPost.post(text, { headers: {}, body: '{}' }).finally(publicPost.close)
    }
    const url = readFileUrl(text)
    if (!url) throw new Error('Nothing is fetched from this address.')
    return createPublicFetch({ resolve, sizeLimit: 1_000, accept: '*/*' })(url)
  }

  it.each(ATTACKS)('opens no connection for %s', async (address) => {
    const name = (host: string) => NAMES[host.replace(/\.$/, '').toLowerCase()]
    const resolve = createPublicResolver({
      resolve4: (async (host: string) => name(host)?.ipv4 ?? []) as never,
      resolve6: (async (host: string) => name(host)?.ipv6 ?? []) as never,
    })

    await expect(send(address, resolve)).rejects.toThrow()

    expect(attempts).toEqual([])
  })

  it('connects to the one address that was looked up, whatever the name means by then', async () => {
    const server = createServer((socket) => socket.destroy())
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    const { port } = server.address() as AddressInfo // it listens on a port
    const places = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 as const, port }))

    const url = `https://rebinding.example${verb === 'post' ? `:${port}` : ''}/`
    await expect(send(url, async () => places.shift() ?? expect.fail())).rejects.toThrow()

    // One that is closed before anything was sent is tried again, at the same address.
    expect([...new Set(attempts)]).toEqual([`127.0.0.1 ${port}`])
    expect(places).toHaveLength(1)
    server.close()
  })
})
