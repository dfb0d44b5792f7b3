import { type Call, writeEventCall, writeMintTo } from '@pairwire/chain-writer'
import { encodeBase58, WRAPPED_SOL } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { createAnchorCoder } from '../../testing/anchor.ts'
import { address, aKey, aMovement, aTransfer, decodeCalls, TRADER } from '../../testing/transactions.ts'
import { TOKEN_2022_PROGRAM } from '../../tokens/layout.ts'
import { PROGRAM_ID } from './layout.ts'

/**
 * The forms with a transfer hook, without a public transaction, and launchpads, in bytes of Anchor's coder.
 *
 * @see https://www.npmjs.com/package/@meteora-ag/dynamic-bonding-curve-sdk (`DynamicBondingCurveIdl`)
 */
const SWAP2 = `pool: pubkey, config: pubkey, trade_direction: u8, has_referral: bool, swap_parameters: SwapParameters2,
  swap_result: SwapResult2, quote_reserve_amount: u64, migration_threshold: u64, current_timestamp: u64`
const anchor = createAnchorCoder({
  types: {
    SwapParameters2: 'amount_0: u64, amount_1: u64, swap_mode: u8',
    SwapResult2: `included_fee_input_amount: u64, excluded_fee_input_amount: u64, amount_left: u64, output_amount: u64,
      next_sqrt_price: u128, trading_fee: u64, protocol_fee: u64, referral_fee: u64`,
    InitializePoolParameters: 'name: string, symbol: string, uri: string',
  },
  events: { EvtSwap2: SWAP2, EvtSwap2WithTransferHook: SWAP2 },
  instructions: {
    swap2: 'params: SwapParameters2',
    swap2_with_transfer_hook: 'params: SwapParameters2',
    create_config: '',
    initialize_virtual_pool_with_token2022_transfer_hook: 'params: InitializePoolParameters',
    claim_trading_fee2: '',
  },
})

const PROGRAM = address(PROGRAM_ID)
const SOL = address(WRAPPED_SOL)
const TRENDS = address('7UNpFBfTdWrcfS7aBQzEaPgZCfPJe8BDgHzwmWUZaMaF')
const BAGS = address('BAGSB9TpGrZxQbEsrEznv5jXXdwyP6AXerN8aVRiAmcv')
const JUPITER_STUDIO = address('8rE9CtCjwhSmbwL5fbJBtRFsS3ohfMcDFeTTC7t4ciUA')
const [POOL, MINT, BASE_VAULT, QUOTE_VAULT, USER_BASE, USER_QUOTE, REFERRAL, CONFIG, FILLER] = [
  1, 2, 3, 4, 5, 6, 7, 8, 30,
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
]
const MOVEMENTS = [aMovement(BASE_VAULT, encodeBase58(MINT), 10_000n, 9_500n)]
const PARAMS = { amount_0: 0n, amount_1: 0n, swap_mode: 0 }
const RESULT = {
  included_fee_input_amount: 1_000n,
  excluded_fee_input_amount: 990n,
  amount_left: 0n,
  output_amount: 500n,
  next_sqrt_price: 0n,
  trading_fee: 8n,
  protocol_fee: 1n,
  referral_fee: 1n,
}

/** A sale of 500 for 990 (`isBuy` false), or a purchase of 500 for 1,000 of which the vault pays a referrer 1. */
function aSwap({
  isBuy = true,
  hook = false,
  config = CONFIG,
  referral = REFERRAL,
  pool = POOL,
}: Partial<{
  isBuy: boolean
  hook: boolean
  config: Uint8Array
  referral: Uint8Array
  pool: Uint8Array
}> = {}): Call {
  const result = isBuy
    ? RESULT
    : { ...RESULT, included_fee_input_amount: 500n, excluded_fee_input_amount: 500n, output_amount: 990n }
  const event = anchor.event(hook ? 'EvtSwap2WithTransferHook' : 'EvtSwap2', {
    pool,
    config,
    trade_direction: isBuy ? 1 : 0,
    swap_parameters: PARAMS,
    swap_result: result,
    quote_reserve_amount: 77_000n,
  })
  const output = isBuy ? USER_BASE : USER_QUOTE
  const legs = isBuy
    ? [aTransfer(USER_QUOTE, QUOTE_VAULT, 1_000n), aTransfer(BASE_VAULT, USER_BASE, 500n)]
    : [aTransfer(USER_BASE, BASE_VAULT, 500n), aTransfer(QUOTE_VAULT, USER_QUOTE, 990n)]
  return {
    program: PROGRAM,
    accounts: [
      FILLER,
      config,
      POOL,
      isBuy ? USER_QUOTE : USER_BASE,
      output,
      BASE_VAULT,
      QUOTE_VAULT,
      MINT,
      SOL,
      TRADER,
      FILLER,
      FILLER,
      referral,
      FILLER,
      PROGRAM,
    ],
    data: anchor.instruction(hook ? 'swap2_with_transfer_hook' : 'swap2', { params: PARAMS }),
    steps: [
      ...legs,
      ...(referral === PROGRAM ? [] : [aTransfer(QUOTE_VAULT, referral, 1n)]),
      writeEventCall(PROGRAM, FILLER, event),
    ],
  }
}

