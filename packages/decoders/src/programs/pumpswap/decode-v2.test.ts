import { type Call, writeEventCall } from '@pairwire/chain-writer'
import { encodeBase58, WRAPPED_SOL } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { createAnchorCoder, type Value } from '../../testing/anchor.ts'
import { address, aKey, aMovement, aTransfer, decodeCalls, TRADER } from '../../testing/transactions.ts'
import { PROGRAM_ID as PUMPFUN } from '../pumpfun/layout.ts'
import { PROGRAM_ID } from './layout.ts'

/**
 * The forms since October 2026, mostly without a public recorded transaction, in bytes of Anchor's coder.
 *
 * @see https://github.com/pump-fun/pump-public-docs/blob/main/idl/pump_amm.json
 */
const anchor = createAnchorCoder({
  events: {
    BuyEvent: `timestamp: i64, base_amount_out: u64, max_quote_amount_in: u64, user_base_token_reserves: u64,
      user_quote_token_reserves: u64, pool_base_token_reserves: u64, pool_quote_token_reserves: u64,
      quote_amount_in: u64, lp_fee_basis_points: u64, lp_fee: u64, protocol_fee_basis_points: u64,
      protocol_fee: u64, quote_amount_in_with_lp_fee: u64, user_quote_amount_in: u64, pool: pubkey, user: pubkey,
      user_base_token_account: pubkey, user_quote_token_account: pubkey, protocol_fee_recipient: pubkey,
      protocol_fee_recipient_token_account: pubkey, coin_creator: pubkey, coin_creator_fee_basis_points: u64,
      coin_creator_fee: u64, track_volume: bool, total_unclaimed_tokens: u64, total_claimed_tokens: u64,
      current_sol_volume: u64, last_update_timestamp: i64, min_base_amount_out: u64, ix_name: string,
      cashback_fee_basis_points: u64, cashback: u64, buyback_fee_basis_points: u64, buyback_fee: u64,
      virtual_quote_reserves: i128, can_boost: bool, base_supply: u64, holder_rewards_bps: u64,
      holder_rewards: u64, creator_fee_unclaimed: u64`,
    SellEvent: `timestamp: i64, base_amount_in: u64, min_quote_amount_out: u64, user_base_token_reserves: u64,
      user_quote_token_reserves: u64, pool_base_token_reserves: u64, pool_quote_token_reserves: u64,
      quote_amount_out: u64, lp_fee_basis_points: u64, lp_fee: u64, protocol_fee_basis_points: u64,
      protocol_fee: u64, quote_amount_out_without_lp_fee: u64, user_quote_amount_out: u64, pool: pubkey,
      user: pubkey, user_base_token_account: pubkey, user_quote_token_account: pubkey,
      protocol_fee_recipient: pubkey, protocol_fee_recipient_token_account: pubkey, coin_creator: pubkey,
      coin_creator_fee_basis_points: u64, coin_creator_fee: u64, cashback_fee_basis_points: u64, cashback: u64,
      buyback_fee_basis_points: u64, buyback_fee: u64, virtual_quote_reserves: i128, can_boost: bool,
      base_supply: u64, holder_rewards_bps: u64, holder_rewards: u64, creator_fee_unclaimed: u64`,
    SweepPoolFeeEvent: `timestamp: i64, pool: pubkey, base_mint: pubkey, quote_mint: pubkey, recipient: pubkey,
      payer: pubkey, amount: u64, bucket: u8`,
    TradeEvent: `mint: pubkey, sol_amount: u64, token_amount: u64, is_buy: bool, user: pubkey, timestamp: i64,
      virtual_sol_reserves: u64, virtual_token_reserves: u64, real_sol_reserves: u64, real_token_reserves: u64`,
  },
  instructions: {
    buy_v2: 'base_amount_out: u64, max_quote_amount_in: u64',
    buy_exact_quote_in_v2: 'spendable_quote_in: u64, min_base_amount_out: u64',
    sell_v2: 'base_amount_in: u64, min_quote_amount_out: u64',
    multi_hop_swap: 'amount_in: u64, min_amount_out: u64',
    multi_hop_curve_swap: 'amount_in: u64, hop_fees: bytes',
    sweep_protocol_fee: '',
    sweep_creator_fee: '',
  },
})

