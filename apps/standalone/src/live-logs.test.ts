import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { type ChainTransaction, createChain, serveRpc } from '@pairwire/chain-double'
import { encodeBase58, StreamFrame } from '@pairwire/contract'
import { expect, it, onTestFinished } from 'vitest'
import { openLiveStreet } from './testing/live-street.ts'

/** A sale on pump.fun's curve, recorded on mainnet. */
const SALE: ChainTransaction & { blockTime: number } = JSON.parse(
  readFileSync(
    fileURLToPath(
      new URL(
        '../../../packages/decoders/src/programs/pumpfun/fixtures/sell-v2-october.json',
        import.meta.url,
      ),
    ),
    'utf8',
  ),
).transaction

/** The same sale under another signature. */
function sale(number: number): ChainTransaction {
  const signature = encodeBase58(new Uint8Array(64).fill(number))
  return { ...SALE, transaction: { ...SALE.transaction, signatures: [signature] } }
}

it('streams program logs to a client: events without a cursor, a gap where the connection broke, and recovery by itself', async () => {
  const clock = createManualClock()
  const chain = createChain({ firstSlot: 1_000 })
  const rpc = await serveRpc({ chain })
  onTestFinished(rpc.close)
  const street = await openLiveStreet(`logs+${rpc.url.replace('http', 'ws')}`, { clock })
  await street.until(() => street.status().source?.up === true)
  const sell = () => chain.add([sale(chain.blocks.length + 1)], { blockTime: SALE.blockTime })
  const swaps = () => street.frames.filter(({ method }) => method === 'swapNotification')

  sell()
  sell()
  await street.until(() => swaps().length === 2)
  rpc.drop()
  sell()
  await street.until(() => street.logged.some((sentence) => sentence.includes('closed the connection')))
  await street.until(() => street.status().source?.up === true)
  sell()
  await street.until(() => swaps().length === 3)

  for (const frame of street.frames) {
    expect(frame).not.toHaveProperty('cursor')
    expect(StreamFrame.safeParse(frame).success).toBe(true)
  }
  expect(swaps().map(({ params }) => params.slot)).toEqual([1_000, 1_001, 1_003])
  expect(swaps()[0].params.swap).toMatchObject({ sourceExchange: 'pumpfun', swapType: 'sell' })
  const gaps = street.frames.filter(({ method }) => method === 'gapNotification')
  expect(gaps.map(({ params }) => ({ ...params, subscription_id: 0 }))).toEqual(
    new Array(2).fill({
      subscription_id: 0,
      fromSlot: 1_001,
      toSlot: 1_003,
      cause: 'upstream',
      resume_from: null,
    }),
  )
  expect(street.frames.filter(({ method }) => method === 'latestBlockNotification')[0].params).toEqual({
    block: 1_000,
    blockTime: SALE.blockTime,
  })
})
