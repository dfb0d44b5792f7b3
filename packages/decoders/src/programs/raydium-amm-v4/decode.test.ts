import { ByteWriter, type Call, type Step } from '@pairwire/chain-writer'
import { encodeBase58, USDC, WRAPPED_SOL } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { bytesOfHex } from '../../bytes/discriminator.ts'
import { decodeTransaction } from '../../decode-transaction.ts'
import {
  address,
  aKey,
  aMovement,
  aTransaction,
  aTransfer,
  decodeCalls,
  routed,
  TRADER,
} from '../../testing/transactions.ts'
import { PROGRAM_ID as LAUNCHLAB } from '../raydium-launchlab/layout.ts'
import { PROGRAM_ID, readSwapLog } from './layout.ts'

const PROGRAM = address(PROGRAM_ID)
/** The wallet that moved pump.fun's curves until March 2025. */
const PUMPFUN_MIGRATOR = '39azUYFWPz3VHgKCf3VChUwbpURdCHRxjWVowf5jUJjg'
const POOL = aKey(1)
const COIN = aKey(2)
const [COIN_VAULT, PC_VAULT, USER_IN, USER_OUT] = [3, 4, 5, 6].map(aKey) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]

const MOVEMENTS = [
  aMovement(COIN_VAULT, encodeBase58(COIN), 1_000_000n, 999_300n),
  aMovement(PC_VAULT, WRAPPED_SOL, 50_000n, 50_040n, 9),
]

function accountsOf(count: number): Uint8Array[] {
  const filler = aKey(30)
  const user = [USER_IN, USER_OUT, TRADER]
  if (count === 8) return [filler, POOL, filler, COIN_VAULT, PC_VAULT, ...user]
  const head = [filler, POOL, filler, filler, ...(count === 18 ? [filler] : []), COIN_VAULT, PC_VAULT]
  return [...head, ...new Array(count - head.length - 3).fill(filler), ...user]
}

/** The vault that gave decides the direction; `log` may be omitted, as in truncated logs. */
function aSwap({
  tag = 9,
  count = 18,
  coinOut = true,
  hasTransfers = true,
  hasLog = true,
}: {
  tag?: number
  count?: number
  coinOut?: boolean
  hasTransfers?: boolean
  hasLog?: boolean
} = {}): Call {
  const isBaseIn = tag === 9 || tag === 16
  const [amountIn, amountOut] = coinOut ? [40n, 700n] : [700n, 40n]
  const log = new ByteWriter(57)
    .u8(isBaseIn ? 3 : 4)
    .u64(isBaseIn ? amountIn : 9_999n)
    .u64(isBaseIn ? 1n : amountOut)
    .u64(coinOut ? 1n : 2n)
    .u64(5n)
    .u64(1_000_000n)
    .u64(49_000n)
    .u64(isBaseIn ? amountOut : amountIn)
    .finish()
  const steps: Step[] = hasLog ? [`log: ray_log: ${Buffer.from(log).toString('base64')}`] : []
  if (hasTransfers) {
    steps.push(
      aTransfer(USER_IN, coinOut ? PC_VAULT : COIN_VAULT, amountIn),
      aTransfer(coinOut ? COIN_VAULT : PC_VAULT, USER_OUT, amountOut),
    )
  }
  const data = new ByteWriter(17).u8(tag).u64(1n).u64(2n).finish()
  return { program: PROGRAM, accounts: accountsOf(count), data, steps }
}

