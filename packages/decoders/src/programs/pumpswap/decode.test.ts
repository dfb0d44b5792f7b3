import {
  ByteWriter,
  type Call,
  type TransactionDraft,
  writeEventCall,
  writeEventLog,
  writeMintAccount,
} from '@pairwire/chain-writer'
import { encodeBase58, USDC, WRAPPED_SOL } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { bytesOfHex } from '../../bytes/discriminator.ts'
import { createLogsDecoder } from '../../decode-logs.ts'
import { decodeTransaction } from '../../decode-transaction.ts'
import {
  address,
  aKey,
  aMovement,
  aTransaction,
  aTransfer,
  concat,
  decodeCalls,
  routed,
  TRADER,
} from '../../testing/transactions.ts'
import { TOKEN_PROGRAM } from '../../tokens/layout.ts'
import { PROGRAM_ID as PUMPFUN } from '../pumpfun/layout.ts'
import {
  BOOST_EVENT,
  BUY_EVENT,
  CREATE_POOL_EVENT,
  PROGRAM_ID,
  readCreatePoolEvent,
  readTradeEvent,
  SELL_EVENT,
} from './layout.ts'

const PROGRAM = address(PROGRAM_ID)
const POOL = aKey(1)
const TOKEN = aKey(2)
const SOL = address(WRAPPED_SOL)
const [BASE_VAULT, QUOTE_VAULT, USER_BASE, USER_QUOTE, AUTHORITY] = [3, 4, 5, 6, 7].map(aKey) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]

/** As long as the shortest version unless a test asks for a later one. */
function aTradeEvent(length = 304, pool = POOL, isBuy = true): Uint8Array {
  const writer = new ByteWriter()
    .i64(1_700_000_000n)
    .u64(500n) // base
    .u64(1n)
    .u64(2n)
    .u64(3n)
    .u64(10_000n) // base reserve before
    .u64(90_000n) // quote reserve before
    .u64(999n) // quote without fees
    .u64(20n)
    .u64(2n)
    .u64(5n)
    .u64(1n)
    .u64(1_001n) // the pool's side
    .u64(1_002n) // the user's side
    .bytes(pool)
    .bytes(TRADER)
    .bytes(USER_BASE)
    .bytes(USER_QUOTE)
    .bytes(aKey(8)) // fee recipient
    .bytes(aKey(9))
    .bytes(aKey(10)) // coin creator
    .u64(5n)
    .u64(4n) // its fee
  if (isBuy) writer.bool(true).u64(0n).u64(0n).u64(0n).i64(0n).u64(1n).string('buy')
  writer
    .u64(0n) // cashback
    .u64(0n)
    .u64(5_000n)
    .u64(1n) // buyback
    .i128(-300n) // virtual quote reserve
    .bool(true)
    .u64(1_000_000n) // base supply
    .u64(0n)
    .u64(0n)
    .u64(7n) // unclaimed
    .bytes(new Uint8Array(200))
  return writer.finish().subarray(0, length)
}

/** Body lengths that were seen, or that an IDL gives, with the reserve for each. */
const BUY_LENGTHS = [304, 352, 400, 432]
const BUY_LENGTHS_WITH_VIRTUAL_RESERVE = [457, 473, 481, 600]
const SELL_LENGTHS = [304, 352, 384]
const SELL_LENGTHS_WITH_VIRTUAL_RESERVE = [409, 425, 433, 600]

function anEvent(discriminator: Uint8Array, body: Uint8Array): Call {
  return writeEventCall(PROGRAM, AUTHORITY, concat(discriminator, body))
}

function aTrade(hex: string, steps: Call['steps'], base = TOKEN, quote = SOL): Call {
  const filler = aKey(30)
  return {
    program: PROGRAM,
    accounts: [POOL, TRADER, filler, base, quote, USER_BASE, USER_QUOTE, BASE_VAULT, QUOTE_VAULT, filler],
    data: concat(bytesOfHex(hex), new Uint8Array(16)),
    steps: steps ?? [],
  }
}

