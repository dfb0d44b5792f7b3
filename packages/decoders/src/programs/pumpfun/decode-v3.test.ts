import { type Call, writeEventCall, writeEventLog } from '@pairwire/chain-writer'
import { encodeBase58, USDC, WRAPPED_SOL } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { bytesOfHex } from '../../bytes/discriminator.ts'
import { createAnchorCoder, type Value } from '../../testing/anchor.ts'
import {
  address,
  aKey,
  aMovement,
  aTransfer,
  decodeCalls,
  routed,
  TRADER,
} from '../../testing/transactions.ts'
import { PROGRAM_ID } from './layout.ts'

/**
 * The forms since October 2026 without a public recorded transaction, in bytes of Anchor's coder.
 *
 * @see https://github.com/pump-fun/pump-public-docs/blob/main/idl/pump.ts
 */
const anchor = createAnchorCoder({
  types: { Shareholder: 'address: pubkey, share_bps: u16' },
  events: {
    TradeEvent: `mint: pubkey, sol_amount: u64, token_amount: u64, is_buy: bool, user: pubkey, timestamp: i64,
      virtual_sol_reserves: u64, virtual_token_reserves: u64, real_sol_reserves: u64, real_token_reserves: u64,
      fee_recipient: pubkey, fee_basis_points: u64, fee: u64, creator: pubkey, creator_fee_basis_points: u64,
      creator_fee: u64, track_volume: bool, total_unclaimed_tokens: u64, total_claimed_tokens: u64,
      current_sol_volume: u64, last_update_timestamp: i64, ix_name: string, mayhem_mode: bool,
      cashback_fee_basis_points: u64, cashback: u64, buyback_fee_basis_points: u64, buyback_fee: u64,
      shareholders: vec<Shareholder>, quote_mint: pubkey, quote_amount: u64, virtual_quote_reserves: u64,
      real_quote_reserves: u64, holder_rewards_bps: u64, holder_rewards: u64, creator_fee_unclaimed: u64`,
    CompleteEvent: 'user: pubkey, mint: pubkey, bonding_curve: pubkey, timestamp: i64, quote_mint: pubkey',
    PostCompleteBuyEvent: `user: pubkey, mint: pubkey, bonding_curve: pubkey, quote_mint: pubkey, timestamp: i64,
      base_out: u64, quote_in: u64, fee_basis_points: u64, fee: u64, creator_fee_basis_points: u64,
      creator_fee: u64, buyback_fee: u64, pool_base_reserves_before: u64, pool_quote_reserves_before: u64,
      pool_base_reserves_after: u64, pool_quote_reserves_after: u64`,
    SweepBondingCurveFeeEvent: `timestamp: i64, mint: pubkey, bonding_curve: pubkey, quote_mint: pubkey,
      recipient: pubkey, amount: u64, bucket: u8`,
    CreateEvent: `name: string, symbol: string, uri: string, mint: pubkey, bonding_curve: pubkey, user: pubkey,
      creator: pubkey, timestamp: i64, virtual_token_reserves: u64, virtual_sol_reserves: u64,
      real_token_reserves: u64, token_total_supply: u64, token_program: pubkey, is_mayhem_mode: bool,
      is_cashback_enabled: bool, quote_mint: pubkey, virtual_quote_reserves: u64, creator_fee_bps: u64,
      is_holder_reward: bool, depth: u8`,
  },
  instructions: {
    buy_v3: 'amount: u64, max_sol_cost: u64, partial_fill: bool',
    buy_exact_quote_in_v3: 'spendable_quote_in: u64, min_tokens_out: u64, partial_fill: bool',
    sell_v3: 'amount: u64, min_sol_output: u64',
    multi_hop_curve_swap: 'amount_in: u64, hop_fees: bytes',
    sweep_protocol_fee: '',
    sweep_creator_fee: '',
    set_quote_control_mint_reserves: 'quote_mint: pubkey, initial_virtual_quote_reserves: u64',
    set_quote_control_reserves_admin: 'new_reserves_admin: pubkey',
    create_v2: 'name: string, symbol: string, uri: string, creator: pubkey, is_mayhem_mode: bool',
  },
})

const PROGRAM = address(PROGRAM_ID)
const [AUTHORITY, FILLER, MINT, QUOTE, CURVE, CURVE_BASE, CURVE_QUOTE] = [10, 30, 11, 12, 13, 14, 15].map(
  aKey,
) as [Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array, Uint8Array]
const SOL = address(WRAPPED_SOL)
const NONE = new Uint8Array(32)

