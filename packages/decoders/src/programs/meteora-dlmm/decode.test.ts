import type { Call } from '@pairwire/chain-writer'
import { encodeBase58, WRAPPED_SOL } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { createAnchorCoder } from '../../testing/anchor.ts'
import { address, aKey, aMovement, aTransfer, decodeCalls, TRADER } from '../../testing/transactions.ts'
import { PROGRAM_ID } from './layout.ts'

/**
 * Pairs that take their fees in token Y alone, without a public transaction: of a sale of X the host's share comes out
 * of the same reserve as the price.
 *
 * @see https://docs.meteora.ag/core-products/dlmm/collect-fee-mode
 */
const anchor = createAnchorCoder({ types: {}, events: {}, instructions: { swap2: '', add_liquidity2: '' } })

const PROGRAM = address(PROGRAM_ID)
const SOL = address(WRAPPED_SOL)
const [PAIR, TOKEN, RESERVE_X, RESERVE_Y, USER_X, USER_Y, HOST, FILLER] = [1, 2, 3, 4, 5, 6, 7, 30].map(
  aKey,
) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array]
const MOVEMENTS = [
  aMovement(RESERVE_X, encodeBase58(TOKEN), 10_000n, 10_500n),
  aMovement(RESERVE_Y, WRAPPED_SOL, 5_000n, 4_009n, 9),
]

/** A sale of 500 for 990, of which the reserve pays a host 1 besides. */
function aSale(host: Uint8Array): Call {
  const accounts = [PAIR, PROGRAM, RESERVE_X, RESERVE_Y, USER_X, USER_Y, TOKEN, SOL, FILLER, host, TRADER]
  const steps = [
    aTransfer(USER_X, RESERVE_X, 500n),
    aTransfer(RESERVE_Y, USER_Y, 990n),
    ...(host === PROGRAM ? [] : [aTransfer(RESERVE_Y, host, 1n)]),
  ]
  return { program: PROGRAM, accounts, data: anchor.instruction('swap2'), steps }
}

describe('meteora-dlmm decoder', () => {
  it.each([
    ['no host', PROGRAM],
    ['another host', HOST],
    ['the trader as their own host', USER_Y],
  ])('reads a sale whose fee is in the token that it pays, with %s', (_, host) => {
    const { events, refusals } = decodeCalls([aSale(host)], { movements: MOVEMENTS })

    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      {
        exchange: 'meteora_dlmm',
        ammAccount: encodeBase58(PAIR),
        walletAccount: encodeBase58(TRADER),
        swapType: 'sell',
        baseAmount: 500n,
        quoteAmount: 990n,
      },
    ])
  })

  it('knows what the pair holds after its last swap, but not if other calls may move its reserve afterwards', () => {
    const unknown = { ...aSale(HOST), data: new Uint8Array(8) }
    const deposit = { ...aSale(HOST), data: anchor.instruction('add_liquidity2') }
    const heldAfter = (...calls: Call[]) =>
      decodeCalls(calls, { movements: MOVEMENTS }).events.map(
        (event) => event.kind === 'swap' && event.quoteTokenLiquidity,
      )

    expect(heldAfter(aSale(HOST))).toEqual([4_009n])
    expect(heldAfter(aSale(HOST), aSale(HOST))).toEqual([null, 4_009n])
    for (const other of [unknown, deposit]) {
      expect(heldAfter(aSale(HOST), other)).toEqual([null])
      expect(heldAfter(other, aSale(HOST))).toEqual([4_009n])
    }
    expect(heldAfter(aSale(HOST), aTransfer(USER_X, HOST, 1n))).toEqual([4_009n])
  })
})
