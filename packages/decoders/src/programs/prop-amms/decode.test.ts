import type { Call } from '@pairwire/chain-writer'
import { encodeBase58, USDC, WRAPPED_SOL } from '@pairwire/contract'
import { EXCHANGES, PAIR_EXCHANGES } from '@pairwire/contract/exchanges'
import { describe, expect, it } from 'vitest'
import { bytesOfHex } from '../../bytes/discriminator.ts'
import { createCallTally } from '../../call-tally.ts'
import { decodeTransaction } from '../../decode-transaction.ts'
import {
  address,
  aKey,
  aMovement,
  aTransaction,
  aTransfer,
  routed,
  TRADER,
} from '../../testing/transactions.ts'
import { VENUES } from './layout.ts'

const [POOL, USER_SOL, USER_USDC, SOL_VAULT, USDC_VAULT, OTHER, FILLER] = [1, 2, 3, 4, 5, 6, 30].map(
  aKey,
) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array]
const MOVEMENTS = [
  aMovement(SOL_VAULT, WRAPPED_SOL, 5_000n, 6_000n, 9),
  aMovement(USDC_VAULT, USDC, 900n, 820n),
]
/** 1,000 lamports for 80 raw units of USDC. */
const SALE = [aTransfer(USER_SOL, SOL_VAULT, 1_000n), aTransfer(USDC_VAULT, USER_USDC, 80n)]
/** The reverse. */
const PURCHASE = [aTransfer(USER_USDC, USDC_VAULT, 80n), aTransfer(SOL_VAULT, USER_SOL, 1_000n)]

/** Bytes of each venue's swaps: those in the table, repeated here, and HumidiFi's obfuscated ones. */
const FORMS: readonly (readonly [
  exchange: string,
  form: number,
  head: string,
  size: number,
  tail?: string,
])[] = [
  ['bisonfi', 0, '02', 18],
  ['bisonfi', 0, '07', 19],
  ['bisonfi', 0, '13', 153],
  ['goonfi_v2', 0, '01', 18],
  ['goonfi_v2', 0, '01', 19],
  ['tessera', 0, '10', 18],
  ['tessera', 0, '11', 18],
  ['scorch', 0, '02', 34],
  ['scorch', 1, '01', 34],
  ['quantum', 0, '07', 18],
  ['alphaq', 0, '0c', 18],
  ['humidifi', 0, '', 25, '3d'],
  ['humidifi', 0, '', 25, '36'],
  ['humidifi', 0, '', 25, '2d'],
  ['humidifi', 1, '', 113, '28'],
  ['humidifi', 1, '', 137, '19'],
  ['solfi_v2', 0, '07', 18],
  ['solfi_v2', 0, '07', 25],
  ['solfi_v2', 0, '0e', 18],
  ['zerofi', 0, '06', 17],
  ['zerofi', 1, '10', 17],
  ['zerofi', 1, '10', 18],
  ['zerofi', 1, '10', 57],
  ['manifest', 0, '04', 19],
  ['manifest', 1, '0d', 19],
  ['obric_v2', 0, 'f8c69e91e17587c8', 25],
  ['obric_v2', 1, '414b3f4ceb5b5b88', 25],
]

function aSwap(
  [exchange, form, head, size, tail = '']: (typeof FORMS)[number],
  steps: Call['steps'] = SALE,
  pairs = { users: [USER_SOL, USER_USDC], vaults: [SOL_VAULT, USDC_VAULT] },
): Call {
  const { program, swaps } = VENUES.find((venue) => venue.exchange === exchange)!
  const { accounts: count, pool, authority, users, vaults } = swaps[form]!
  const accounts = new Array<Uint8Array>(count).fill(FILLER)
  const placed = [POOL, TRADER, ...pairs.users, ...pairs.vaults]
  for (const [at, place] of [pool, authority, ...users, ...vaults].entries()) accounts[place] = placed[at]!
  const data = new Uint8Array(size)
  data.set(bytesOfHex(head))
  data.set(bytesOfHex(tail), size - tail.length / 2)
  return { program: address(program), accounts, data, steps: steps ?? [] }
}

/** Events, refusals, and the number of unknown calls. */
function decode(...calls: Call[]) {
  const tally = createCallTally()
  const { events, refusals } = decodeTransaction(aTransaction({ calls, movements: MOVEMENTS }), tally)
  return { events, refusals, unknown: Object.values(tally.read()).map(({ unknown }) => unknown) }
}

const formOf = (exchange: string) => FORMS.find(([each]) => each === exchange)!