type Values = Readonly<Record<string, Value>>

const tell = (name: string, values: Values) => writeEventCall(PROGRAM, AUTHORITY, anchor.event(name, values))

/** A trade's event with its fees kept, as for a curve quoted in SOL. */
function aFill(values: Values = {}): Values {
  return {
    mint: MINT,
    sol_amount: 3_000n,
    token_amount: 500n,
    is_buy: true,
    user: TRADER,
    real_sol_reserves: 80_000n,
    real_token_reserves: 40n,
    fee: 28n,
    creator_fee: 9n,
    ix_name: 'buy', // also the value in a v3 trade's event
    buyback_fee: 14n,
    quote_amount: 3_000n,
    real_quote_reserves: 80_000n,
    creator_fee_unclaimed: 9n,
    ...values,
  }
}

function aTrade(name: string, steps: Call['steps'], quote = SOL): Call {
  return {
    program: PROGRAM,
    accounts: [
      FILLER,
      MINT,
      quote,
      FILLER,
      FILLER,
      CURVE,
      CURVE_BASE,
      CURVE_QUOTE,
      TRADER,
      ...new Array(8).fill(FILLER),
    ],
    data: anchor.instruction(name, {}),
    steps: steps ?? [],
  }
}

/** The quote appears only in a balance, which has its decimals. */
const quoted = (mint: Uint8Array) => ({ movements: [aMovement(CURVE_QUOTE, encodeBase58(mint), 1n, 2n)] })

describe('pumpfun trades that keep their fees in the curve', () => {
  it.each(['buy_v3', 'buy_exact_quote_in_v3', 'sell_v3'])('are read from %s', (name) => {
    const isBuy = name !== 'sell_v3'

    const { events, refusals } = decodeCalls([aTrade(name, [tell('TradeEvent', aFill({ is_buy: isBuy }))])])

    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      {
        kind: 'swap',
        exchange: 'pumpfun',
        launchpad: 'pumpfun',
        ammAccount: encodeBase58(CURVE),
        baseTokenMint: encodeBase58(MINT),
        quoteTokenMint: WRAPPED_SOL,
        walletAccount: encodeBase58(TRADER),
        swapType: isBuy ? 'buy' : 'sell',
        baseAmount: 500n,
        quoteAmount: 3_000n,
        baseDecimals: 6,
        quoteDecimals: 9,
        quoteTokenLiquidity: 80_000n,
        baseTokenLiquidity: 40n,
      },
    ])
  })

  it('are read without the last argument, which is optional', () => {
    const trade = aTrade('buy_v3', [tell('TradeEvent', aFill())])
    expect(trade.data).toHaveLength(25)

    expect(decodeCalls([{ ...trade, data: trade.data.subarray(0, 24) }]).events).toHaveLength(1)
  })

  it.each([
    ['a listed mint', address(USDC), 6],
    ['another coin of the program', QUOTE, 6],
  ])('are priced in %s', (_, quote, decimals) => {
    const fill = aFill({ sol_amount: 0n, real_sol_reserves: 0n, quote_mint: quote, quote_amount: 70n })

    const { events } = decodeCalls([aTrade('buy_v3', [tell('TradeEvent', fill)], quote)], quoted(quote))

    expect(events).toMatchObject([
      {
        baseTokenMint: encodeBase58(MINT),
        quoteTokenMint: encodeBase58(quote),
        quoteAmount: 70n,
        quoteDecimals: decimals,
        quoteTokenLiquidity: 80_000n,
      },
    ])
  })

  it('belong to the mayhem launchpad if the event says so', () => {
    const { events } = decodeCalls([aTrade('buy_v3', [tell('TradeEvent', aFill({ mayhem_mode: true }))])])

    expect(events).toMatchObject([{ launchpad: 'pump_mayhem' }])
  })

  it('coexist with old ones on the same curve', () => {
    const old: Call = {
      ...aTrade('sell_v3', [tell('TradeEvent', aFill({ is_buy: false, fee_recipient: aKey(20) }))]),
      accounts: [FILLER, FILLER, MINT, CURVE, CURVE_BASE, FILLER, TRADER, FILLER],
      data: Uint8Array.of(0x33, 0xe6, 0x85, 0xa4, 0x01, 0x7f, 0x83, 0xad),
    }

    const { events } = decodeCalls([aTrade('buy_v3', [tell('TradeEvent', aFill())]), old])

    expect(events).toMatchObject([
      { ammAccount: encodeBase58(CURVE), swapType: 'buy' },
      { ammAccount: encodeBase58(CURVE), swapType: 'sell' },
    ])
  })
})

