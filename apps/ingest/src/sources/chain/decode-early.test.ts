import { systemClock } from '@pairwire/basics'
import { type Decoded, readRpcTransaction, type Transaction } from '@pairwire/decoders'
import { expect, it, onTestFinished } from 'vitest'
import { isDecoded } from '../../slot-keeper/block-transaction.ts'
import { aRecord } from '../../testing/a-record.ts'
import { createMemoryCheckpoint } from '../../testing/live-chain.ts'
import { silentLog as log } from '../../testing/silent-log.ts'
import { createChainSource } from './chain-source.ts'
import type { FeedParts } from './feed.ts'

const NOTHING: Decoded = { events: [], refusals: [] }

/** A source that reads one endpoint, a function that plays the endpoint, and the source's next entry. */
async function aSource(decode: (transaction: Transaction) => Decoded) {
  let push: FeedParts['push'] = () => true
  const abort = new AbortController()
  const feed = {
    name: 'test',
    canReplay: false,
    read: async (parts: FeedParts) => {
      push = parts.push
      await new Promise((resolve) => parts.signal.addEventListener('abort', resolve))
    },
  }
  const parts = { feeds: [feed], backfill: undefined, checkpoint: createMemoryCheckpoint() }
  const entries = createChainSource({ ...parts, clock: systemClock, log })
    .blocks(abort.signal, undefined, decode)
    [Symbol.asyncIterator]()
  const next = entries.next()
  onTestFinished(async () => {
    abort.abort()
    await entries.return?.()
  })
  push({ kind: 'connected', from: 7 })
  const sendTransaction = (slot: number, index: number) =>
    push({
      ...{ kind: 'transaction', slot, bankId: 1, index },
      transaction: { ...readRpcTransaction({ ...aRecord(index + 1), slot })!, index },
    })
  const endSlot = (slot: number) => {
    const hashes = { blockhash: `hash ${slot}`, parentBlockhash: `hash ${slot - 1}` }
    push({ kind: 'blockMeta', slot, bankId: 1, parentSlot: slot - 1, blockTime: 1, ...hashes })
    push({ kind: 'confirmed', slot, bankId: 1 })
  }
  return { next, sendTransaction, endSlot }
}

it('decodes a transaction of the live chain on arrival, not at the end of its slot', async () => {
  let count = 0
  const source = await aSource(() => ({ ...NOTHING, refusals: new Array(++count) }))

  source.sendTransaction(7, 1)
  source.sendTransaction(7, 0)
  const decodedBefore = count
  source.endSlot(7)
  const { value } = await source.next

  expect(decodedBefore).toBe(2)
  expect(count).toBe(2)
  expect(value.transactions.map(({ index }: Transaction) => index)).toEqual([0, 1])
  expect(value.transactions[0].decoded.refusals).toHaveLength(2)
})

it('passes on unchanged a transaction that breaks a decoder, so that the publisher reports it', async () => {
  const source = await aSource(() => {
    throw new Error('a fault of a decoder')
  })

  source.sendTransaction(7, 0)
  source.endSlot(7)
  const { value } = await source.next

  expect(value.transactions).toHaveLength(1)
  expect(isDecoded(value.transactions[0])).toBe(false)
})