describe('a venue of the table', () => {
  it('is each venue without new pairs', () => {
    const pairless = EXCHANGES.filter((exchange) => !PAIR_EXCHANGES.includes(exchange))

    expect(VENUES.map(({ exchange }) => exchange)).toEqual(pairless)
  })

  it.each(FORMS.map((form) => [form.join(' '), form] as const))(
    '%s is decoded from its two payments',
    (_, form) => {
      const [exchange] = form
      const isShared = exchange === 'zerofi' || exchange === 'scorch'

      expect(decode(routed(aSwap(form)))).toMatchObject({
        events: [
          {
            ...{ kind: 'swap', exchange, launchpad: null, ammAccount: encodeBase58(POOL) },
            ...{ baseTokenMint: WRAPPED_SOL, quoteTokenMint: USDC, walletAccount: encodeBase58(TRADER) },
            ...{ swapType: 'sell', baseAmount: 1_000n, quoteAmount: 80n, baseDecimals: 9, quoteDecimals: 6 },
            ...{ quoteTokenLiquidity: isShared ? null : 820n, baseTokenLiquidity: null },
          },
        ],
        refusals: [],
        unknown: [0],
      })
    },
  )

  it('is also read in reverse, in the pool’s own order or with the input always first', () => {
    const turned = { users: [USER_USDC, USER_SOL], vaults: [USDC_VAULT, SOL_VAULT] }
    const purchase = [{ swapType: 'buy', baseAmount: 1_000n, quoteAmount: 80n }]

    expect(decode(aSwap(formOf('tessera'), PURCHASE)).events).toMatchObject(purchase)
    expect(decode(aSwap(formOf('zerofi'), PURCHASE, turned)).events).toMatchObject(purchase)
    expect(decode(aSwap(formOf('zerofi'), PURCHASE))).toMatchObject({ events: [], unknown: [1] })
  })

  it('may pay out before it is paid, and move tokens outside the trade', () => {
    const [paid, given] = SALE
    const steps = [given!, aTransfer(OTHER, USDC_VAULT, 33n), paid!, aTransfer(SOL_VAULT, OTHER, 5n)]

    expect(decode(aSwap(formOf('manifest'), steps)).events).toMatchObject([
      { baseAmount: 1_000n, quoteAmount: 80n },
    ])
  })

  it.each([
    ['two payments in', [...SALE, aTransfer(USER_SOL, SOL_VAULT, 1n)]],
    ['two payments out', [...SALE, aTransfer(USDC_VAULT, USER_USDC, 1n)]],
    ['payments both ways on one side', [...SALE, aTransfer(SOL_VAULT, USER_SOL, 1n)]],
    ['no payment out', SALE.slice(0, 1)],
    ['a payment out of nothing', [SALE[0]!, aTransfer(USDC_VAULT, USER_USDC, 0n)]],
    ['a payment out to a third party', [SALE[0]!, aTransfer(USDC_VAULT, OTHER, 80n)]],
  ])('is no swap with %s, which is counted and not refused', (_, steps) => {
    expect(decode(aSwap(formOf('humidifi'), steps))).toEqual({ events: [], refusals: [], unknown: [1] })
  })

  it('is no swap, and not counted, if nothing moves: it sets a quote', () => {
    const quote = {
      ...aSwap(formOf('humidifi'), []),
      data: new Uint8Array(65),
      accounts: [POOL, TRADER, FILLER],
    }

    expect(decode(quote, aSwap(formOf('tessera'), []))).toEqual({
      events: [],
      refusals: [],
      unknown: [0, 0],
    })
  })

  it.each([
    ['with logs', {}],
    ['without logs', { logs: null }],
  ])('refuses a swap in a record without inner calls, %s', (_, change) => {
    const whole = aTransaction({ calls: [aSwap(formOf('tessera'))], movements: MOVEMENTS })
    const instructions = whole.instructions.filter(({ innerIndex }) => innerIndex === -1)

    expect(decodeTransaction({ ...whole, instructions, ...change })).toEqual({
      events: [],
      refusals: [{ exchange: 'tessera', path: '0', reason: 'missing_event' }],
    })
  })

  it.each([
    ['one byte longer', { data: new Uint8Array(19) }],
    ['other first bytes', { data: Uint8Array.of(3, ...new Uint8Array(17)) }],
    ['an account fewer', { accounts: aSwap(formOf('bisonfi')).accounts.slice(0, 7) }],
  ])('is counted as changed when it moves its own tokens with %s', (_, change) => {
    expect(decode({ ...aSwap(formOf('bisonfi')), ...change })).toEqual({
      events: [],
      refusals: [],
      unknown: [1],
    })
  })

  it('knows which calls of Manifest move tokens without a swap', () => {
    const deposit = {
      ...aSwap(formOf('manifest'), [aTransfer(USER_SOL, SOL_VAULT, 1_000n)]),
      data: Uint8Array.of(2, ...new Uint8Array(8)),
    }

    expect(decode(deposit)).toEqual({ events: [], refusals: [], unknown: [0] })
  })

  it('subtracts what a mint withholds of the input', () => {
    const steps = [aTransfer(USER_SOL, SOL_VAULT, 1_020n, true), SALE[1]!]

    expect(decode(aSwap(formOf('quantum'), steps)).events).toMatchObject([{ baseAmount: 1_000n }])
  })

  it('refuses a swap whose mints are not in the record', () => {
    const call = aSwap(formOf('quantum'), [])
    const steps = SALE.map((step) => ({
      ...step,
      accounts: step.accounts.toSpliced(1, 1),
      data: plain(step),
    }))

    expect(decodeTransaction(aTransaction({ calls: [{ ...call, steps }] })).refusals).toMatchObject([
      { exchange: 'quantum', reason: 'missing_balance' },
    ])
  })
})

/** A checked transfer converted to one without a mint. */
function plain({ data }: Call): Uint8Array {
  return Uint8Array.of(3, ...data.subarray(1, 9))
}
