import { inCi } from '@pairwire/basics/testing/in-ci'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BlockSplitter } from './block-splitter.ts'

/** Splits `text` given in chunks of these sizes. */
function split(text: string, sizes: readonly number[] = []) {
  const bytes = Buffer.from(text)
  const transactions: unknown[] = []
  const splitter = new BlockSplitter((each) => transactions.push(JSON.parse(each.toString())))
  let at = 0
  for (const size of sizes) {
    splitter.add(bytes.subarray(at, at + size))
    at += size
  }
  splitter.add(bytes.subarray(at))
  return { transactions, rest: splitter.rest() }
}

describe('BlockSplitter', () => {
  it('passes on each transaction and keeps the rest', () => {
    const block = { blockTime: 7, transactions: [{ a: 1 }, { b: [{ c: '}' }] }], blockhash: 'x' }

    expect(split(JSON.stringify({ jsonrpc: '2.0', result: block, id: 1 }))).toEqual({
      transactions: block.transactions,
      rest: { jsonrpc: '2.0', result: { ...block, transactions: [] }, id: 1 },
    })
  })

  it('leaves an answer without transactions unchanged', () => {
    for (const answer of [
      { error: { code: -32004, message: 'no' } },
      { result: null },
      { result: { transactions: null, a: [1] } },
      { result: { blockhash: 'transactions', rewards: [{ x: 1 }] } },
      { result: { 'not transactions': [{ x: 1 }] } },
      { result: [{ transactions: [{ x: 1 }] }] },
    ]) {
      expect(split(JSON.stringify(answer))).toEqual({ transactions: [], rest: answer })
    }
  })

  it('gives the same result however the answer is formatted and however its bytes arrive', () => {
    const transaction = fc.dictionary(fc.string(), fc.jsonValue())
    fc.assert(
      fc.property(
        fc.array(transaction),
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 }),
        fc.constantFrom(undefined, 1, '\t'),
        (transactions, others, sizes, space) => {
          // `__proto__` is a valid key in JSON, but not in an object literal.
          const result = JSON.parse(JSON.stringify({ ...others, transactions, last: '\\"[{' }))
          const outcome = split(JSON.stringify({ id: 1, result, jsonrpc: '2.0' }, null, space), sizes)

          expect(outcome.transactions).toEqual(result.transactions)
          expect(outcome.rest).toEqual({ id: 1, result: { ...result, transactions: [] }, jsonrpc: '2.0' })
        },
      ),
      { numRuns: inCi(500, 100) },
    )
  })
})
