import {
  ByteWriter,
  type Call,
  type Step,
  writeEventCall,
  writeEventLog,
  writeInitializeMint,
  writeMintTo,
  writeRevokeMintAuthority,
} from '@pairwire/chain-writer'
import { encodeBase58, USD1, WRAPPED_SOL } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { bytesOfHex } from '../../bytes/discriminator.ts'
import {
  address,
  aKey,
  aMovement,
  aTransfer,
  concat,
  decodeCalls,
  TRADER,
} from '../../testing/transactions.ts'
import { TOKEN_PROGRAM } from '../../tokens/layout.ts'
import { PROGRAM_ID, readLaunch, readTradeEvent, TRADE_EVENT } from './layout.ts'

const PROGRAM = address(PROGRAM_ID)
const POOL = aKey(1)
const TOKEN = aKey(2)
const SOL = address(WRAPPED_SOL)
const [BASE_VAULT, QUOTE_VAULT, USER_BASE, USER_QUOTE] = [3, 4, 5, 6].map(aKey) as [
  Uint8Array,
  Uint8Array,
  Uint8Array,
  Uint8Array,
]
const MOVEMENTS = [aMovement(BASE_VAULT, encodeBase58(TOKEN), 10_000n, 9_500n)]

type Layout = 130 | 139

/** A buy of 500 for 1,000, or a sell of 500 for 970 after a fee of 30. */
function aTradeEvent(layout: Layout, isBuy = true, pool = POOL): Uint8Array {
  const writer = new ByteWriter()
    .bytes(pool)
    .u64(793_100n)
    .u64(1n)
    .u64(2n)
    .u64(isBuy ? 100n : 600n) // sold before
    .u64(isBuy ? 5_000n : 6_000n) // raised before
    .u64(isBuy ? 600n : 100n) // sold after
    .u64(isBuy ? 5_970n : 5_000n) // raised after
    .u64(isBuy ? 1_000n : 500n)
    .u64(isBuy ? 500n : 970n)
    .u64(10n)
    .u64(20n)
  if (layout === 139) writer.u64(0n) // creator_fee
  writer
    .u64(0n)
    .u8(isBuy ? 0 : 1)
    .u8(0)
  if (layout === 139) writer.bool(true) // exact_in
  return writer.finish()
}

function anEvent(body: Uint8Array): Call {
  return writeEventCall(PROGRAM, aKey(7), concat(TRADE_EVENT, body))
}

function aTrade(hex: string, steps: Step[], quote = SOL): Call {
  const filler = aKey(30)
  return {
    program: PROGRAM,
    accounts: [
      TRADER,
      filler,
      filler,
      filler,
      POOL,
      USER_BASE,
      USER_QUOTE,
      BASE_VAULT,
      QUOTE_VAULT,
      TOKEN,
      quote,
      filler,
      filler,
    ],
    data: concat(bytesOfHex(hex), new Uint8Array(24)),
    steps,
  }
}

const BUYS = ['faea0d7bd59c13ec', '18d3742869039938']
const SELLS = ['9527de9bd37c981a', '5fc8472208090ba6']
const LAYOUTS: Layout[] = [130, 139]

