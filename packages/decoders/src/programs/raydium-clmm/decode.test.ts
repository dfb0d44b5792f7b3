import { type Call, writeEventLog } from '@pairwire/chain-writer'
import { encodeBase58, USDC, WRAPPED_SOL } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { createAnchorCoder } from '../../testing/anchor.ts'
import { address, aKey, aMovement, aTransfer, decodeCalls, TRADER } from '../../testing/transactions.ts'
import { BYREAL, PANCAKESWAP, RAYDIUM } from './layout.ts'

/**
 * Routes, the other creations, limit orders and the program's copies, for which no executed transaction is available.
 *
 * @see https://github.com/raydium-io/raydium-clmm
 */
const anchor = createAnchorCoder({
  instructions: {
    swap_v2: 'amount: u64, other_amount_threshold: u64, sqrt_price_limit_x64: u128, is_base_input: bool',
    swap_v3_dyn: 'amount: u64, other_amount_threshold: u64, sqrt_price_limit_x64: u128, is_base_input: bool',
    swap_router_base_in: 'amount_in: u64, amount_out_minimum: u64',
    create_pool: 'sqrt_price_x64: u128, open_time: u64',
    create_pool_decay_fee: 'sqrt_price_x64: u128',
    create_customizable_pool: 'sqrt_price_x64: u128',
    set_pool_quote_flag: '',
    set_pool_trade_fee_rate: '',
    set_swap_dynamic_fee_params: '',
    open_limit_order: '',
    settle_limit_order: '',
  },
  events: {
    SwapEvent: `pool_state: pubkey, sender: pubkey, token_account_0: pubkey, token_account_1: pubkey, amount_0: u64,
      transfer_fee_0: u64, amount_1: u64, transfer_fee_1: u64, zero_for_one: bool, sqrt_price_x64: u128,
      liquidity: u128, tick: u32`,
  },
})

const SOL = address(WRAPPED_SOL)
const DOLLAR = address(USDC)
const [POOL, TOKEN, VAULT_1, VAULT_2, USER_1, USER_2, USER_3, POOL_2, VAULT_3, VAULT_4, FILLER] = [
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 30,
].map(aKey) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
/** A mint of Token-2022 that withholds three per cent. */
const FEE = aKey(203)
const MOVEMENTS = [aMovement(VAULT_2, encodeBase58(TOKEN), 10_000n, 9_500n)]

function aSwap(programId: string): Call {
  return {
    program: address(programId),
    accounts: [
      TRADER,
      FILLER,
      POOL,
      USER_1,
      USER_2,
      VAULT_1,
      VAULT_2,
      FILLER,
      FILLER,
      FILLER,
      FILLER,
      SOL,
      TOKEN,
    ],
    data: anchor.instruction('swap_v2'),
    steps: [aTransfer(USER_1, VAULT_1, 1_000n), aTransfer(VAULT_2, USER_2, 500n)],
  }
}

