import { ByteWriter, type Call, writeEventLog } from '@pairwire/chain-writer'
import { encodeBase58, WRAPPED_SOL } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { bytesOfHex } from '../../bytes/discriminator.ts'
import {
  address,
  aKey,
  aMovement,
  aTransfer,
  concat,
  decodeCalls,
  routed,
  TRADER,
} from '../../testing/transactions.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from '../../tokens/layout.ts'
import { PROGRAM_ID as LAUNCHLAB } from '../raydium-launchlab/layout.ts'
import { PROGRAM_ID, readSwapEvent, SWAP_EVENT } from './layout.ts'

const PROGRAM = address(PROGRAM_ID)
const POOL = aKey(1)
/** Sorts before wrapped SOL, which begins with 6. */
const TOKEN = aKey(2)
const SOL = address(WRAPPED_SOL)
const [TOKEN_VAULT, SOL_VAULT, USER_IN, USER_OUT] = [3, 4, 5, 6].map(aKey) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]

/** 81 bytes as in the old layout, 163 in the newer one. */
function aSwapEvent(length = 81, pool = POOL): Uint8Array {
  return new ByteWriter()
    .bytes(pool)
    .u64(1_000_000n)
    .u64(80_000n)
    .u64(960n)
    .u64(70n)
    .u64(40n)
    .u64(0n)
    .bool(true)
    .bytes(new Uint8Array(length - 81))
    .finish()
}

/** A sell of the token; `sent` is the amount of the trader's transfer. */
function aSwap({
  hex = '8fbe5adac41e33de',
  event = aSwapEvent() as Uint8Array | null,
  isTokenIn = true,
  sent = 960n,
  is2022 = false,
  hasTransfers = true,
} = {}): Call {
  const filler = aKey(30)
  const [inVault, outVault] = isTokenIn ? [TOKEN_VAULT, SOL_VAULT] : [SOL_VAULT, TOKEN_VAULT]
  const mints = isTokenIn ? [TOKEN, SOL] : [SOL, TOKEN]
  return {
    program: PROGRAM,
    accounts: [
      TRADER,
      filler,
      filler,
      POOL,
      USER_IN,
      USER_OUT,
      inVault,
      outVault,
      filler,
      filler,
      ...mints,
      filler,
    ],
    data: concat(bytesOfHex(hex), new Uint8Array(16)),
    steps: [
      ...(hasTransfers
        ? [aTransfer(USER_IN, inVault, sent, is2022), aTransfer(outVault, USER_OUT, 70n)]
        : []),
      ...(event === null ? [] : [writeEventLog(concat(SWAP_EVENT, event))]),
    ],
  }
}

const movementsOf = (received: bigint) => [
  aMovement(TOKEN_VAULT, encodeBase58(TOKEN), 2_000_000n, 2_000_000n + received),
  aMovement(SOL_VAULT, WRAPPED_SOL, 90_000n, 89_930n, 9),
]
const MOVEMENTS = movementsOf(960n)

