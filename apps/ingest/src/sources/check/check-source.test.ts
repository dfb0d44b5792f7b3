import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Clock, systemClock } from '@pairwire/basics'
import {
  type ChainTransaction,
  createChain,
  type Faults,
  noFaults,
  serveRpc,
  serveYellowstone,
  toChainTransaction,
} from '@pairwire/chain-double'
import { afterEach, describe, expect, it } from 'vitest'
import { createMarket } from '../simulator/market.ts'
import { type CheckOptions, checkSource } from './check-source.ts'

const closing: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const BEGAN = performance.now()
/** Unix milliseconds that advance with the machine's clock. */
const nowMs = () => 1_793_000_000_000 + performance.now() - BEGAN
const blockTime = () => Math.floor(nowMs() / 1_000)
const FOR_MS = 9_999

/**
 * A clock that lets an endpoint be watched until `ends` of its block times were compared with it, or until it was read
 * `looks` times, as happens with each message of a stream.
 */
function createWatchClock(ends: number, looks = Number.POSITIVE_INFINITY): Clock {
  let seen = 0
  let looked = 0
  let stop = () => {}
  const watched = new Promise<void>((resolve) => {
    stop = resolve
  })
  return {
    ...systemClock,
    now() {
      if (++seen === ends) stop()
      return nowMs()
    },
    elapsed() {
      if (++looked === looks) stop()
      return systemClock.elapsed()
    },
    wait: (milliseconds, signal) =>
      milliseconds === FOR_MS
        ? Promise.race([watched, new Promise<void>((end) => signal.addEventListener('abort', () => end()))])
        : systemClock.wait(milliseconds, signal),
  }
}

const market = createMarket({ seed: 1, stream: 1, swapsPerSecond: 20, firstBlockTime: blockTime() })
const blocks: ChainTransaction[][] = []

/** The transactions of a block, made once for all chains. */
function transactionsOf(at: number): ChainTransaction[] {
  while (blocks.length <= at) {
    const made = [...market.block(blocks.length, blockTime())]
    blocks.push(made.map(({ transaction }) => toChainTransaction(transaction)))
  }
  return blocks[at]!
}

/** A growing chain of the simulator's transactions, with both kinds of servers. */
async function aChain(
  faults: Partial<Faults> = {},
  { version, genesisHash }: { version?: string; genesisHash?: string } = {},
) {
  const made = createChain({ firstSlot: 1_000 })
  const chain = genesisHash ? { ...made, genesisHash } : made
  const all = { ...noFaults(), ...faults }
  const yellowstone = await serveYellowstone({ chain, faults: all, ...(version ? { version } : {}) })
  const rpc = await serveRpc({ chain, faults: all })
  closing.push(yellowstone.close, rpc.close)
  // Its servers hold for replay only what they saw, so the first blocks come after their start.
  const add = () => chain.add(transactionsOf(chain.blocks.length), { blockTime: blockTime() })
  for (let slot = 0; slot < 8; slot++) add()
  const growing = setInterval(add, 40)
  closing.push(() => clearInterval(growing))
  return { yellowstone, rpc }
}

/** Runs a check, and returns its output. */
async function check(setting: string, options: Partial<CheckOptions> = {}) {
  const lines: string[] = []
  const isUsable = await checkSource(setting, {
    tokens: [],
    rpcUrl: undefined,
    clock: createWatchClock(8),
    write: (line) => lines.push(line),
    signal: new AbortController().signal,
    forMs: FOR_MS,
    ...options,
  })
  return { isUsable, text: lines.join('\n'), lines }
}

/** An address where nothing listens. */
async function nowhere(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `127.0.0.1:${port}`
}