const PROGRAM = address(PROGRAM_ID)
const SOL = address(WRAPPED_SOL)
const [AUTHORITY, FILLER, POOL, BASE, BASE_VAULT, QUOTE_VAULT, USER_BASE, USER_QUOTE] = [
  10, 30, 1, 2, 3, 4, 5, 6,
].map(aKey) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]

type Values = Readonly<Record<string, Value>>

const tell = (name: string, values: Values, program = PROGRAM) =>
  writeEventCall(program, AUTHORITY, anchor.event(name, values))

/** 1,000 for the pool; 40 of 50 in fees wait in the vault, 10 went out. */
const BUY: Values = {
  base_amount_out: 500n,
  pool_base_token_reserves: 10_000n,
  pool_quote_token_reserves: 90_000n,
  quote_amount_in: 1_050n,
  protocol_fee: 20n,
  quote_amount_in_with_lp_fee: 1_000n,
  user_quote_amount_in: 998n,
  pool: POOL,
  user: TRADER,
  coin_creator_fee: 30n,
  ix_name: 'buy_v2',
  buyback_fee: 10n,
  virtual_quote_reserves: -700n,
}
const SELL: Values = {
  base_amount_in: 500n,
  pool_base_token_reserves: 10_000n,
  pool_quote_token_reserves: 90_000n,
  quote_amount_out: 1_002n,
  protocol_fee: 20n,
  quote_amount_out_without_lp_fee: 1_000n,
  user_quote_amount_out: 950n,
  pool: POOL,
  user: TRADER,
  coin_creator_fee: 30n,
  buyback_fee: 10n,
  virtual_quote_reserves: 17_000n,
}

const ACCOUNTS = [POOL, TRADER, FILLER, BASE, SOL, USER_BASE, USER_QUOTE, BASE_VAULT, QUOTE_VAULT]

function aTrade(name: string, steps: Call['steps'], quote = SOL): Call {
  const accounts = ACCOUNTS.map((key) => (key === SOL ? quote : key))
  return {
    program: PROGRAM,
    accounts: [...accounts, ...new Array(8).fill(FILLER)],
    data: anchor.instruction(name),
    steps: steps ?? [],
  }
}

const DECIMALS = { movements: [aMovement(BASE_VAULT, encodeBase58(BASE), 10_000n, 9_500n)] }