describe('raydium cpmm swaps', () => {
  it.each([
    ['8fbe5adac41e33de', 81],
    ['8fbe5adac41e33de', 163],
    ['8fbe5adac41e33de', 200],
    ['37d96256a34ab4ad', 81],
    ['37d96256a34ab4ad', 163],
  ])('of instruction %s are read with an event of %i bytes', (hex, length) => {
    const { events, refusals } = decodeCalls([aSwap({ hex, event: aSwapEvent(length) })], {
      movements: MOVEMENTS,
    })

    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      {
        kind: 'swap',
        exchange: 'raydium',
        launchpad: null,
        ammAccount: encodeBase58(POOL),
        baseTokenMint: encodeBase58(TOKEN),
        quoteTokenMint: WRAPPED_SOL,
        walletAccount: encodeBase58(TRADER),
        swapType: 'sell',
        baseAmount: 960n,
        quoteAmount: 70n,
        baseDecimals: 6,
        quoteDecimals: 9,
        quoteTokenLiquidity: 79_930n,
        baseTokenLiquidity: 1_000_960n,
      },
    ])
  })

  it('that take the quote in are buys', () => {
    const { events } = decodeCalls([aSwap({ isTokenIn: false })], { movements: MOVEMENTS })

    expect(events).toMatchObject([
      { swapType: 'buy', baseAmount: 70n, quoteAmount: 960n, quoteTokenLiquidity: 1_000_960n },
    ])
  })

  // Guards the amounts of mints that charge a transfer fee.
  it('count what the vault received of a mint that withholds a fee', () => {
    const swap = aSwap({ sent: 1_000n, is2022: true })

    const { events } = decodeCalls([swap], { movements: MOVEMENTS })

    expect(events).toMatchObject([{ baseAmount: 960n, quoteAmount: 70n }])
  })

  it("use the event's amount of such a mint when the pool is used twice", () => {
    const swap = aSwap({ sent: 1_000n, is2022: true })

    const { events } = decodeCalls([swap, swap], { movements: movementsOf(1_920n) })

    expect(events).toMatchObject([{ baseAmount: 960n }, { baseAmount: 960n }])
  })

  it('use the balance of such a mint when the logs were truncated', () => {
    const swap = aSwap({ sent: 1_000n, is2022: true, event: null })

    const { events } = decodeCalls([swap], { movements: MOVEMENTS })

    expect(events).toMatchObject([{ baseAmount: 960n, quoteTokenLiquidity: 89_930n }])
  })

  it('are refused when the logs were truncated and a fee is unknown', () => {
    const swap = aSwap({ sent: 1_000n, is2022: true, event: null })

    const { events, refusals } = decodeCalls([swap, swap], { movements: movementsOf(1_920n) })

    expect(events).toEqual([])
    expect(refusals.map(({ reason }) => reason)).toEqual(['missing_event', 'missing_event'])
  })

  it('are read from their log alone', () => {
    const { events } = decodeCalls([aSwap({ hasTransfers: false })], { movements: MOVEMENTS })

    expect(events).toMatchObject([{ baseAmount: 960n, quoteAmount: 70n }])
  })

  it('ignore events of another pool and those that another instruction logged', () => {
    const foreign = aSwap({ hasTransfers: false, event: aSwapEvent(81, aKey(99)) })
    const silent = aSwap({ hasTransfers: false, event: null })

    const { events, refusals } = decodeCalls([foreign, silent, aSwap()], { movements: MOVEMENTS })

    expect(events).toHaveLength(1)
    expect(refusals.map(({ path, reason }) => `${path} ${reason}`)).toEqual([
      '0 missing_event',
      '1 missing_event',
    ])
  })

  it("keep the pool's own order if neither side is a known quote", () => {
    const other = aKey(1)
    const swap = aSwap()
    const accounts = swap.accounts.map((key) => (key === SOL ? other : key))
    const movements = [
      aMovement(TOKEN_VAULT, encodeBase58(TOKEN), 1n, 961n),
      aMovement(SOL_VAULT, encodeBase58(other), 100n, 30n, 3),
    ]

    const { events } = decodeCalls([{ ...swap, accounts }], { movements })

    // The other mint's key sorts first, so it is the base, which the pool gave out.
    expect(events).toMatchObject([
      { baseTokenMint: encodeBase58(other), swapType: 'buy', baseAmount: 70n, quoteAmount: 960n },
    ])
  })
})