describe('raydium amm v4 swaps', () => {
  it.each([
    [9, 18],
    [9, 17],
    [11, 18],
    [11, 17],
    [16, 8],
    [17, 8],
  ])('of tag %i are read with %i accounts', (tag, count) => {
    const { events, refusals } = decodeCalls([aSwap({ tag, count })], { movements: MOVEMENTS })

    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      {
        kind: 'swap',
        exchange: 'raydium',
        launchpad: null,
        ammAccount: encodeBase58(POOL),
        baseTokenMint: encodeBase58(COIN),
        quoteTokenMint: WRAPPED_SOL,
        walletAccount: encodeBase58(TRADER),
        swapType: 'buy',
        baseAmount: 700n,
        quoteAmount: 40n,
        baseDecimals: 6,
        quoteDecimals: 9,
        quoteTokenLiquidity: 49_040n,
        baseTokenLiquidity: 999_300n,
      },
    ])
  })

  it('that take coin in are sells of it', () => {
    const { events } = decodeCalls([aSwap({ coinOut: false })], { movements: MOVEMENTS })

    expect(events).toMatchObject([
      { swapType: 'sell', baseAmount: 700n, quoteAmount: 40n, quoteTokenLiquidity: 48_960n },
    ])
  })

  it('are reversed if wrapped SOL is the coin', () => {
    const movements = [
      aMovement(COIN_VAULT, WRAPPED_SOL, 1n, 1n, 9),
      aMovement(PC_VAULT, encodeBase58(COIN), 1n, 1n),
    ]

    const { events } = decodeCalls([aSwap({ coinOut: true })], { movements })

    expect(events).toMatchObject([
      {
        baseTokenMint: encodeBase58(COIN),
        quoteTokenMint: WRAPPED_SOL,
        swapType: 'sell',
        baseAmount: 40n,
        quoteAmount: 700n,
        quoteTokenLiquidity: 999_300n,
      },
    ])
  })

  it.each([9, 11, 16, 17])('of tag %i are read from their log alone', (tag) => {
    const count = tag > 15 ? 8 : 18

    const { events } = decodeCalls([aSwap({ tag, count, hasTransfers: false })], { movements: MOVEMENTS })

    expect(events).toMatchObject([{ swapType: 'buy', baseAmount: 700n, quoteAmount: 40n }])
  })

  it("use the vault's balance as liquidity without a log, and only after the pool's last swap", () => {
    const swap = aSwap({ hasLog: false })

    const { events } = decodeCalls([swap, swap], { movements: MOVEMENTS })

    expect(events).toMatchObject([{ quoteTokenLiquidity: null }, { quoteTokenLiquidity: 50_040n }])
  })

  it('are refused with neither transfers nor log', () => {
    const { events, refusals } = decodeCalls([aSwap({ hasLog: false, hasTransfers: false })], {
      movements: MOVEMENTS,
    })

    expect(events).toEqual([])
    expect(refusals).toEqual([{ exchange: 'raydium', path: '0', reason: 'missing_event' }])
  })

  it("are refused when the vaults' mints are not in the record", () => {
    expect(decodeCalls([aSwap()]).refusals).toMatchObject([{ reason: 'missing_balance' }])
  })

  it('are refused with too few accounts or bytes', () => {
    const swap = aSwap()
    const calls = [
      { ...swap, accounts: swap.accounts.slice(0, 16) },
      { ...swap, data: swap.data.subarray(0, 16) },
    ]

    expect(decodeCalls(calls, { movements: MOVEMENTS }).refusals.map(({ reason }) => reason)).toEqual([
      'missing_accounts',
      'truncated',
    ])
  })

  it('do not mistake the transfers of the next hop for their own', () => {
    const transaction = aTransaction({
      calls: [routed(aSwap(), aSwap({ coinOut: false }))],
      movements: MOVEMENTS,
    })
    const blind = transaction.instructions.map((instruction) => ({ ...instruction, stackHeight: null }))

    for (const instructions of [transaction.instructions, blind]) {
      expect(decodeTransaction({ ...transaction, instructions }).events).toMatchObject([
        { swapType: 'buy', baseAmount: 700n, quoteAmount: 40n },
        { swapType: 'sell', baseAmount: 700n, quoteAmount: 40n },
      ])
    }
  })
})

