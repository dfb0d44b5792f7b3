import { type ChainTransaction, createChain, serveRpc, serveYellowstone } from '@pairwire/chain-double'
import { ASKED_PROGRAMS, QUOTING_PROGRAMS, TOKEN_PROGRAM } from '@pairwire/decoders'
import { afterEach, expect, it } from 'vitest'
import {
  aChainTransaction,
  collect,
  createHastyClock,
  createListLog,
  createMemoryCheckpoint,
  eventually,
} from '../testing/live-chain.ts'
import { createChainSource } from './chain/chain-source.ts'
import { createRpcFeed } from './rpc/rpc-feed.ts'
import { createYellowstoneFeed } from './yellowstone/yellowstone-feed.ts'

const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

const HUMIDIFI = '9H6tua7jkLhdm3w8BvgpTn5LZNU7g4ZynDmCiNN3q6Rp'
const PUMPSWAP = 'pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA'

/** The same transaction with this account in a lookup table. */
function looksUp(transaction: ChainTransaction, address: string): ChainTransaction {
  const { meta } = transaction
  return { ...transaction, meta: { ...meta, loadedAddresses: { writable: [], readonly: [address] } } }
}

const kinds = {
  yellowstone: async (chain: ReturnType<typeof createChain>) => {
    const server = await serveYellowstone({ chain })
    const url = new URL(server.url.replace('yellowstone+', ''))
    return { server, url, createFeed: createYellowstoneFeed, isRead: () => server.streams() > 0 }
  },
  rpc: async (chain: ReturnType<typeof createChain>) => {
    const server = await serveRpc({ chain })
    const isRead = () => server.calls.some(({ method }) => method === 'getBlock')
    return { server, url: new URL(server.url), createFeed: createRpcFeed, isRead }
  },
}

// Guards bandwidth: quotes of proprietary AMMs are a third of all transactions of the chain, and none moves a token.
it.each(['yellowstone', 'rpc'] as const)(
  'over %s, transactions of proprietary AMMs arrive if they name the token program, and their quotes do not',
  async (kind) => {
    expect(QUOTING_PROGRAMS).toContain(HUMIDIFI)
    const chain = createChain({ firstSlot: 1_000 })
    const { server, url, createFeed, isRead } = await kinds[kind](chain)
    closing.push(server.close)
    const clock = createHastyClock(1)
    const feed = createFeed({ url, token: undefined, programs: ASKED_PROGRAMS, clock })
    const checkpoint = createMemoryCheckpoint()
    const log = createListLog()
    const collected = collect(
      createChainSource({ feeds: [feed], backfill: undefined, checkpoint, clock, log }),
    )
    closing.push(collected.stop)
    chain.add([])
    await eventually(isRead)

    chain.add([
      aChainTransaction('a quote', HUMIDIFI),
      looksUp(aChainTransaction('a swap', HUMIDIFI), TOKEN_PROGRAM),
      aChainTransaction('a payment', TOKEN_PROGRAM),
      looksUp(aChainTransaction('a swap whose program is looked up', TOKEN_PROGRAM), HUMIDIFI),
      aChainTransaction('a call of a program that is asked for as it is', PUMPSWAP),
      looksUp(aChainTransaction('a route', PUMPSWAP), HUMIDIFI),
    ])
    chain.add([])
    await collected.until((entries) => entries.some((entry) => entry.startsWith('1001:')))

    expect(collected.entries).toContain('1001:1,3,4,5')
  },
)