describe('raydium launchlab trades', () => {
  it.each(BUYS.flatMap((hex) => LAYOUTS.map((layout) => [hex, layout] as const)))(
    'of instruction %s are buys, from events of %i bytes',
    (hex, layout) => {
      const { events, refusals } = decodeCalls([aTrade(hex, [anEvent(aTradeEvent(layout))])], {
        movements: MOVEMENTS,
      })

      expect(aTradeEvent(layout)).toHaveLength(layout)
      expect(refusals).toEqual([])
      expect(events).toMatchObject([
        {
          kind: 'swap',
          exchange: 'raydium_launchlab',
          launchpad: null,
          ammAccount: encodeBase58(POOL),
          baseTokenMint: encodeBase58(TOKEN),
          quoteTokenMint: WRAPPED_SOL,
          walletAccount: encodeBase58(TRADER),
          swapType: 'buy',
          baseAmount: 500n,
          quoteAmount: 1_000n,
          baseDecimals: 6,
          quoteDecimals: 9,
          quoteTokenLiquidity: 5_970n,
          baseTokenLiquidity: null,
        },
      ])
    },
  )

  it.each(SELLS.flatMap((hex) => LAYOUTS.map((layout) => [hex, layout] as const)))(
    'of instruction %s are sells, from events of %i bytes',
    (hex, layout) => {
      const { events } = decodeCalls([aTrade(hex, [anEvent(aTradeEvent(layout, false))])], {
        movements: MOVEMENTS,
      })

      expect(events).toMatchObject([
        { swapType: 'sell', baseAmount: 500n, quoteAmount: 970n, quoteTokenLiquidity: 5_000n },
      ])
    },
  )

  // Guards money: of three readings of such a trade, the trader's leg counts. The amounts are recorded ones.
  it('count what the trader pays when the vault pays platform and creator from it (slot 372,149,510)', () => {
    const steps = [
      aTransfer(USER_QUOTE, QUOTE_VAULT, 9_999_999n),
      aTransfer(QUOTE_VAULT, aKey(8), 100_000n),
      aTransfer(QUOTE_VAULT, aKey(9), 5_000n),
      aTransfer(BASE_VAULT, USER_BASE, 500n),
      anEvent(aTradeEvent(139)),
    ]

    const { events } = decodeCalls([aTrade(BUYS[0]!, steps)], { movements: MOVEMENTS })

    expect(events).toMatchObject([{ swapType: 'buy', baseAmount: 500n, quoteAmount: 9_999_999n }])
  })

  it('count what the trader gets when the vault pays platform and creator too (a sale in USD1)', () => {
    const steps = [
      aTransfer(USER_BASE, BASE_VAULT, 500n),
      aTransfer(QUOTE_VAULT, USER_QUOTE, 11_811_180n),
      aTransfer(QUOTE_VAULT, aKey(8), 100_000n),
      aTransfer(QUOTE_VAULT, aKey(9), 25_650n),
      anEvent(aTradeEvent(139, false)),
    ]

    const { events } = decodeCalls([aTrade(SELLS[0]!, steps, address(USD1))], { movements: MOVEMENTS })

    expect(events).toMatchObject([{ swapType: 'sell', baseAmount: 500n, quoteAmount: 11_811_180n }])
  })

  it('count what the vault received of a token that withholds a fee', () => {
    const steps = [
      aTransfer(USER_BASE, BASE_VAULT, 520n, true),
      aTransfer(QUOTE_VAULT, USER_QUOTE, 970n),
      anEvent(aTradeEvent(139, false)),
    ]
    const movements = [aMovement(BASE_VAULT, encodeBase58(TOKEN), 9_500n, 10_000n)]

    const { events } = decodeCalls([aTrade(SELLS[0]!, steps)], { movements })

    expect(events).toMatchObject([{ swapType: 'sell', baseAmount: 500n, quoteAmount: 970n }])
  })

  it("are priced in the curve's quote", () => {
    const call = aTrade(BUYS[0]!, [anEvent(aTradeEvent(139))], address(USD1))

    expect(decodeCalls([call], { movements: MOVEMENTS }).events).toMatchObject([
      { quoteTokenMint: USD1, quoteDecimals: 6 },
    ])
  })

  it('are read from logs when the record has no inner instructions', () => {
    const log = writeEventLog(concat(TRADE_EVENT, aTradeEvent(139)))

    const { events } = decodeCalls([aTrade(BUYS[0]!, [log])], { movements: MOVEMENTS })

    expect(events).toMatchObject([{ baseAmount: 500n, quoteAmount: 1_000n }])
  })

  it('are refused when their event is missing, of another pool or truncated', () => {
    const calls = [
      aTrade(BUYS[0]!, []),
      aTrade(BUYS[0]!, [anEvent(aTradeEvent(139, true, aKey(99)))]),
      aTrade(BUYS[0]!, [anEvent(aTradeEvent(130).subarray(0, 129))]),
    ]

    expect(decodeCalls(calls, { movements: MOVEMENTS }).refusals.map(({ reason }) => reason)).toEqual([
      'missing_event',
      'missing_event',
      'truncated',
    ])
  })
})