describe('raydium amm v4 creations', () => {
  const USER = aKey(40)

  function anInitialization({
    user = USER,
    coin = COIN,
    pc = address(WRAPPED_SOL),
    steps = true,
  } = {}): Call {
    const filler = aKey(30)
    const accounts = new Array<Uint8Array>(21).fill(filler)
    accounts[4] = POOL
    accounts[8] = coin
    accounts[9] = pc
    accounts[10] = COIN_VAULT
    accounts[11] = PC_VAULT
    accounts[17] = user
    return {
      program: PROGRAM,
      accounts,
      data: new ByteWriter(26).u8(1).u8(254).u64(0n).u64(79_005n).u64(206_900n).finish(),
      steps: steps ? [aTransfer(USER_IN, COIN_VAULT, 206_900n), aTransfer(USER_OUT, PC_VAULT, 79_005n)] : [],
    }
  }

  it.each([true, false])('are new pairs with what the vaults received (transfers recorded: %s)', (steps) => {
    const { events } = decodeCalls([anInitialization({ steps })], { movements: MOVEMENTS })

    expect(events).toMatchObject([
      {
        kind: 'newPair',
        exchange: 'raydium',
        launchpad: null,
        ammAccount: encodeBase58(POOL),
        baseToken: { mint: encodeBase58(COIN), decimals: 6, supply: null, name: null },
        quoteToken: { mint: WRAPPED_SOL, decimals: 9 },
        baseTokenLiquidityAdded: 206_900n,
        quoteTokenLiquidityAdded: 79_005n,
        migration: null,
      },
    ])
  })

  it('are reversed if the pc is the token', () => {
    const { events } = decodeCalls([anInitialization({ coin: address(USDC), pc: COIN })])

    expect(events).toMatchObject([
      { baseToken: { mint: encodeBase58(COIN) }, baseTokenLiquidityAdded: 79_005n },
    ])
  })

  it("by pump.fun's old migrator belong to its curves", () => {
    const { events } = decodeCalls([anInitialization({ user: address(PUMPFUN_MIGRATOR) })])

    expect(events).toMatchObject([{ migration: 'pumpfun' }])
  })

  it("within LaunchLab's migration belong to its curves", () => {
    const migrate = (hex: string): Call => ({
      program: address(LAUNCHLAB),
      accounts: [],
      data: bytesOfHex(hex),
      steps: [anInitialization()],
    })

    const { events } = decodeCalls([migrate('cf52c091fecf91df'), migrate('1a618acb84ab8dfc')])

    expect(events).toMatchObject([{ migration: 'raydium_launchpad' }, { migration: null }])
  })

  it('are refused when their bytes or accounts end too early', () => {
    const whole = anInitialization()
    const calls = [
      { ...whole, data: whole.data.subarray(0, 25) },
      { ...whole, accounts: whole.accounts.slice(0, 17) },
    ]

    expect(decodeCalls(calls).refusals.map(({ reason }) => reason)).toEqual(['truncated', 'missing_accounts'])
  })
})

describe('raydium amm v4 instructions without a trade', () => {
  it.each([2, 3, 4, 6, 7, 12, 14, 15])('of tag %i return nothing', (tag) => {
    const call = { program: PROGRAM, accounts: [], data: Uint8Array.of(tag) }

    expect(decodeCalls([call])).toEqual({ events: [], refusals: [] })
  })

  it.each([0, 18, 255])('of unknown tag %i are refused by name', (tag) => {
    const call = { program: PROGRAM, accounts: [], data: Uint8Array.of(tag) }

    expect(decodeCalls([call]).refusals).toMatchObject([{ reason: 'unknown_instruction' }])
  })

  it('log other things, which are not read as a swap', () => {
    expect(readSwapLog(new Uint8Array(75))).toBeUndefined()
    expect(readSwapLog(Uint8Array.of(3, ...new Uint8Array(56)))).toBeUndefined()
    expect(() => readSwapLog(Uint8Array.of(4, 1, 2))).toThrow(RangeError)
  })
})