describe('pumpswap trades that keep their fees in the vault', () => {
  it.each(['buy_v2', 'buy_exact_quote_in_v2'])('are buys by %s, without waiting fees', (name) => {
    const steps = [
      aTransfer(BASE_VAULT, USER_BASE, 500n),
      aTransfer(USER_QUOTE, QUOTE_VAULT, 1_040n),
      aTransfer(USER_QUOTE, FILLER, 10n),
      tell('BuyEvent', BUY),
    ]

    const { events, refusals } = decodeCalls([aTrade(name, steps)], DECIMALS)

    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      {
        kind: 'swap',
        exchange: 'pumpswap',
        launchpad: null,
        ammAccount: encodeBase58(POOL),
        baseTokenMint: encodeBase58(BASE),
        quoteTokenMint: WRAPPED_SOL,
        walletAccount: encodeBase58(TRADER),
        swapType: 'buy',
        baseAmount: 500n,
        quoteAmount: 1_000n,
        baseDecimals: 6,
        quoteDecimals: 9,
        quoteTokenLiquidity: 90_300n, // 90,000 - 700 + 1,000
        baseTokenLiquidity: 9_500n,
      },
    ])
  })

  it('are sells by sell_v2, with the fees that stayed behind', () => {
    const steps = [
      aTransfer(USER_BASE, BASE_VAULT, 500n),
      aTransfer(QUOTE_VAULT, USER_QUOTE, 950n),
      aTransfer(QUOTE_VAULT, FILLER, 10n),
      tell('SellEvent', SELL),
    ]

    expect(decodeCalls([aTrade('sell_v2', steps)], DECIMALS).events).toMatchObject([
      { swapType: 'sell', baseAmount: 500n, quoteAmount: 1_000n, quoteTokenLiquidity: 106_000n },
    ])
  })

  it('with a quote that withholds a fee count what the vault got, less what waits in it', () => {
    const quote = aKey(203)
    const steps = [
      aTransfer(BASE_VAULT, USER_BASE, 500n),
      aTransfer(USER_QUOTE, QUOTE_VAULT, 1_040n, true),
      tell('BuyEvent', BUY),
    ]
    const movements = [...DECIMALS.movements, aMovement(QUOTE_VAULT, encodeBase58(quote), 90_000n, 91_030n)]

    const { events } = decodeCalls([aTrade('buy_v2', steps, quote)], { movements })

    expect(events).toMatchObject([{ quoteAmount: 990n, quoteTokenLiquidity: 90_290n }])
  })

  it('coexist with old ones on the same pool, and sweeps between them are nothing', () => {
    const sweep = (name: string): Call => ({
      program: PROGRAM,
      accounts: [TRADER, FILLER, POOL, SOL, FILLER, QUOTE_VAULT, FILLER],
      data: anchor.instruction(name),
      steps: [
        aTransfer(QUOTE_VAULT, FILLER, 40n),
        tell('SweepPoolFeeEvent', { pool: POOL, amount: 40n, bucket: 1 }),
      ],
    })
    const old: Call = {
      ...aTrade('sell_v2', [
        aTransfer(USER_BASE, BASE_VAULT, 500n),
        aTransfer(QUOTE_VAULT, USER_QUOTE, 950n),
        aTransfer(QUOTE_VAULT, FILLER, 50n),
        tell('SellEvent', { ...SELL, protocol_fee_recipient: aKey(8) }),
      ]),
      data: Uint8Array.of(0x33, 0xe6, 0x85, 0xa4, 0x01, 0x7f, 0x83, 0xad),
    }

    const { events, refusals } = decodeCalls(
      [
        aTrade('buy_v2', [tell('BuyEvent', BUY)]),
        sweep('sweep_protocol_fee'),
        sweep('sweep_creator_fee'),
        old,
      ],
      DECIMALS,
    )

    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      { swapType: 'buy', quoteAmount: 1_000n },
      { swapType: 'sell', quoteAmount: 1_000n, quoteTokenLiquidity: 106_000n },
    ])
  })

  it('are refused when their event is missing', () => {
    expect(decodeCalls([aTrade('buy_v2', [aTransfer(BASE_VAULT, USER_BASE, 5n)])], DECIMALS)).toMatchObject({
      events: [],
      refusals: [{ reason: 'missing_event' }],
    })
  })
})

