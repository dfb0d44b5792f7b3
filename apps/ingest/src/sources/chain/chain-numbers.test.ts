import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { createChain, serveRpc, serveYellowstone } from '@pairwire/chain-double'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  collect,
  createHastyClock,
  createListLog,
  createMemoryCheckpoint,
  eventually,
  someTransactions,
  WANTED,
} from '../../testing/live-chain.ts'
import { readLiveAddresses } from '../live-addresses.ts'
import { openFeed } from '../open-live-source.ts'
import { createRpcFeed } from '../rpc/rpc-feed.ts'
import { readBlockTime } from './chain-numbers.ts'
import { createChainSource } from './chain-source.ts'
import type { Feed } from './feed.ts'

const clock = createHastyClock(1)
const NOW = clock.now()
const none = new AbortController().signal

/** Reads a feed until it fails. */
const faultOf = (feed: Feed) =>
  feed.read({
    ...{ whereFrom: () => undefined, push: () => true, drained: async () => {}, report: () => {} },
    signal: none,
  })

describe('slots and times from an endpoint', () => {
  it.each([1_795_000_000.5, 1e300, -5, 0, 1_499_999_999, NOW / 1000 + 90_000, Number.NaN, '1795000000'])(
    'reject a block time of %s',
    (value) => {
      expect(readBlockTime(value, NOW)).toBeNull()
    },
  )

  // Guards typed clients, which fail on any other number.
  it('give a block with an impossible time that of the previous block', async () => {
    const chain = createChain({ firstSlot: 1_000, firstBlockTime: 1_793_000_000 })
    const rpc = await serveRpc({ chain })
    const feed = createRpcFeed({ url: new URL(rpc.url), token: undefined, programs: [WANTED], clock })
    const checkpoint = createMemoryCheckpoint()
    const source = createChainSource({
      ...{ feeds: [feed], backfill: undefined, checkpoint, clock, log: createListLog() },
    })
    const times: number[] = []
    const { blocks } = source
    const noted = {
      ...source,
      async *blocks(signal: AbortSignal) {
        for await (const entry of blocks(signal)) {
          if ('blockTime' in entry) times.push(entry.blockTime)
          yield entry
        }
      },
    }
    chain.add(someTransactions('one', 1))
    const collected = collect(noted as typeof source)
    onTestFinished(async () => {
      await collected.stop()
      await rpc.close()
    })
    await eventually(() => times.length === 1)
    for (const blockTime of [1_793_000_002.5, 1e300])
      chain.add(someTransactions(`${blockTime}`, 1), { blockTime })
    chain.add(someTransactions('last', 1), { blockTime: 1_793_000_003 })
    await eventually(() => times.length === 4)

    expect(times).toEqual([1_793_000_000, 1_793_000_000, 1_793_000_000, 1_793_000_003])
  })

  it.each(['rpc', 'yellowstone'] as const)(
    'reject a slot of more than 12 digits, and the endpoint of %s',
    async (kind) => {
      const chain = createChain({ firstSlot: 9_000_000_000_000 })
      const server = await (kind === 'rpc' ? serveRpc({ chain }) : serveYellowstone({ chain }))
      onTestFinished(server.close)
      chain.add([])
      const setting = kind === 'rpc' ? `rpc+${server.url}` : server.url

      await expect(faultOf(openFeed(readLiveAddresses(setting, [])[0]!, clock))).rejects.toMatchObject({
        kind: 'unusable',
      })
    },
  )

  it('end a gRPC stream at an impossible slot', async () => {
    const chain = createChain({ firstSlot: 9_000_000_000_000 })
    const server = await serveYellowstone({ chain, missing: ['GetSlot', 'SubscribeReplayInfo'] })
    onTestFinished(server.close)
    const fault = faultOf(openFeed(readLiveAddresses(server.url, [])[0]!, clock)).catch((error) => error)
    await eventually(() => server.streams() > 0)
    chain.add(someTransactions('one', 1))

    expect(await fault).toMatchObject({ kind: 'unusable' })
  })

  it('reject an endpoint whose answers are not valid messages', async () => {
    const server = createServer()
    server.on('stream', (stream) => {
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      // A message of two bytes, whose first field has the number zero.
      stream.end(Buffer.from([0, 0, 0, 0, 2, 0, 0]))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const { port } = server.address() as AddressInfo

    const [address] = readLiveAddresses(`yellowstone+http://127.0.0.1:${port}`, [])
    await expect(faultOf(openFeed(address!, clock))).rejects.toMatchObject({ kind: 'unusable' })
  })
})