/** An address where something other than the chain answers. */
async function aWebsite(status: number): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    response.writeHead(status, { 'content-type': 'text/html' }).end('<h1>Hello</h1>')
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  closing.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return `127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('checkSource', () => {
  it('reports what a Yellowstone endpoint is and delivers, by exchange, and how late', async () => {
    const { yellowstone } = await aChain()

    const { isUsable, lines, text } = await check(yellowstone.url)

    expect(lines.slice(0, 5)).toEqual([
      `yellowstone localhost:${yellowstone.port}`,
      '  It answers and runs yellowstone-grpc-geyser 15.1.2.',
      '  It is read at commitment confirmed.',
      expect.stringMatching(/^ {2}Its newest slot is 1,\d\d\d\.$/),
      expect.stringMatching(/^ {2}It can replay from slot 1,\d\d\d on, \d+ slots?\.$/),
    ])
    expect(text).toMatch(/it gave \d+ whole blocks, slots 1,\d\d\d to 1,\d\d\d, one slot every [\d,]+ ms\.$/m)
    expect(text).toMatch(/^ {2}Blocks arrived typically \S+ s late, at most \S+ s\.$/m)
    expect(text).toMatch(/^ {4}pumpswap: \d+ swaps?, \d+ new pairs?$/m)
    expect(text).not.toContain('Wrong')
    expect(lines.slice(-2)).toEqual([
      '  It can be used.',
      'SOLANA_RPC_URL is not set: missed slots that no source can replay become gaps.',
    ])
    expect(isUsable).toBe(true)
  })

  it('reports what a JSON-RPC endpoint is and delivers, of which chain, and how far back it goes', async () => {
    const { rpc } = await aChain()

    const { isUsable, lines, text } = await check(`rpc+${rpc.url}`)

    expect(lines.slice(0, 5)).toEqual([
      `rpc localhost:${rpc.port}`,
      '  It answers and runs solana-core 4.3.0.',
      '  It is read at commitment confirmed.',
      expect.stringMatching(/^ {2}Its newest slot is 1,\d\d\d\.$/),
      '  It holds blocks from slot 1,000 on.',
    ])
    expect(text).toMatch(/it gave \d+ whole blocks/)
    expect(text).toMatch(/^ {4}pumpswap: \d+ swaps?, \d+ new pairs?$/m)
    expect(lines.slice(-2)).toEqual(['  Note: This is not mainnet.', '  It can be used.'])
    expect(isUsable).toBe(true)
  })

  it('reports what program logs deliver and cannot see', async () => {
    const { rpc } = await aChain()

    const { isUsable, lines, text } = await check(`logs+${rpc.url.replace('http', 'ws')}`, {
      // Each transaction in logs has its own time.
      clock: createWatchClock(50),
    })

    expect(lines.slice(0, 3)).toEqual([
      `logs localhost:${rpc.port}`,
      '  It answers and runs solana-core 4.3.0.',
      '  It is read at commitment confirmed.',
    ])
    expect(text).toMatch(/^ {2}In 9\.999 seconds it gave logs of \d+ slots?, /m)
    expect(text).toMatch(/^ {2}They contained \d+ transactions with an event:$/m)
    expect(text).toMatch(/^ {4}pumpfun: \d+ swaps?, \d+ new pairs?$/m)
    expect(text).toContain('Events are in order of arrival, without cursors')
    expect(lines.at(-1)).toBe('  It can be used.')
    expect(isUsable).toBe(true)
  })

  it('checks several, each with its token, and the RPC that fills holes', async () => {
    const first = await aChain({ token: 'first' })
    const second = await aChain()
    const third = await aChain()

    const { lines, text } = await check(`${first.yellowstone.url} rpc+${second.rpc.url}`, {
      tokens: ['first'],
      rpcUrl: third.rpc.url,
    })

    expect(lines.filter((line) => !line.startsWith(' '))).toEqual([
      `yellowstone localhost:${first.yellowstone.port}`,
      `rpc localhost:${second.rpc.port}`,
      `SOLANA_RPC_URL localhost:${third.rpc.port}`,
    ])
    expect(lines.at(-1)).toBe('  Note: This is not mainnet.')
    expect(text).not.toContain('refuses')
  })

  // Guards customers: a stream from devnet looks like mainnet.
  it.each([
    ['devnet', 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG'],
    ['testnet', '4uhcVJyU9pJkvQyUS88uRDiswHXSCkY3zQawwpjk2NsY'],
  ])('reports that an endpoint or an RPC of %s cannot be used', async (name, genesisHash) => {
    const other = (await aChain({}, { genesisHash })).rpc.url
    const mainnet = (await aChain({}, { genesisHash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' })).rpc
      .url

    const endpoint = await check(`rpc+${other}`)
    const logs = await check(`logs+${other.replace('http', 'ws')}`, { clock: createWatchClock(50) })
    const beside = await check(`rpc+${mainnet}`, { rpcUrl: other })

    for (const { text, isUsable } of [endpoint, logs, beside]) {
      expect(text).toContain(`  Wrong: This is ${name}, not mainnet.`)
      expect(isUsable).toBe(false)
    }
    expect(beside.text).toContain('  This is mainnet.')
  })

  it.each([
    {
      name: 'a port without a listener',
      open: async () => `yellowstone+http://${await nowhere()}`,
      says: /Nothing listens at 127\.0\.0\.1:\d+: the connection is refused\./,
    },
    {
      name: 'a JSON-RPC port without a listener',
      open: async () => `rpc+http://${await nowhere()}`,
      says: 'Nothing listens there: the connection is refused.',
    },
    {
      name: 'a port at which nothing can listen',
      open: async () => 'rpc+http://127.0.0.1:1',
      says: 'Nothing listens there: ',
    },
    {
      name: 'TLS on a port without it',
      open: async () => (await aChain()).yellowstone.url.replace('http', 'https'),
      says: 'does not speak TLS.',
    },
    {
      name: 'TLS on a port of JSON-RPC without it',
      open: async () => `rpc+${(await aChain()).rpc.url.replace('http', 'https')}`,
      says: 'does not speak TLS.',
    },
    {
      name: 'gRPC to a JSON-RPC',
      open: async () => `yellowstone+${(await aChain()).rpc.url}`,
      says: 'does not speak gRPC.',
    },
    {
      name: 'JSON-RPC to a gRPC server',
      open: async () => (await aChain()).yellowstone.url.replace('yellowstone', 'rpc'),
      says: 'does not speak JSON-RPC.',
    },
    {
      name: 'logs without a websocket',
      open: async () => `logs+ws://${await aWebsite(404)}`,
      says: 'There is no websocket at this address (HTTP 404).',
    },
    {
      name: 'logs over TLS on a port without it',
      open: async () => `logs+${(await aChain()).rpc.url.replace('http', 'wss')}`,
      says: 'does not speak TLS.',
    },
    {
      name: 'logs with a wrong token',
      open: async () => `logs+${(await aChain({ token: 'right' })).rpc.url.replace('http', 'ws')}`,
      tokens: ['wrong'],
      says: /There is no websocket|refuses our token/,
    },
    {
      name: 'refused logs',
      open: async () => `logs+${(await aChain({ maxSubscriptions: 0 })).rpc.url.replace('http', 'ws')}`,
      says: 'The endpoint refuses every subscription to logs',
    },
    {
      name: 'a website',
      open: async () => `rpc+http://${await aWebsite(200)}`,
      says: 'The server at this address does not speak JSON-RPC.',
    },
    {
      name: 'a missing page',
      open: async () => `rpc+http://${await aWebsite(404)}`,
      says: 'There is no JSON-RPC at this address (HTTP 404).',
    },
    {
      name: 'gRPC to a website',
      open: async () => `yellowstone+http://${await aWebsite(200)}`,
      says: 'does not speak gRPC.',
    },
    {
      name: 'no token',
      open: async () => (await aChain({ token: 'right' })).yellowstone.url,
      says: /refuses our token.* No token was sent: SOLANA_SOURCE_TOKEN is not set\./,
    },
    {
      name: 'a wrong token',
      open: async () => `rpc+${(await aChain({ token: 'right' })).rpc.url}`,
      tokens: ['wrong'],
      says: 'The endpoint refuses our token or key (HTTP 401).',
    },
    {
      name: 'a server that is down',
      open: async () => (await aChain({ isDown: true })).yellowstone.url,
      says: 'The endpoint cannot be reached: "The node is down."',
    },
    {
      name: 'a server that drops slow clients',
      open: async () => (await aChain({ lagsOut: true })).yellowstone.url,
      says: 'because we did not keep up with it',
    },
    {
      name: 'no block metas',
      open: async () => (await aChain({ lostMetas: 1 })).yellowstone.url,
      looks: 60,
      says: 'It sends no block metas: nobody can tell when a slot is whole, so nothing can be streamed.',
    },
    {
      name: 'silence',
      open: async () => (await aChain({ isSilent: true })).yellowstone.url,
      ends: 0,
      says: 'It sent nothing in',
    },
  ])(
    'reports that it cannot be used, and why: $name',
    async ({ open, tokens = [], ends = 8, looks, says }) => {
      const clock =
        ends > 0 ? createWatchClock(ends, looks) : { ...createWatchClock(1), wait: systemClock.wait }
      const { isUsable, text, lines } = await check(await open(), {
        tokens,
        clock,
        ...(ends > 0 ? {} : { forMs: 500 }),
      })

      expect(text).toMatch(says)
      expect(lines).toContain('  It cannot be used.')
      expect(isUsable).toBe(false)
    },
  )

  it.each([
    {
      name: 'too old a server',
      version: '{"version":{"package":"yellowstone-grpc-geyser","version":"12.0.0"}}',
      says: "Note: The server's version 12.0.0 is older than 14.1.0",
    },
    {
      name: 'a rate limit',
      kind: 'rpc',
      faults: { callsPerSecond: 3 },
      ends: 3,
      says: 'Note: The endpoint limits our calls (HTTP 429)',
    },
    {
      name: 'blocks lost in transit',
      faults: { lostBlocks: 0.3 },
      ends: 40,
      says: 'Note: Part of ',
    },
    { name: 'no replay', faults: { replay: 'off' }, says: 'Note: It offers no replay' },
    {
      name: 'no confirmations',
      faults: { lostVotes: 1 },
      says: 'Note: It never says that a slot is confirmed',
    },
  ] as const)('reports what it lacks while it can be used: $name', async ({ says, ...wrong }) => {
    const { yellowstone, rpc } = await aChain('faults' in wrong ? wrong.faults : {}, wrong)
    const url = 'kind' in wrong ? `rpc+${rpc.url}` : yellowstone.url

    const clock = createWatchClock('ends' in wrong ? wrong.ends : 8)
    const { isUsable, text } = await check(url, { clock })

    expect(text).toContain(says)
    expect(isUsable).toBe(true)
  })

  // Guards providers' keys, which are part of addresses and which servers repeat.
  it('never prints a token or a key', async () => {
    const server = createServer((request, response) => {
      response.writeHead(200).end(
        JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          error: {
            code: -1,
            message: `bad key s3cret-key of ${request.url} and ${request.headers['x-token']}`,
          },
        }),
      )
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => server.once('listening', resolve))
    closing.push(() => {
      server.closeAllConnections()
      server.close()
    })
    const { port } = server.address() as AddressInfo

    const { text } = await check(`rpc+http://127.0.0.1:${port}/s3cret-path?api-key=s3cret-key`, {
      tokens: ['s3cret-token'],
    })

    expect(text).toContain('bad key … of /…?api-key=… and …')
    expect(text).not.toContain('s3cret')
  })

  it.each(['simulator', 'replay:recordings', '', 'https://host'])(
    'refuses %o, which is no endpoint',
    (setting) => expect(check(setting)).rejects.toThrow(/^SOLANA_SOURCE: .* is not a live source\./),
  )
})