describe('a route over several pools and curves', () => {
  const [MIDDLE, LAST, CURVE, LAST_POOL, LAST_VAULT] = [40, 41, 42, 43, 44].map(aKey) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ]
  const curve = [MIDDLE, BASE, CURVE, aKey(45), aKey(46)]
  const hops = [
    [BASE, SOL, POOL, BASE_VAULT, QUOTE_VAULT],
    curve,
    [LAST, MIDDLE, LAST_POOL, LAST_VAULT, aKey(47)],
  ].flat()
  const movements = [
    ...DECIMALS.movements,
    aMovement(LAST_VAULT, encodeBase58(LAST), 9n, 1n),
    aMovement(aKey(47), encodeBase58(MIDDLE), 9n, 1n),
  ]
  const route = (steps: Call['steps'], accounts = hops): Call => ({
    program: PROGRAM,
    accounts: [TRADER, ...new Array(15).fill(FILLER), ...accounts],
    data: anchor.instruction('multi_hop_swap'),
    steps: steps ?? [],
  })
  const first = tell('BuyEvent', { ...BUY, ix_name: 'multi_hop_swap' })
  const last = tell('BuyEvent', {
    ...BUY,
    pool: LAST_POOL,
    base_amount_out: 70n,
    quote_amount_in_with_lp_fee: 80n,
  })
  const pump = address(PUMPFUN)
  const onCurve: Call = {
    program: pump,
    accounts: [FILLER, FILLER, FILLER, TRADER, ...new Array(9).fill(FILLER), ...curve],
    data: anchor.instruction('multi_hop_curve_swap'),
    steps: [
      tell(
        'TradeEvent',
        { mint: MIDDLE, sol_amount: 5n, token_amount: 80n, is_buy: true, user: TRADER },
        pump,
      ),
    ],
  }

  it('is one trade for each hop in order, whichever program reports it', () => {
    const steps = [
      aTransfer(BASE_VAULT, aKey(46), 500n),
      first,
      onCurve,
      aTransfer(LAST_VAULT, USER_BASE, 70n),
      last,
    ]

    const { events, refusals } = decodeCalls([route(steps)], { movements })

    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      {
        exchange: 'pumpswap',
        ammAccount: encodeBase58(POOL),
        quoteTokenMint: WRAPPED_SOL,
        quoteAmount: 1_000n,
      },
      { exchange: 'pumpfun', ammAccount: encodeBase58(CURVE), baseAmount: 80n },
      {
        exchange: 'pumpswap',
        ammAccount: encodeBase58(LAST_POOL),
        baseTokenMint: encodeBase58(LAST),
        quoteTokenMint: encodeBase58(MIDDLE),
        walletAccount: encodeBase58(TRADER),
        baseAmount: 70n,
        quoteAmount: 80n,
      },
    ])
  })

  it('keeps its other hops if the vaults contradict one', () => {
    const steps = [aTransfer(BASE_VAULT, USER_BASE, 500n), first, aTransfer(USER_BASE, LAST_VAULT, 70n), last]

    expect(decodeCalls([route(steps)], { movements })).toMatchObject({
      events: [{ ammAccount: encodeBase58(POOL), baseAmount: 500n }],
      refusals: [{ reason: 'contradicted' }],
    })
  })

  it('counts a pool that it uses twice as two trades, each by its own event', () => {
    const back = tell('SellEvent', { ...SELL, base_amount_in: 400n })
    const steps = [
      aTransfer(BASE_VAULT, USER_BASE, 500n),
      first,
      aTransfer(USER_BASE, BASE_VAULT, 400n),
      back,
    ]

    expect(decodeCalls([route(steps, hops.slice(0, 5))], DECIMALS).events).toMatchObject([
      { swapType: 'buy', baseAmount: 500n },
      { swapType: 'sell', baseAmount: 400n },
    ])
  })

  it('has no trade of its own if every hop is a curve', () => {
    expect(decodeCalls([route([onCurve], curve)])).toMatchObject({
      events: [{ exchange: 'pumpfun' }],
      refusals: [],
    })
  })

  it('is refused if the record proves none of it, and hop by hop if an event names no pool of it', () => {
    const stray = tell('BuyEvent', { ...BUY, pool: aKey(99) })

    expect(decodeCalls([route([])])).toMatchObject({ events: [], refusals: [{ reason: 'missing_event' }] })
    expect(decodeCalls([route([stray, first])], DECIMALS)).toMatchObject({
      events: [{ ammAccount: encodeBase58(POOL) }],
      refusals: [{ path: '0', reason: 'missing_event' }],
    })
  })
})
