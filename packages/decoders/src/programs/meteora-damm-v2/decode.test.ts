import { type Call, writeEventCall } from '@pairwire/chain-writer'
import { encodeBase58, WRAPPED_SOL } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { bytesOfHex } from '../../bytes/discriminator.ts'
import { createAnchorCoder } from '../../testing/anchor.ts'
import {
  address,
  aKey,
  aMovement,
  aTransfer,
  decodeCalls,
  routed,
  TRADER,
} from '../../testing/transactions.ts'
import { TOKEN_2022_PROGRAM } from '../../tokens/layout.ts'
import { PROGRAM_ID } from './layout.ts'

/** The event of 2025 and forms without an executed transaction. @see https://github.com/MeteoraAg/damm-v2 */
const anchor = createAnchorCoder({
  types: {
    SwapParameters: 'amount_in: u64, minimum_amount_out: u64',
    SwapResult: `output_amount: u64, next_sqrt_price: u128, lp_fee: u64, protocol_fee: u64, partner_fee: u64,
      referral_fee: u64`,
  },
  events: {
    EvtSwap: `pool: pubkey, trade_direction: u8, has_referral: bool, params: SwapParameters, swap_result: SwapResult,
      actual_amount_in: u64, current_timestamp: u64`,
    EvtInitializePool: `pool: pubkey, token_a_mint: pubkey, token_b_mint: pubkey, creator: pubkey, payer: pubkey,
      alpha_vault: pubkey, pool_fees: bytes, sqrt_min_price: u128, sqrt_max_price: u128, activation_type: u8,
      collect_fee_mode: u8, liquidity: u128, sqrt_price: u128, activation_point: u64, token_a_flag: u8,
      token_b_flag: u8, token_a_amount: u64, token_b_amount: u64, total_amount_a: u64, total_amount_b: u64,
      pool_type: u8`,
  },
  instructions: { swap: 'params: SwapParameters', initialize_customizable_pool: '', claim_position_fee: '' },
})

const PROGRAM = address(PROGRAM_ID)
const SOL = address(WRAPPED_SOL)
const [POOL, TOKEN, VAULT_A, VAULT_B, USER_A, USER_B, FILLER] = [1, 2, 3, 4, 5, 6, 30].map(aKey) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const MOVEMENTS = [
  aMovement(VAULT_A, encodeBase58(TOKEN), 10_000n, 9_500n),
  aMovement(VAULT_B, WRAPPED_SOL, 1n, 1_001n, 9),
]
const PARAMS = { amount_in: 1_000n, minimum_amount_out: 0n }

function aSwap(transfers: Call[], pool = POOL): Call {
  const swap_result = {
    output_amount: 500n,
    next_sqrt_price: 0n,
    lp_fee: 0n,
    protocol_fee: 0n,
    partner_fee: 0n,
    referral_fee: 0n,
  }
  const event = anchor.event('EvtSwap', {
    pool,
    trade_direction: 1,
    params: PARAMS,
    swap_result,
    actual_amount_in: 1_000n,
  })
  return {
    program: PROGRAM,
    accounts: [
      FILLER,
      POOL,
      USER_B,
      USER_A,
      VAULT_A,
      VAULT_B,
      TOKEN,
      SOL,
      TRADER,
      FILLER,
      FILLER,
      PROGRAM,
      FILLER,
      PROGRAM,
    ],
    data: anchor.instruction('swap', { params: PARAMS }),
    steps: [...transfers, writeEventCall(PROGRAM, FILLER, event)],
  }
}