const BUY = '66063d1201daebea'
const BUY_EXACT_QUOTE_IN = 'c62e1552b4d9e870'
const SELL = '33e685a4017f83ad'
const SIX_DECIMALS: TransactionDraft['movements'] = [
  aMovement(BASE_VAULT, encodeBase58(TOKEN), 10_000n, 9_500n),
]

describe('pumpswap trades', () => {
  it.each(BUY_LENGTHS)("are buys in the pool's own amounts, from events of %i bytes", (length) => {
    const event = anEvent(BUY_EVENT, aTradeEvent(length))

    const { events, refusals } = decodeCalls([aTrade(BUY, [event])], { movements: SIX_DECIMALS })

    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      {
        kind: 'swap',
        exchange: 'pumpswap',
        launchpad: null,
        ammAccount: encodeBase58(POOL),
        baseTokenMint: encodeBase58(TOKEN),
        quoteTokenMint: WRAPPED_SOL,
        walletAccount: encodeBase58(TRADER),
        swapType: 'buy',
        baseAmount: 500n,
        quoteAmount: 1_001n,
        baseDecimals: 6,
        quoteDecimals: 9,
        quoteTokenLiquidity: 91_001n,
        baseTokenLiquidity: 9_500n,
      },
    ])
  })

  it.each(SELL_LENGTHS)("are sells in the pool's own amounts, from events of %i bytes", (length) => {
    const event = anEvent(SELL_EVENT, aTradeEvent(length, POOL, false))

    const { events } = decodeCalls([aTrade(SELL, [event])], { movements: SIX_DECIMALS })

    expect(events).toMatchObject([
      { swapType: 'sell', baseAmount: 500n, quoteAmount: 1_001n, quoteTokenLiquidity: 88_999n },
    ])
  })

  it.each(BUY_LENGTHS_WITH_VIRTUAL_RESERVE)(
    'include the virtual reserve, from buys of %i bytes',
    (length) => {
      const event = anEvent(BUY_EVENT, aTradeEvent(length))

      const { events } = decodeCalls([aTrade(BUY, [event])], { movements: SIX_DECIMALS })

      expect(events).toMatchObject([{ quoteAmount: 1_001n, quoteTokenLiquidity: 90_701n }])
    },
  )

  it.each(SELL_LENGTHS_WITH_VIRTUAL_RESERVE)(
    'include the virtual reserve, from sells of %i bytes',
    (length) => {
      const event = anEvent(SELL_EVENT, aTradeEvent(length, POOL, false))

      const { events } = decodeCalls([aTrade(SELL, [event])], { movements: SIX_DECIMALS })

      expect(events).toMatchObject([{ quoteAmount: 1_001n, quoteTokenLiquidity: 88_699n }])
    },
  )

  it('are refused when their event ends inside a field', () => {
    const calls = [310, 390, 399, 440].map((length) => aTrade(BUY, [anEvent(BUY_EVENT, aTradeEvent(length))]))

    const { events, refusals } = decodeCalls(calls, { movements: SIX_DECIMALS })

    expect(events).toEqual([])
    expect(refusals.map(({ reason }) => reason)).toEqual(new Array(4).fill('truncated'))
  })

  it('with exact input are buys too', () => {
    const event = anEvent(BUY_EVENT, aTradeEvent(432))

    const { events } = decodeCalls([aTrade(BUY_EXACT_QUOTE_IN, [event])], { movements: SIX_DECIMALS })

    expect(events).toMatchObject([{ swapType: 'buy', baseAmount: 500n }])
  })

  it("prefer the base vault's transfers to the event, and take the quote from the event", () => {
    const steps = [
      aTransfer(BASE_VAULT, USER_BASE, 490n),
      aTransfer(USER_QUOTE, QUOTE_VAULT, 1_010n),
      aTransfer(USER_QUOTE, aKey(8), 3n),
      anEvent(BUY_EVENT, aTradeEvent()),
    ]

    const { events } = decodeCalls([aTrade(BUY, steps)], { movements: SIX_DECIMALS })

    expect(events).toMatchObject([{ baseAmount: 490n, quoteAmount: 1_001n, quoteTokenLiquidity: 91_001n }])
  })

  // Guards amounts: waiting fees are a few per cent, and no trade goes the other way.
  it.each([
    ['moved the other way', [aTransfer(QUOTE_VAULT, USER_QUOTE, 1_001n)]],
    ['got far more', [aTransfer(USER_QUOTE, QUOTE_VAULT, 1_500n)]],
    ['got far less', [aTransfer(USER_QUOTE, QUOTE_VAULT, 500n)]],
    ['took in base instead of giving some', [aTransfer(USER_BASE, BASE_VAULT, 500n)]],
  ])('are refused when a vault %s', (_, moves) => {
    const steps = [...moves, anEvent(BUY_EVENT, aTradeEvent())]

    const { events, refusals } = decodeCalls([aTrade(BUY, steps)], { movements: SIX_DECIMALS })

    expect(events).toEqual([])
    expect(refusals).toMatchObject([{ reason: 'contradicted' }])
  })

  // Guards the side: the program's buy of wrapped SOL is the wallet's sell of the token.
  it("are reversed if wrapped SOL is the program's base", () => {
    const calls = [
      aTrade(BUY, [anEvent(BUY_EVENT, aTradeEvent())], SOL, TOKEN),
      aTrade(SELL, [anEvent(SELL_EVENT, aTradeEvent())], SOL, TOKEN),
    ]
    const movements = [aMovement(QUOTE_VAULT, encodeBase58(TOKEN), 1n, 1n)]

    const { events } = decodeCalls(calls, { movements })

    const common = { baseTokenMint: encodeBase58(TOKEN), quoteTokenMint: WRAPPED_SOL, baseAmount: 1_001n }
    expect(events).toMatchObject([
      { ...common, swapType: 'sell', quoteAmount: 500n, quoteTokenLiquidity: 9_500n },
      { ...common, swapType: 'buy', quoteAmount: 500n, quoteTokenLiquidity: 10_500n },
    ])
  })

  it("keep the program's order if neither side is a known quote", () => {
    const other = aKey(77)
    const movements = [
      aMovement(BASE_VAULT, encodeBase58(TOKEN), 1n, 1n),
      aMovement(QUOTE_VAULT, encodeBase58(other), 1n, 1n, 2),
    ]

    const { events } = decodeCalls([aTrade(BUY, [anEvent(BUY_EVENT, aTradeEvent())], TOKEN, other)], {
      movements,
    })

    expect(events).toMatchObject([{ quoteTokenMint: encodeBase58(other), swapType: 'buy', quoteDecimals: 2 }])
  })

  it('prefer dollars to SOL as the quote', () => {
    const { events } = decodeCalls([aTrade(BUY, [anEvent(BUY_EVENT, aTradeEvent())], SOL, address(USDC))])

    expect(events).toMatchObject([{ baseTokenMint: WRAPPED_SOL, quoteTokenMint: USDC, swapType: 'buy' }])
  })

  it("are refused without the token's decimals", () => {
    const { events, refusals } = decodeCalls([aTrade(BUY, [anEvent(BUY_EVENT, aTradeEvent())])])

    expect(events).toEqual([])
    expect(refusals).toEqual([{ exchange: 'pumpswap', path: '0', reason: 'missing_balance' }])
  })

  it('are refused when their event is of another pool, missing or truncated', () => {
    const calls = [
      aTrade(BUY, [anEvent(BUY_EVENT, aTradeEvent(304, aKey(99)))]),
      aTrade(BUY, [anEvent(SELL_EVENT, aTradeEvent())]),
      aTrade(BUY, [anEvent(BUY_EVENT, aTradeEvent().subarray(0, 303))]),
    ]

    const { events, refusals } = decodeCalls(calls, { movements: SIX_DECIMALS })

    expect(events).toEqual([])
    expect(refusals.map(({ reason }) => reason)).toEqual(['missing_event', 'missing_event', 'truncated'])
  })

  it('are read four calls deep, each hop of a route once', () => {
    const hop = (hex: string, event: Uint8Array) => aTrade(hex, [anEvent(event, aTradeEvent())])

    const { events } = decodeCalls([routed(routed(routed(hop(BUY, BUY_EVENT)), hop(SELL, SELL_EVENT)))], {
      movements: SIX_DECIMALS,
    })

    expect(events).toMatchObject([{ swapType: 'buy' }, { swapType: 'sell' }])
  })

  it('on one pool in one transaction keep the reserves of each', () => {
    const trade = aTrade(BUY, [anEvent(BUY_EVENT, aTradeEvent())])

    const { events } = decodeCalls([trade, trade], { movements: SIX_DECIMALS })

    expect(events).toMatchObject([{ quoteTokenLiquidity: 91_001n }, { quoteTokenLiquidity: 91_001n }])
  })

  it('are read from logs when the record has no inner instructions', () => {
    const log = writeEventLog(concat(BUY_EVENT, aTradeEvent()))

    const { events } = decodeCalls([aTrade(BUY, [log])], { movements: SIX_DECIMALS })

    expect(events).toMatchObject([{ baseAmount: 500n, quoteAmount: 1_001n }])
  })

  it('by a router are refused when only the logs show them', () => {
    const transaction = aTransaction({
      calls: [routed(aTrade(BUY, [anEvent(BUY_EVENT, aTradeEvent())]))],
      movements: SIX_DECIMALS,
    })
    const instructions = transaction.instructions.filter(({ innerIndex }) => innerIndex === -1)

    expect(decodeTransaction({ ...transaction, instructions }).refusals).toEqual([
      { exchange: 'pumpswap', path: '0', reason: 'missing_event' },
    ])
  })
})

