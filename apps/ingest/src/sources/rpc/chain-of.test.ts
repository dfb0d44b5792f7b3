import { createChain, serveRpc } from '@pairwire/chain-double'
import { expect, it, onTestFinished } from 'vitest'
import { createHastyClock, createListLog } from '../../testing/live-chain.ts'
import { askChain } from './chain-of.ts'
import { createRpcClient } from './rpc-client.ts'

it.each([
  ['mainnet', '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d', []],
  ['devnet', 'EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG', ['This is devnet, not mainnet.']],
  ['other', '3Gq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBGEtWTRABZ', ['This is not mainnet.']],
])('asks until an endpoint reports %s, and warns of any but mainnet', async (name, genesisHash, words) => {
  const rpc = await serveRpc({ chain: { ...createChain(), genesisHash } })
  onTestFinished(rpc.close)
  rpc.faults.isDown = true
  const clock = createHastyClock(1_000)
  const log = createListLog()
  const client = createRpcClient({ url: new URL(rpc.url), token: undefined, clock })
  const { signal } = new AbortController()

  // It is unavailable at first.
  let isAsked = false
  const wait: typeof clock.wait = async (...args) => {
    isAsked = true
    rpc.faults.isDown = false
    await clock.wait(...args)
  }
  const chain = await askChain(client, { clock: { ...clock, wait }, log, signal })

  expect(isAsked).toBe(true)
  expect(chain).toBe(name)
  expect(log.lines).toEqual(words.map((sentence) => `rpc ${client.host}: ${sentence}`))
})
