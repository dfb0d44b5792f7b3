import { expect, it } from 'vitest'
import { readQueryParams } from './read-query-params.ts'

const read = (query: string) => readQueryParams(new URLSearchParams(query), new Set(['key']))

it('joins a list that is repeated under another spelling, as if it were repeated under the same', () => {
  expect(read('include.walletAccount=A,B&Include.WalletAccount=C&include.usdValue=1&key=k')).toEqual({
    include: { walletAccount: ['A', 'B', 'C'], usdValue: 1 },
  })
})

it('keeps the last of a scalar that is repeated, and the spelling of a name that is not', () => {
  expect(read('match=any&Match=all&Facts=true')).toEqual({ match: 'all', Facts: true })
})