describe('pumpswap boosts', () => {
  it('are buys of the pool by the account that orders them', () => {
    const body = new ByteWriter()
      .i64(1n)
      .bytes(TOKEN)
      .bytes(aKey(70))
      .bytes(POOL)
      .bytes(TRADER)
      .u64(1_000n)
      .u64(900n) // used
      .u64(55n) // burned
      .bytes(new Uint8Array(16))
      .u64(70_000n)
      .u64(80_000n)
      .u64(0n)
      .finish()
    const boost: Call = {
      program: PROGRAM,
      accounts: [POOL, TRADER, aKey(71), TOKEN, SOL, BASE_VAULT, QUOTE_VAULT, aKey(72)],
      data: concat(bytesOfHex('694406af000723a2'), new Uint8Array(16)),
      steps: [anEvent(BOOST_EVENT, body)],
    }

    const { events } = decodeCalls([boost], { movements: SIX_DECIMALS })

    expect(events).toMatchObject([
      { swapType: 'buy', baseAmount: 55n, quoteAmount: 900n, quoteTokenLiquidity: 70_000n },
    ])
  })
})

describe('pumpswap creations', () => {
  /** Up to the user's accounts, 293 bytes. */
  function aCreateEvent(base = TOKEN, quote = SOL, tail = 32): Uint8Array {
    return new ByteWriter()
      .i64(1n)
      .u16(0)
      .bytes(aKey(83)) // the pool's creator
      .bytes(base)
      .bytes(quote)
      .u8(6)
      .u8(9)
      .u64(1n)
      .u64(2n)
      .u64(206_900n)
      .u64(84_990n)
      .u64(100n)
      .u64(5n)
      .u64(6n)
      .u8(254)
      .bytes(POOL)
      .bytes(aKey(80))
      .bytes(USER_BASE)
      .bytes(USER_QUOTE)
      .bytes(new Uint8Array(tail))
      .finish()
  }

  function aCreation(base = TOKEN, quote = SOL, tail = 32): Call {
    return {
      program: PROGRAM,
      accounts: [
        POOL,
        aKey(81),
        TRADER,
        base,
        quote,
        aKey(80),
        ...new Array(3).fill(aKey(82)),
        BASE_VAULT,
        QUOTE_VAULT,
      ],
      data: concat(bytesOfHex('e992d18ecf6840bc'), new Uint8Array(52)),
      steps: [anEvent(CREATE_POOL_EVENT, aCreateEvent(base, quote, tail))],
    }
  }

  const migrate = (hex: string, ...steps: Call[]): Call => ({
    program: address(PUMPFUN),
    accounts: [],
    data: bytesOfHex(hex),
    steps,
  })

  it.each([0, 32, 43])(
    'by users are new pairs without a migration, with %i bytes after the accounts',
    (tail) => {
      const { events, refusals } = decodeCalls([aCreation(TOKEN, SOL, tail)])

      expect(refusals).toEqual([])
      expect(events).toMatchObject([
        {
          kind: 'newPair',
          ammAccount: encodeBase58(POOL),
          baseToken: { mint: encodeBase58(TOKEN), decimals: 6, supply: null },
          quoteToken: { mint: WRAPPED_SOL },
          baseTokenLiquidityAdded: 206_900n,
          quoteTokenLiquidityAdded: 84_990n,
          migration: null,
        },
      ])
    },
  )

  it("by users have the pool's creator, even if another wallet pays, where they name none of the coin", () => {
    const made = aCreation()

    expect(decodeCalls([made]).events).toMatchObject([{ creator: encodeBase58(aKey(83)) }])
    // A migration makes it for the launchpad's own authority.
    expect(decodeCalls([migrate('9beae792ec9ea21e', made)]).events).toMatchObject([
      { creator: encodeBase58(TRADER) },
    ])
  })

  it("by users have the pool's creator in logs too, which name nobody who pays", () => {
    const { decode, learn } = createLogsDecoder()
    learn(encodeBase58(TOKEN), TOKEN_PROGRAM, writeMintAccount(6))
    const event = concat(CREATE_POOL_EVENT, aCreateEvent())
    const creation = { ...aCreation(), steps: [writeEventLog(event)] }
    const creatorsOf = (call: Call) => decode(aTransaction({ calls: [call] }).logs!).events

    expect(creatorsOf(creation)).toMatchObject([{ creator: encodeBase58(aKey(83)) }])
    expect(creatorsOf(migrate('9beae792ec9ea21e', creation))).toMatchObject([{ creator: null }])
  })

  it.each(['9beae792ec9ea21e', 'bbcb121fceedfe29'])('within the migration %s belong to the curve', (hex) => {
    const { events } = decodeCalls([routed(migrate(hex, aCreation()))])

    expect(events).toMatchObject([{ kind: 'newPair', migration: 'pumpfun' }])
  })

  it('next to a migration, but not within it, do not belong to the curve', () => {
    const { events } = decodeCalls([routed(migrate('9beae792ec9ea21e'), aCreation())])

    expect(events).toMatchObject([{ migration: null }])
  })

  it("are reversed if wrapped SOL is the program's base", () => {
    const { events } = decodeCalls([aCreation(SOL, TOKEN)])

    expect(events).toMatchObject([
      {
        baseToken: { mint: encodeBase58(TOKEN) },
        quoteToken: { mint: WRAPPED_SOL },
        baseTokenLiquidityAdded: 84_990n,
        quoteTokenLiquidityAdded: 206_900n,
      },
    ])
  })

  it('contain what the vaults received, whatever the event says', () => {
    const creation = aCreation()
    const deposit = aTransfer(USER_BASE, BASE_VAULT, 206_000n)

    const { events } = decodeCalls([{ ...creation, steps: [deposit, ...creation.steps!] }])

    expect(events).toMatchObject([{ baseTokenLiquidityAdded: 206_000n, quoteTokenLiquidityAdded: 84_990n }])
  })

  it('are refused when their event is missing or truncated', () => {
    const silent = { ...aCreation(), steps: [] }
    const cut = { ...aCreation(), steps: [anEvent(CREATE_POOL_EVENT, aCreateEvent().subarray(0, 292))] }

    expect(decodeCalls([silent, cut]).refusals.map(({ reason }) => reason)).toEqual([
      'missing_event',
      'truncated',
    ])
  })
})

describe('pumpswap instructions without a trade', () => {
  it.each(['f223c68952e1f2b6', 'b712469c946da122', 'a039592ab58b2b42'])('%s returns nothing', (hex) => {
    const call = { program: PROGRAM, accounts: [], data: bytesOfHex(hex) }

    expect(decodeCalls([call])).toEqual({ events: [], refusals: [] })
  })
})

describe('pumpswap layouts', () => {
  it('throw a RangeError for every event that ends too early', () => {
    for (let length = 0; length < 304; length++) {
      expect(() => readTradeEvent(aTradeEvent(length), true)).toThrow(RangeError)
    }
    expect(() => readCreatePoolEvent(new Uint8Array(292))).toThrow(RangeError)
  })
})