describe('raydium launchlab creations', () => {
  const SUPPLY = 1_000_000_000_000_000n

  function aLaunch(hex: string, { curve = 0, recorded = true, quote = SOL } = {}): Call {
    const token = address(TOKEN_PROGRAM)
    const data = new ByteWriter()
      .bytes(bytesOfHex(hex))
      .u8(6)
      .string('PenguX')
      .string('PEX')
      .string('https://example.org/pex.json')
      .u8(curve)
      .u64(SUPPLY)
      .u64(793_100_000_000_000n)
      .u64(85_000_000_000n)
      .u8(1)
      .u64(0n)
      .u64(0n)
      .u64(0n)
      .finish()
    const filler = aKey(30)
    return {
      program: PROGRAM,
      accounts: [TRADER, TRADER, filler, filler, filler, POOL, TOKEN, quote, BASE_VAULT, QUOTE_VAULT],
      data,
      steps: recorded
        ? [
            writeInitializeMint(token, TOKEN, 6, aKey(9)),
            writeMintTo(token, TOKEN, BASE_VAULT, aKey(9), SUPPLY),
            writeRevokeMintAuthority(token, TOKEN, aKey(9)),
          ]
        : [],
    }
  }

  it.each(['afaf6d1f0d989bed', '4399af27da102620', '25be7ede2c9aab11'])(
    'by instruction %s are new pairs',
    (hex) => {
      const { events, refusals } = decodeCalls([aLaunch(hex)])

      expect(refusals).toEqual([])
      expect(events).toMatchObject([
        {
          kind: 'newPair',
          exchange: 'raydium_launchlab',
          launchpad: null,
          ammAccount: encodeBase58(POOL),
          baseToken: {
            mint: encodeBase58(TOKEN),
            decimals: 6,
            supply: SUPPLY,
            name: 'PenguX',
            symbol: 'PEX',
            uri: 'https://example.org/pex.json',
            mintAuthority: null,
            freezeAuthority: null,
          },
          quoteToken: expect.objectContaining({ mint: WRAPPED_SOL, decimals: 9 }),
          baseTokenLiquidityAdded: SUPPLY,
          quoteTokenLiquidityAdded: 0n,
          migration: null,
        },
      ])
    },
  )

  it.each([0, 1, 2])('contain the supply of a curve of kind %i when nothing else is recorded', (curve) => {
    const { events } = decodeCalls([
      aLaunch('4399af27da102620', { curve, recorded: false, quote: address(USD1) }),
    ])

    expect(events).toMatchObject([
      { baseToken: { supply: SUPPLY }, quoteToken: { mint: USD1 }, baseTokenLiquidityAdded: SUPPLY },
    ])
  })

  it('are refused when their bytes end too early', () => {
    const whole = aLaunch('afaf6d1f0d989bed')

    expect(decodeCalls([{ ...whole, data: whole.data.subarray(0, 40) }]).refusals).toMatchObject([
      { reason: 'truncated' },
    ])
  })
})

describe('raydium launchlab instructions without a trade', () => {
  it.each(['cf52c091fecf91df', '885cc8671cda908c', '3cadf767045d8230', '1a618acb84ab8dfc'])(
    '%s returns nothing',
    (hex) => {
      const call = { program: PROGRAM, accounts: [], data: bytesOfHex(hex) }

      expect(decodeCalls([call])).toEqual({ events: [], refusals: [] })
    },
  )

  it('are refused by name when the program does not have them', () => {
    const call = { program: PROGRAM, accounts: [], data: new Uint8Array(8) }

    expect(decodeCalls([call]).refusals).toMatchObject([{ reason: 'unknown_instruction' }])
  })
})

describe('raydium launchlab layouts', () => {
  // A recorded event of 139 bytes, with the fields that its source reports.
  it('read a recorded event of the newer layout', () => {
    const event = readTradeEvent(
      Buffer.from(
        'eydJ69bbbohYDlTIzNBHzLd/nxmLjYWbfFtmdxxN4IEAeMX7UdECAN50Dj7pzwMA168w/AYAAACm5Qc4vCMCAHh3ge8IAAAAMHEO56EvAgCYG/1jCQAAAABnBHYAAAAAiosGr+ULAADwh0sAAAAAAMAfLgEAAAAAMBsPAAAAAAAAAAAAAAAAAAAAAQ==',
        'base64',
      ),
    )

    expect(event).toMatchObject({
      realBaseBefore: 602_241_254_286_758n,
      realBaseAfter: 615_322_366_144_816n,
      realQuoteAfter: 40_332_237_720n,
      amountIn: 1_980_000_000n,
      amountOut: 13_081_111_858_058n,
      isBuy: true,
    })
  })

  it('throw a RangeError for truncated bytes', () => {
    for (let length = 0; length < 130; length++) {
      expect(() => readTradeEvent(aTradeEvent(130).subarray(0, length))).toThrow(RangeError)
    }
    expect(() => readLaunch(new Uint8Array(9))).toThrow(RangeError)
  })
})