describe('meteora-dbc decoder', () => {
  it.each([false, true])("reads a purchase without the referrer's share (transfer hook: %s)", (hook) => {
    const { events, refusals } = decodeCalls([aSwap({ hook })], { movements: MOVEMENTS })

    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      {
        exchange: 'meteora_dbc',
        launchpad: null,
        ammAccount: encodeBase58(POOL),
        swapType: 'buy',
        baseAmount: 500n,
        quoteAmount: 1_000n,
        quoteTokenLiquidity: 77_000n,
      },
    ])
  })

  it('separates the price from the share of a trader who is their own referrer', () => {
    const { events } = decodeCalls([aSwap({ isBuy: false, referral: USER_QUOTE })], { movements: MOVEMENTS })

    expect(events).toMatchObject([{ swapType: 'sell', baseAmount: 500n, quoteAmount: 990n }])
  })

  it('names the launchpad of a known configuration, and none for another', () => {
    const named = (config: Uint8Array) => decodeCalls([aSwap({ config })], { movements: MOVEMENTS }).events

    expect(named(TRENDS)).toMatchObject([{ launchpad: 'trends' }])
    expect(named(aKey(55))).toMatchObject([{ launchpad: null }])
  })

  it('refuses an event of another curve by name', () => {
    expect(decodeCalls([aSwap({ pool: aKey(99) })], { movements: MOVEMENTS })).toMatchObject({
      events: [],
      refusals: [{ exchange: 'meteora_dbc', reason: 'missing_event' }],
    })
  })

  const create = (creator: Uint8Array): Call => ({
    program: PROGRAM,
    accounts: [CONFIG, FILLER, creator, MINT, SOL, POOL, BASE_VAULT, QUOTE_VAULT, FILLER, TRADER],
    data: anchor.instruction('initialize_virtual_pool_with_token2022_transfer_hook', {
      params: { name: 'Curve', symbol: 'CRV', uri: 'ar://x' },
    }),
    steps: [writeMintTo(address(TOKEN_2022_PROGRAM), MINT, BASE_VAULT, FILLER, 10_000n)],
  })

  it("reads a creation with a transfer hook, its name and the curve's holdings", () => {
    const { events } = decodeCalls([create(TRADER)])

    expect(events).toMatchObject([
      {
        kind: 'newPair',
        ammAccount: encodeBase58(POOL),
        baseToken: { mint: encodeBase58(MINT), name: 'Curve', symbol: 'CRV', uri: 'ar://x' },
        baseTokenLiquidityAdded: 10_000n,
        quoteTokenLiquidityAdded: 0n,
        launchpad: null,
      },
    ])
  })

  it('names the launchpad that signs for the curve', () => {
    expect(decodeCalls([create(BAGS)]).events).toMatchObject([{ launchpad: 'bags' }])
  })

  it("knows Jupiter Studio by the configuration made for the curve, and not by another's", () => {
    const configure = (config: Uint8Array, extra: Uint8Array): Call => ({
      program: PROGRAM,
      accounts: [config, FILLER, FILLER, SOL, TRADER, FILLER, FILLER, PROGRAM, extra],
      data: anchor.instruction('create_config'),
    })
    const named = (config: Uint8Array, extra: Uint8Array) =>
      decodeCalls([configure(config, extra), create(TRADER)]).events

    expect(named(CONFIG, JUPITER_STUDIO)).toMatchObject([{ launchpad: 'jupiter_studio' }])
    expect(named(aKey(56), JUPITER_STUDIO)).toMatchObject([{ launchpad: null }])
    expect(named(CONFIG, FILLER)).toMatchObject([{ launchpad: null }])
  })

  it('returns nothing for a claim of fees', () => {
    const data = anchor.instruction('claim_trading_fee2')

    expect(decodeCalls([{ program: PROGRAM, accounts: [], data }])).toMatchObject({
      events: [],
      refusals: [],
    })
  })
})