// Guards amounts: without its second part, a completing buy would be a fifth short.
describe('a buy that completes its curve', () => {
  const LAST = aFill({ real_token_reserves: 0n })
  const complete = tell('CompleteEvent', { user: TRADER, mint: MINT, bonding_curve: CURVE })
  const beyond = { user: TRADER, mint: MINT, bonding_curve: CURVE, base_out: 100n, quote_in: 800n, fee: 7n }

  it('is one trade with its purchase from the future pool, and leaves what the pool opens with', () => {
    const steps = [tell('TradeEvent', LAST), complete, tell('PostCompleteBuyEvent', beyond)]

    const { events, refusals } = decodeCalls([aTrade('buy_exact_quote_in_v3', steps)])

    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      {
        ammAccount: encodeBase58(CURVE),
        baseAmount: 600n,
        quoteAmount: 3_800n,
        quoteTokenLiquidity: 80_800n,
      },
    ])
  })

  it('is read from logs, too', () => {
    const steps = [anchor.event('TradeEvent', LAST), anchor.event('PostCompleteBuyEvent', beyond)]

    expect(decodeCalls([aTrade('buy_v3', steps.map(writeEventLog))]).events).toMatchObject([
      { baseAmount: 600n },
    ])
  })

  it("is only the curve's part if it bought nothing more", () => {
    const steps = [tell('TradeEvent', LAST), complete]

    expect(decodeCalls([aTrade('buy_v3', steps)]).events).toMatchObject([{ baseAmount: 500n }])
  })

  it('is refused when the second part is of another coin or has no first part', () => {
    const other = tell('PostCompleteBuyEvent', { ...beyond, mint: QUOTE })
    const calls = [
      aTrade('buy_v3', [tell('TradeEvent', LAST), other]),
      aTrade('buy_v3', [tell('PostCompleteBuyEvent', beyond)]),
    ]

    const { events, refusals } = decodeCalls(calls)

    expect(events).toEqual([])
    expect(refusals.map(({ reason }) => reason)).toEqual(['missing_event', 'missing_event'])
  })
})

describe('a route over several curves', () => {
  const [SECOND, SECOND_CURVE] = [aKey(16), aKey(17)] as [Uint8Array, Uint8Array]
  const curves = [
    [MINT, SOL, CURVE, CURVE_BASE, FILLER],
    [SECOND, MINT, SECOND_CURVE, aKey(18), CURVE_QUOTE],
  ].flat() as Uint8Array[]
  const route = (steps: Call['steps']): Call => ({
    program: PROGRAM,
    accounts: [FILLER, FILLER, FILLER, TRADER, ...new Array(9).fill(FILLER), ...curves],
    data: anchor.instruction('multi_hop_curve_swap', { hop_fees: Uint8Array.of(1, 0) }),
    steps: steps ?? [],
  })
  const first = tell('TradeEvent', aFill())
  const second = tell(
    'TradeEvent',
    aFill({ mint: SECOND, sol_amount: 0n, quote_mint: MINT, quote_amount: 500n, token_amount: 9n }),
  )

  it('is one trade for each, in order, on the curve of its coin', () => {
    const { events, refusals } = decodeCalls([routed(route([first, second]))], quoted(MINT))

    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      { ammAccount: encodeBase58(CURVE), quoteTokenMint: WRAPPED_SOL, baseAmount: 500n, quoteAmount: 3_000n },
      {
        ammAccount: encodeBase58(SECOND_CURVE),
        baseTokenMint: encodeBase58(SECOND),
        quoteTokenMint: encodeBase58(MINT),
        walletAccount: encodeBase58(TRADER),
        baseAmount: 9n,
        quoteAmount: 500n,
      },
    ])
  })

  // Guards the alarm for unknown calls, which every such route would raise.
  it('may contain the bare event marker with three accounts, which is not an unknown call', () => {
    const mark = (accounts: Uint8Array[], data: string): Call => ({
      program: PROGRAM,
      accounts,
      data: bytesOfHex(data),
    })
    const accounts = [AUTHORITY, CURVE, FILLER]
    const steps = [first, mark(accounts, 'e445a52e51cb9a1d'), second]

    expect(decodeCalls([routed(route(steps))], quoted(MINT))).toMatchObject({
      events: [{ baseAmount: 500n }, { baseAmount: 9n }],
      refusals: [],
    })
    const others = [
      mark(accounts, 'e445a52e51cb9a1d00'),
      mark(accounts, 'e445a52e51cb9a1e'),
      mark([...accounts, FILLER], 'e445a52e51cb9a1d'),
      mark([AUTHORITY, CURVE], 'e445a52e51cb9a1d'),
    ]
    const { refusals } = decodeCalls([routed(...others), mark(accounts, 'e445a52e51cb9a1d')])
    expect(refusals.map(({ reason }) => reason)).toEqual(Array(5).fill('unknown_instruction'))
  })

  it('completes a curve on the way', () => {
    const beyond = tell('PostCompleteBuyEvent', { mint: MINT, base_out: 1n, quote_in: 2n })

    const { events } = decodeCalls([route([first, beyond, second])], quoted(MINT))

    expect(events).toMatchObject([{ baseAmount: 501n, quoteAmount: 3_002n }, { baseAmount: 9n }])
  })

  it('keeps its other trades if a vault contradicts one', () => {
    const steps = [first, aTransfer(FILLER, aKey(18), 9n), second]

    expect(decodeCalls([route(steps)], quoted(MINT))).toMatchObject({
      events: [{ ammAccount: encodeBase58(CURVE), baseAmount: 500n }],
      refusals: [{ reason: 'contradicted' }],
    })
  })

  it('names what it cannot prove: a curve without an event, an event without a curve', () => {
    expect(decodeCalls([route([first])])).toMatchObject({
      events: [{ ammAccount: encodeBase58(CURVE) }],
      refusals: [{ reason: 'missing_event' }],
    })
    const stray = tell('TradeEvent', aFill({ mint: aKey(99) }))
    expect(decodeCalls([route([stray, first])])).toMatchObject({
      events: [{ ammAccount: encodeBase58(CURVE) }],
      refusals: [{ reason: 'missing_event' }],
    })
  })
})

