import { expect, it } from 'vitest'
import type { FeedFacts } from '../chain/feed.ts'
import type { StreamUpdate } from './read-update.ts'
import { createLackWatch } from './stream-lacks.ts'

const meta = (parentSlot: number): StreamUpdate => {
  const place = { slot: 7, bankId: 0, blockhash: 'seven', blockTime: null }
  return { kind: 'blockMeta', ...place, parentSlot, parentBlockhash: '' }
}

it('reports once that a server names no parents, and nothing for one that does', () => {
  const [deaf, sound]: FeedFacts[][] = [[], []]
  const watchDeaf = createLackWatch((facts) => deaf!.push(facts))
  const watchSound = createLackWatch((facts) => sound!.push(facts))
  for (const slot of [1, 2]) {
    watchDeaf(meta(0))
    watchSound(meta(slot))
  }

  expect(deaf).toEqual([{ warning: expect.stringContaining('which block follows which') }])
  expect(sound).toEqual([])
})

it('reports once that a server gives transactions no index in their block, and nothing for one that does', () => {
  const transaction = (slot: number, index: number): StreamUpdate => ({
    ...{ kind: 'transaction', slot, bankId: 0, index },
    transaction: {} as Extract<StreamUpdate, { kind: 'transaction' }>['transaction'],
  })
  const [deaf, sound]: FeedFacts[][] = [[], []]
  const watchDeaf = createLackWatch((facts) => deaf!.push(facts))
  const watchSound = createLackWatch((facts) => sound!.push(facts))
  for (let slot = 0; slot < 100; slot++) {
    watchDeaf(transaction(slot, 0))
    watchSound(transaction(slot, slot % 2))
  }

  expect(deaf).toEqual([{ warning: expect.stringContaining('where in its block') }])
  expect(sound).toEqual([])
})
