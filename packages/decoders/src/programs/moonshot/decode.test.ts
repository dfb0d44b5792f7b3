import { writeEventCall, writeEventLog } from '@pairwire/chain-writer'
import { encodeBase58, USDC, WRAPPED_SOL } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { createAnchorCoder, type Value } from '../../testing/anchor.ts'
import { address, aKey, aMovement, aTransfer, decodeCalls, TRADER } from '../../testing/transactions.ts'
import { PROGRAM_ID } from './layout.ts'

/** No whole transaction is public: bytes are Anchor's. @see https://github.com/wen-moon-ser/moonshot-sdk */
const anchor = createAnchorCoder({
  events: {
    TradeEvent: `amount: u64, collateral_amount: u64, dex_fee: u64, helio_fee: u64, allocation: u64, curve: pubkey,
      cost_token: pubkey, sender: pubkey, trade_type: u8, label: string`,
  },
  types: {
    TradeParams: 'token_amount: u64, collateral_amount: u64, fixed_side: u8, slippage_bps: u64',
    TokenMintParams: `name: string, symbol: string, uri: string, decimals: u8, collateral_currency: u8, amount: u64,
      curve_type: u8, migration_target: u8`,
  },
  instructions: {
    buy: 'data: TradeParams',
    sell: 'data: TradeParams',
    token_mint: 'mint_params: TokenMintParams',
    migrate_funds: '',
  },
})

const PROGRAM = address(PROGRAM_ID)
const [CURVE, MINT, VAULT, USER, FILLER] = [1, 2, 3, 4, 30].map(aKey) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const MOVEMENTS = [aMovement(VAULT, encodeBase58(MINT), 10_000n, 9_500n, 9)]
const PARAMS = { token_amount: 0n, collateral_amount: 0n, fixed_side: 0, slippage_bps: 0n }

function aTrade(isBuy: boolean, fields: Record<string, Value> = {}, isLogged = true) {
  const event = anchor.event('TradeEvent', {
    amount: 500n,
    collateral_amount: 990n,
    dex_fee: 8n,
    helio_fee: 2n,
    curve: CURVE,
    sender: TRADER,
    trade_type: isBuy ? 0 : 1,
    label: 'pairwire',
    ...fields,
  })
  return {
    program: PROGRAM,
    accounts: [TRADER, USER, CURVE, VAULT, FILLER, FILLER, MINT, FILLER, FILLER, FILLER, FILLER],
    data: anchor.instruction(isBuy ? 'buy' : 'sell', { data: PARAMS }),
    steps: [
      isBuy ? aTransfer(VAULT, USER, 500n) : aTransfer(USER, VAULT, 500n),
      isLogged ? writeEventLog(event) : writeEventCall(PROGRAM, FILLER, event),
    ],
  }
}

describe('moonshot decoder', () => {
  it.each([true, false])("reads a trade by the curve's exchange, without fees (buy: %s)", (isBuy) => {
    const { events, refusals } = decodeCalls([aTrade(isBuy)], { movements: MOVEMENTS })

    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      {
        exchange: 'moonshot',
        launchpad: 'moonshot',
        ammAccount: encodeBase58(CURVE),
        baseTokenMint: encodeBase58(MINT),
        quoteTokenMint: WRAPPED_SOL,
        walletAccount: encodeBase58(TRADER),
        swapType: isBuy ? 'buy' : 'sell',
        baseAmount: 500n,
        quoteAmount: 990n,
      },
    ])
  })

  it('reads the event of a self-call as well', () => {
    expect(decodeCalls([aTrade(true, {}, false)], { movements: MOVEMENTS }).events).toHaveLength(1)
  })

  it('uses the collateral in the event', () => {
    const { events } = decodeCalls([aTrade(true, { cost_token: address(USDC) })], { movements: MOVEMENTS })

    expect(events).toMatchObject([{ quoteTokenMint: USDC, quoteDecimals: 6 }])
  })

  it('refuses an event of another curve, or in the other direction, by name', () => {
    const foreign = decodeCalls([aTrade(true, { curve: aKey(99) })], { movements: MOVEMENTS })
    const turned = decodeCalls([aTrade(true, { trade_type: 1 })], { movements: MOVEMENTS })

    expect([...foreign.events, ...turned.events]).toEqual([])
    expect([...foreign.refusals, ...turned.refusals]).toMatchObject([
      { exchange: 'moonshot', reason: 'missing_event' },
      { exchange: 'moonshot', reason: 'missing_event' },
    ])
  })

  it("reads a launch with the creator's details of the token", () => {
    const mint_params = {
      name: 'Moon',
      symbol: 'MN',
      uri: 'ipfs://x',
      decimals: 9,
      collateral_currency: 0,
      amount: 10n ** 18n,
      curve_type: 0,
      migration_target: 0,
    }
    const accounts = [TRADER, FILLER, CURVE, MINT, FILLER, VAULT]

    const { events } = decodeCalls([
      { program: PROGRAM, accounts, data: anchor.instruction('token_mint', { mint_params }) },
    ])

    expect(events).toMatchObject([
      {
        kind: 'newPair',
        ammAccount: encodeBase58(CURVE),
        baseToken: { mint: encodeBase58(MINT), name: 'Moon', symbol: 'MN', uri: 'ipfs://x', decimals: 9 },
        baseTokenLiquidityAdded: 10n ** 18n,
        quoteTokenLiquidityAdded: 0n,
        launchpad: 'moonshot',
      },
    ])
  })

  it('returns nothing for a transfer of funds, and refuses an unknown instruction by name', () => {
    const funds = decodeCalls([{ program: PROGRAM, accounts: [], data: anchor.instruction('migrate_funds') }])
    const unknown = decodeCalls([{ program: PROGRAM, accounts: [], data: new Uint8Array(8).fill(7) }])

    expect(funds).toMatchObject({ events: [], refusals: [] })
    expect(unknown.refusals).toMatchObject([{ reason: 'unknown_instruction' }])
  })
})