describe('meteora-damm-v2 decoder', () => {
  it('reads a swap of the first program version, with the reserve from the vault', () => {
    const transfers = [aTransfer(USER_B, VAULT_B, 1_000n), aTransfer(VAULT_A, USER_A, 500n)]

    const { events, refusals } = decodeCalls([aSwap(transfers)], { movements: MOVEMENTS })

    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      {
        exchange: 'meteora_damm_v2',
        swapType: 'buy',
        baseAmount: 500n,
        quoteAmount: 1_000n,
        quoteTokenLiquidity: 1_001n,
      },
    ])
  })

  it("uses the event's amounts if the record has no transfers", () => {
    const { events } = decodeCalls([aSwap([])], { movements: MOVEMENTS })

    expect(events).toMatchObject([{ swapType: 'buy', baseAmount: 500n, quoteAmount: 1_000n }])
  })

  it('refuses an event of another pool by name', () => {
    const { events, refusals } = decodeCalls([aSwap([], aKey(99))], { movements: MOVEMENTS })

    expect(events).toEqual([])
    expect(refusals).toMatchObject([{ exchange: 'meteora_damm_v2', reason: 'missing_event' }])
  })

  it('reads a pool that opens with only one of its tokens', () => {
    const create: Call = {
      program: PROGRAM,
      accounts: [FILLER, FILLER, FILLER, TRADER, FILLER, POOL, FILLER, TOKEN, SOL, VAULT_A, VAULT_B],
      data: anchor.instruction('initialize_customizable_pool'),
      steps: [aTransfer(USER_A, VAULT_A, 10_000n)],
    }

    expect(decodeCalls([create]).events).toMatchObject([
      { kind: 'newPair', baseTokenLiquidityAdded: 10_000n, quoteTokenLiquidityAdded: 0n, migration: null },
    ])
  })

  it('names the creator that the pool is made for, and not who pays for it', () => {
    const creator = aKey(40)
    const create: Call = {
      program: PROGRAM,
      accounts: [creator, FILLER, FILLER, TRADER, FILLER, POOL, FILLER, TOKEN, SOL, VAULT_A, VAULT_B],
      data: anchor.instruction('initialize_customizable_pool'),
      steps: [aTransfer(USER_A, VAULT_A, 10_000n)],
    }
    const migration = address('dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN')
    const data = bytesOfHex('9ca9e66735e45040')

    expect(decodeCalls([create]).events).toMatchObject([{ creator: encodeBase58(creator) }])
    // A migration makes it for the launchpad's own authority.
    expect(decodeCalls([{ program: migration, accounts: [], data, steps: [create] }]).events).toMatchObject([
      { migration: 'meteora_dbc', creator: encodeBase58(TRADER) },
    ])
  })

  it('opens with what its vault got of a token with a fee that is sold into it in the same transaction', () => {
    const event = anchor.event('EvtInitializePool', { token_a_amount: 9_700n, total_amount_a: 10_000n })
    const tokenProgram = address(TOKEN_2022_PROGRAM)
    const opened = { program: tokenProgram, accounts: [VAULT_A, TOKEN], data: Uint8Array.of(18) }
    const create = (steps: Call[]): Call => ({
      program: PROGRAM,
      accounts: [FILLER, FILLER, FILLER, TRADER, FILLER, POOL, FILLER, TOKEN, SOL, VAULT_A, VAULT_B],
      data: anchor.instruction('initialize_customizable_pool'),
      steps: [opened, aTransfer(USER_A, VAULT_A, 10_000n, true), ...steps],
    })
    const sold = routed(aTransfer(USER_A, VAULT_A, 1_000n, true))
    const movements = [aMovement(VAULT_A, encodeBase58(TOKEN), null, 10_670n)]
    const told = create([writeEventCall(PROGRAM, FILLER, event)])

    expect(decodeCalls([told, sold], { movements }).events).toMatchObject([
      { baseTokenLiquidityAdded: 9_700n, quoteTokenLiquidityAdded: 0n },
    ])
    // Without its event, and with one that is cut.
    for (const steps of [[], [writeEventCall(PROGRAM, FILLER, event.subarray(0, 20))]]) {
      const { events, refusals } = decodeCalls([create(steps), sold], { movements })
      expect([events, refusals]).toMatchObject([[], [{ path: '0' }]])
    }
  })

  it('does not mistake a claim of fees for a swap, though it moves the vaults', () => {
    const claim = {
      program: PROGRAM,
      accounts: [VAULT_A],
      data: anchor.instruction('claim_position_fee'),
      steps: [aTransfer(VAULT_A, USER_A, 5n)],
    }

    expect(decodeCalls([claim], { movements: MOVEMENTS })).toMatchObject({ events: [], refusals: [] })
  })
})