describe('raydium-clmm decoder', () => {
  it.each([
    [RAYDIUM, 'raydium_clmm'],
    [PANCAKESWAP, 'pancakeswap'],
    [BYREAL, 'byreal'],
  ])('reads a swap at the address %s as one of %s', (programId, exchange) => {
    const { events, refusals } = decodeCalls([aSwap(programId)], { movements: MOVEMENTS })

    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      { exchange, ammAccount: encodeBase58(POOL), swapType: 'buy', baseAmount: 500n, quoteAmount: 1_000n },
    ])
  })

  it("reads Byreal's swap with oracles like its other swaps", () => {
    const accounts = [...aSwap(BYREAL).accounts, ...Array.from({ length: 6 }, () => FILLER)]
    const call = { ...aSwap(BYREAL), accounts, data: anchor.instruction('swap_v3_dyn') }

    const { events, refusals } = decodeCalls([call], { movements: MOVEMENTS })

    expect(call.data).toHaveLength(41)
    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      { exchange: 'byreal', ammAccount: encodeBase58(POOL), baseAmount: 500n, quoteAmount: 1_000n },
    ])
  })

  it('decodes one trade for each hop of a route, in order, with any tick arrays in between', () => {
    const hop = (
      pool: Uint8Array,
      output: Uint8Array,
      vaultIn: Uint8Array,
      vaultOut: Uint8Array,
      mint: Uint8Array,
    ) => [FILLER, pool, output, vaultIn, vaultOut, mint, FILLER]
    const route: Call = {
      program: address(RAYDIUM),
      accounts: [
        ...[TRADER, USER_1, DOLLAR, FILLER, FILLER, FILLER],
        ...hop(POOL, USER_2, VAULT_1, VAULT_2, SOL),
        ...[FILLER, FILLER, FILLER],
        ...hop(POOL_2, USER_3, VAULT_3, VAULT_4, TOKEN),
        FILLER,
      ],
      data: anchor.instruction('swap_router_base_in'),
      steps: [
        aTransfer(USER_1, VAULT_1, 150n),
        aTransfer(VAULT_2, USER_2, 1_000n),
        aTransfer(USER_2, VAULT_3, 1_000n),
        aTransfer(VAULT_4, USER_3, 500n),
      ],
    }

    const { events, refusals } = decodeCalls([route], {
      movements: [aMovement(VAULT_4, encodeBase58(TOKEN), 10_000n, 9_500n)],
    })

    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      {
        ammAccount: encodeBase58(POOL),
        baseTokenMint: WRAPPED_SOL,
        quoteTokenMint: USDC,
        swapType: 'buy',
        baseAmount: 1_000n,
        quoteAmount: 150n,
      },
      {
        ammAccount: encodeBase58(POOL_2),
        baseTokenMint: encodeBase58(TOKEN),
        quoteTokenMint: WRAPPED_SOL,
        swapType: 'buy',
        baseAmount: 500n,
        quoteAmount: 1_000n,
      },
    ])
  })

  it('reads each of two swaps of one pool by its own event if their hidden fee cannot be split between them', () => {
    const event = anchor.event('SwapEvent', { pool_state: POOL, amount_0: 500n, amount_1: 970n })
    const { accounts } = aSwap(RAYDIUM)
    const call = {
      ...aSwap(RAYDIUM),
      accounts: [...accounts.slice(0, 11), FEE, TOKEN],
      steps: [
        aTransfer(USER_1, VAULT_1, 1_000n, true),
        aTransfer(VAULT_2, USER_2, 500n),
        writeEventLog(event),
      ],
    }
    const movements = [...MOVEMENTS, aMovement(VAULT_1, encodeBase58(FEE), 0n, 1_940n)]

    const { events, refusals } = decodeCalls([call, call], { movements })

    expect(refusals).toEqual([])
    const one = { swapType: 'buy', baseAmount: 500n, quoteTokenMint: encodeBase58(FEE), quoteAmount: 970n }
    expect(events).toMatchObject([one, one])
  })

  it('refuses a hop of a route whose fee is hidden, and reads the next one in its own tokens', () => {
    const route: Call = {
      program: address(RAYDIUM),
      accounts: [
        ...[TRADER, USER_1, FEE, FILLER, FILLER, FILLER],
        ...[FILLER, POOL, USER_2, VAULT_1, VAULT_2, SOL, FILLER],
        ...[FILLER, POOL_2, USER_3, VAULT_3, VAULT_4, TOKEN, FILLER],
      ],
      data: anchor.instruction('swap_router_base_in'),
      steps: [
        aTransfer(USER_1, VAULT_1, 150n, true),
        aTransfer(VAULT_2, USER_2, 1_000n),
        aTransfer(USER_2, VAULT_3, 1_000n),
        aTransfer(VAULT_4, USER_3, 500n),
      ],
    }
    const movements = [
      aMovement(VAULT_1, encodeBase58(FEE), 0n, 290n),
      aMovement(VAULT_4, encodeBase58(TOKEN), 10_000n, 9_000n),
    ]

    const { events, refusals } = decodeCalls([route, route], { movements })

    expect(refusals).toMatchObject([{ reason: 'missing_event' }, { reason: 'missing_event' }])
    const second = {
      ammAccount: encodeBase58(POOL_2),
      baseTokenMint: encodeBase58(TOKEN),
      quoteTokenMint: WRAPPED_SOL,
      quoteAmount: 1_000n,
    }
    expect(events).toMatchObject([second, second])
  })

  it('refuses a route by name if its transfers are not in the record', () => {
    const call = {
      program: address(RAYDIUM),
      accounts: Array(20).fill(FILLER),
      data: anchor.instruction('swap_router_base_in'),
    }

    expect(decodeCalls([call])).toMatchObject({ events: [], refusals: [{ reason: 'missing_event' }] })
  })

  it.each([
    ['create_pool', RAYDIUM, 'raydium_clmm', [FILLER, FILLER, POOL, SOL, TOKEN]],
    ['create_customizable_pool', RAYDIUM, 'raydium_clmm', [FILLER, FILLER, POOL, SOL, TOKEN]],
    ['create_pool', BYREAL, 'byreal', [FILLER, FILLER, FILLER, FILLER, POOL, FILLER, SOL, TOKEN]],
    ['create_pool_decay_fee', BYREAL, 'byreal', [FILLER, FILLER, FILLER, FILLER, POOL, FILLER, SOL, TOKEN]],
  ] as const)('reads %s at %s as a new pair without liquidity', (name, programId, exchange, accounts) => {
    const { events } = decodeCalls([
      { program: address(programId), accounts, data: anchor.instruction(name) },
    ])

    expect(events).toMatchObject([
      {
        kind: 'newPair',
        exchange,
        ammAccount: encodeBase58(POOL),
        baseToken: { mint: encodeBase58(TOKEN) },
        quoteToken: { mint: WRAPPED_SOL },
        baseTokenLiquidityAdded: 0n,
        quoteTokenLiquidityAdded: 0n,
      },
    ])
  })

  it.each([
    [RAYDIUM, [aKey(40), FILLER, POOL, SOL, TOKEN]],
    [BYREAL, [aKey(40), FILLER, FILLER, FILLER, POOL, FILLER, SOL, TOKEN]],
  ])(
    'names the creator of a pool at %s, and not who pays the fee of the transaction',
    (program, accounts) => {
      const create = { program: address(program), accounts, data: anchor.instruction('create_pool') }

      expect(decodeCalls([create]).events).toMatchObject([{ creator: encodeBase58(aKey(40)) }])
    },
  )

  it('knows what the manager of a Byreal pool sets as no swap', () => {
    const calls = ['set_pool_quote_flag', 'set_pool_trade_fee_rate', 'set_swap_dynamic_fee_params'] as const
    const set = calls.map((name) => ({
      program: address(BYREAL),
      accounts: [],
      data: anchor.instruction(name),
    }))

    expect(decodeCalls(set)).toMatchObject({ events: [], refusals: [] })
  })

  it('does not mistake limit orders for swaps, though they move the vaults', () => {
    const orders = (['open_limit_order', 'settle_limit_order'] as const).map((name) => ({
      program: address(RAYDIUM),
      accounts: [TRADER, POOL, VAULT_1],
      data: anchor.instruction(name),
      steps: [aTransfer(USER_1, VAULT_1, 1_000n)],
    }))

    expect(decodeCalls(orders, { movements: MOVEMENTS })).toMatchObject({ events: [], refusals: [] })
  })
})