describe('pumpfun creations since October 2026', () => {
  const values: Values = {
    name: 'Name',
    symbol: 'SYM',
    uri: 'https://example.org',
    mint: MINT,
    bonding_curve: CURVE,
    user: TRADER,
    token_total_supply: 1_000n,
    quote_mint: QUOTE,
    depth: 1,
  }
  const creation = (event: Uint8Array): Call => ({
    program: PROGRAM,
    accounts: [MINT, FILLER, CURVE, CURVE_BASE],
    data: anchor.instruction('create_v2', { name: 'Name' }),
    steps: [writeEventCall(PROGRAM, AUTHORITY, event)],
  })
  const whole = anchor.event('CreateEvent', values)

  // quote_mint, virtual_quote_reserves, creator_fee_bps, is_holder_reward and depth were added one by one.
  it.each([0, 1, 2, 10, 18])(
    'are priced in another coin, from events %i bytes shorter than the newest',
    (cut) => {
      const event = whole.subarray(0, whole.length - cut)

      const { events, refusals } = decodeCalls([creation(event)], quoted(QUOTE))

      expect(refusals).toEqual([])
      expect(events).toMatchObject([
        {
          kind: 'newPair',
          launchpad: 'pumpfun',
          baseToken: { mint: encodeBase58(MINT), name: 'Name', symbol: 'SYM', supply: 1_000n },
          quoteToken: { mint: encodeBase58(QUOTE), decimals: 6 },
          baseTokenLiquidityAdded: 1_000n,
          quoteTokenLiquidityAdded: 0n,
        },
      ])
    },
  )

  it('are priced in SOL, and of the mayhem launchpad, if the event says so', () => {
    const event = anchor.event('CreateEvent', { ...values, quote_mint: NONE, is_mayhem_mode: true })

    expect(decodeCalls([creation(event)]).events).toMatchObject([
      { launchpad: 'pump_mayhem', quoteToken: { mint: WRAPPED_SOL } },
    ])
  })
})

describe('calls without a trade', () => {
  it.each([
    'sweep_protocol_fee',
    'sweep_creator_fee',
    'set_quote_control_mint_reserves',
    'set_quote_control_reserves_admin',
  ])('%s returns nothing and is no refusal', (name) => {
    const swept = tell('SweepBondingCurveFeeEvent', { mint: MINT, bonding_curve: CURVE, amount: 5n })
    const call: Call = {
      program: PROGRAM,
      accounts: [TRADER],
      data: anchor.instruction(name),
      steps: [swept],
    }

    expect(decodeCalls([call])).toEqual({ events: [], refusals: [] })
  })
})