describe('raydium cpmm creations', () => {
  const PLACES = {
    afaf6d1f0d989bed: { pool: 3, mint0: 4, mint1: 5, vault0: 10, vault1: 11 },
    '3f37fe4131b25979': { pool: 4, mint0: 5, mint1: 6, vault0: 11, vault1: 12 },
  }

  function anInitialization(hex: keyof typeof PLACES, sent = 5_000n, is2022 = false): Call {
    const places = PLACES[hex]
    const accounts = new Array<Uint8Array>(21).fill(aKey(30))
    accounts[places.pool] = POOL
    accounts[places.mint0] = TOKEN
    accounts[places.mint1] = SOL
    accounts[places.vault0] = TOKEN_VAULT
    accounts[places.vault1] = SOL_VAULT
    const tokenProgram = address(is2022 ? TOKEN_2022_PROGRAM : TOKEN_PROGRAM)
    const opened = { program: tokenProgram, accounts: [TOKEN_VAULT, TOKEN], data: Uint8Array.of(18) }
    return {
      program: PROGRAM,
      accounts,
      data: concat(bytesOfHex(hex), new Uint8Array(25)),
      steps: [opened, aTransfer(USER_IN, TOKEN_VAULT, sent, is2022), aTransfer(USER_OUT, SOL_VAULT, 90n)],
    }
  }

  it.each(Object.keys(PLACES) as (keyof typeof PLACES)[])('by instruction %s are new pairs', (hex) => {
    const movements = [aMovement(TOKEN_VAULT, encodeBase58(TOKEN), null, 5_000n)]

    const { events, refusals } = decodeCalls([anInitialization(hex)], { movements })

    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      {
        kind: 'newPair',
        exchange: 'raydium',
        launchpad: null,
        ammAccount: encodeBase58(POOL),
        baseToken: { mint: encodeBase58(TOKEN), decimals: 6 },
        quoteToken: { mint: WRAPPED_SOL, decimals: 9 },
        baseTokenLiquidityAdded: 5_000n,
        quoteTokenLiquidityAdded: 90n,
        migration: null,
      },
    ])
  })

  it('count what the vaults received of a mint that withholds a fee', () => {
    const movements = [aMovement(TOKEN_VAULT, encodeBase58(TOKEN), null, 4_800n)]

    const { events } = decodeCalls([anInitialization('afaf6d1f0d989bed', 5_000n, true)], { movements })

    expect(events).toMatchObject([{ baseTokenLiquidityAdded: 4_800n }])
  })

  // Guards pairs that their creator buys from in the transaction of the creation.
  it('count the same when the pool is traded in the same transaction', () => {
    const movements = [aMovement(TOKEN_VAULT, encodeBase58(TOKEN), null, 4_730n)]
    const purchase = aSwap({ isTokenIn: false, sent: 960n, event: null })

    const { events, refusals } = decodeCalls([anInitialization('afaf6d1f0d989bed', 5_000n, true), purchase], {
      movements,
    })

    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      { kind: 'newPair', baseTokenLiquidityAdded: 4_800n, quoteTokenLiquidityAdded: 90n },
      { kind: 'swap', swapType: 'buy', baseAmount: 70n, quoteAmount: 960n },
    ])
  })

  it("within LaunchLab's migration belong to its curves", () => {
    const migrate = (hex: string): Call => ({
      program: address(LAUNCHLAB),
      accounts: [],
      data: bytesOfHex(hex),
      steps: [anInitialization('3f37fe4131b25979')],
    })

    const { events } = decodeCalls([routed(migrate('885cc8671cda908c')), migrate('1a618acb84ab8dfc')])

    expect(events).toMatchObject([{ migration: 'raydium_launchpad' }, { migration: null }])
  })

  it('name the creator, and not the account with which a launchpad signs for its own pool', () => {
    const creator = aKey(40)
    const creatorOf = (hex: keyof typeof PLACES, place: number, signers: Uint8Array[]) => {
      const { accounts, ...call } = anInitialization(hex)
      return decodeCalls([{ ...call, accounts: accounts.with(place, creator) }], { signers }).events[0]
    }

    expect([
      creatorOf('afaf6d1f0d989bed', 0, [TRADER, creator]),
      creatorOf('afaf6d1f0d989bed', 0, [TRADER]),
      // This one need not sign.
      creatorOf('3f37fe4131b25979', 1, [TRADER]),
    ]).toMatchObject([creator, TRADER, creator].map((key) => ({ creator: encodeBase58(key) })))
  })

  it('are refused when the transfers are not in the record', () => {
    const silent = { ...anInitialization('afaf6d1f0d989bed'), steps: [] }

    expect(decodeCalls([silent]).refusals).toEqual([
      { exchange: 'raydium', path: '0', reason: 'missing_event' },
    ])
  })
})

describe('raydium cpmm instructions without a trade', () => {
  it.each(['f223c68952e1f2b6', 'b712469c946da122', '8888fcddc2427e59'])('%s returns nothing', (hex) => {
    const call = { program: PROGRAM, accounts: [], data: bytesOfHex(hex) }

    expect(decodeCalls([call])).toEqual({ events: [], refusals: [] })
  })

  it('are refused by name when the program does not have them', () => {
    const call = { program: PROGRAM, accounts: [], data: new Uint8Array(8) }

    expect(decodeCalls([call]).refusals).toMatchObject([{ reason: 'unknown_instruction' }])
  })
})

describe('raydium cpmm layouts', () => {
  it('throw a RangeError for every event that ends too early', () => {
    for (let length = 0; length < 81; length++) {
      expect(() => readSwapEvent(aSwapEvent().subarray(0, length))).toThrow(RangeError)
    }
  })
})
