import {
  ByteWriter,
  type Call,
  writeEventCall,
  writeEventLog,
  writeInitializeMint,
  writeMintTo,
  writeRevokeMintAuthority,
} from '@pairwire/chain-writer'
import { encodeBase58, USDC, WRAPPED_SOL } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { bytesOfHex } from '../../bytes/discriminator.ts'
import { decodeTransaction } from '../../decode-transaction.ts'
import {
  address,
  aKey,
  aTransaction,
  aTransfer,
  concat,
  decodeCalls,
  routed,
  TRADER,
} from '../../testing/transactions.ts'
import { TOKEN_PROGRAM } from '../../tokens/layout.ts'
import { CREATE_EVENT, PROGRAM_ID, readCreateEvent, readTradeEvent, TRADE_EVENT } from './layout.ts'

const PROGRAM = address(PROGRAM_ID)
const AUTHORITY = aKey(10)
const MINT = aKey(11)
const CURVE = aKey(12)
const CURVE_TOKENS = aKey(13)
const QUOTE_VAULT = aKey(14)

/** Fields in borsh order; a test truncates them where an older version of the program ended. */
function aTradeEvent(
  fields: {
    solAmount?: bigint
    tokenAmount?: bigint
    isBuy?: boolean
    quoteMint?: Uint8Array
    quoteAmount?: bigint
    ixName?: string
    shareholders?: number
    tail?: number
    mint?: Uint8Array
  } = {},
): Uint8Array {
  const writer = new ByteWriter()
    .bytes(fields.mint ?? MINT)
    .u64(fields.solAmount ?? 1_500_000_000n)
    .u64(fields.tokenAmount ?? 42_000_000n)
    .bool(fields.isBuy ?? true)
    .bytes(TRADER)
    .i64(1_700_000_000n)
    .u64(31n)
    .u64(32n)
    .u64(7_000_000_000n) // real_sol_reserves
    .u64(34n)
    .bytes(aKey(20))
    .u64(95n)
    .u64(1n)
    .bytes(aKey(21))
    .u64(5n)
    .u64(2n)
    .bool(true)
    .u64(0n)
    .u64(0n)
    .u64(0n)
    .i64(0n)
    .string(fields.ixName ?? 'buy')
    .bool(false)
    .u64(0n)
    .u64(0n)
    .u64(0n)
    .u64(0n)
    .u32(fields.shareholders ?? 0)
  for (let at = 0; at < (fields.shareholders ?? 0); at++) writer.bytes(aKey(22)).u16(500)
  return writer
    .bytes(fields.quoteMint ?? new Uint8Array(32))
    .u64(fields.quoteAmount ?? fields.solAmount ?? 1_500_000_000n)
    .u64(35n)
    .u64(9_000_000n) // real_quote_reserves
    .bytes(new Uint8Array(fields.tail ?? 0))
    .finish()
}

/** Body lengths at which versions of the program ended, with a name of three letters. */
const TRADE_VERSIONS = {
  '2024, up to the reserves': 121,
  '2025, with fees': 217,
  'late 2025, up to the name of the instruction': 257,
  'late 2025, with cashback': 274,
  '2026, without a quote': 294,
  '2026, with a quote': 350,
}

function anEvent(discriminator: Uint8Array, body: Uint8Array): Call {
  return writeEventCall(PROGRAM, AUTHORITY, concat(discriminator, body))
}

const V1 = ['66063d1201daebea', '33e685a4017f83ad', '38fc74089edfcd5f']
const V2 = ['b817ee6167c5d33d', '5df6823ce7e940b2', 'c2ab1c46684d5b2f']

/** A trade by its discriminator, with as many accounts as in the first version. */
function aTrade(hex: string, steps: Call['steps']): Call {
  const filler = aKey(30)
  const accounts = V2.includes(hex)
    ? [filler, MINT, ...new Array(8).fill(filler), CURVE, CURVE_TOKENS, QUOTE_VAULT, TRADER, filler]
    : [filler, filler, MINT, CURVE, CURVE_TOKENS, filler, TRADER, filler, filler, filler, filler, filler]
  const data = concat(bytesOfHex(hex), new Uint8Array(16))
  return { program: PROGRAM, accounts, data, steps: steps ?? [] }
}

const aBuy = (body = aTradeEvent()) => aTrade(V1[0]!, [anEvent(TRADE_EVENT, body)])

describe('pumpfun trades', () => {
  it.each(Object.entries(TRADE_VERSIONS))('are read from events of %s (%i bytes)', (_, length) => {
    const { events, refusals } = decodeCalls([aBuy(aTradeEvent().subarray(0, length))])

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
        swapType: 'buy',
        baseAmount: 42_000_000n,
        quoteAmount: 1_500_000_000n,
        baseDecimals: 6,
        quoteDecimals: 9,
        quoteTokenLiquidity: 7_000_000_000n,
        baseTokenLiquidity: 34n,
      },
    ])
  })

  it.each([...V1, ...V2])('are read from instruction %s', (hex) => {
    const { events, refusals } = decodeCalls([aTrade(hex, [anEvent(TRADE_EVENT, aTradeEvent())])])

    expect(refusals).toEqual([])
    expect(events).toMatchObject([{ kind: 'swap', ammAccount: encodeBase58(CURVE) }])
  })

  it("are sells when the event says so, whatever the instruction's name", () => {
    const { events } = decodeCalls([aBuy(aTradeEvent({ isBuy: false }))])

    expect(events).toMatchObject([{ swapType: 'sell' }])
  })

  it('are read with shareholders, a long name and an unknown tail', () => {
    const body = aTradeEvent({ shareholders: 3, ixName: 'buy_exact_quote_in_v2', tail: 40 })

    expect(decodeCalls([aBuy(body)]).events).toMatchObject([{ quoteAmount: 1_500_000_000n }])
  })

  it('are priced in the quote token of coins not priced in SOL', () => {
    const body = aTradeEvent({ solAmount: 0n, quoteMint: address(USDC), quoteAmount: 3_517_192n })

    const { events } = decodeCalls([aTrade(V2[0]!, [anEvent(TRADE_EVENT, body)])])

    expect(events).toMatchObject([
      { quoteTokenMint: USDC, quoteAmount: 3_517_192n, quoteDecimals: 6, quoteTokenLiquidity: 9_000_000n },
    ])
  })

  it('are refused when the decimals of an unknown quote are not in the record', () => {
    const body = aTradeEvent({ solAmount: 0n, quoteMint: aKey(40), quoteAmount: 5n })

    const { events, refusals } = decodeCalls([aTrade(V2[0]!, [anEvent(TRADE_EVENT, body)])])

    expect(events).toEqual([])
    expect(refusals).toEqual([{ exchange: 'pumpfun', path: '0', reason: 'missing_balance' }])
  })

  it("belong to the fee payer when the user is a router's account", () => {
    const payer = aKey(50)

    const { events } = decodeCalls([routed(aBuy())], { signers: [payer] })

    expect(events).toMatchObject([{ walletAccount: encodeBase58(payer) }])
  })

  it('each belong to their own signer in a bundle', () => {
    const [first, second] = [aKey(51), aKey(52)]
    const by = (user: Uint8Array) => {
      const trade = aBuy()
      return { ...trade, accounts: trade.accounts.map((key) => (key === TRADER ? user : key)) }
    }

    const { events } = decodeCalls([by(first), by(second)], { signers: [first, second] })

    expect(events).toMatchObject([
      { walletAccount: encodeBase58(first) },
      { walletAccount: encodeBase58(second) },
    ])
  })

  it('are counted once although the program both calls itself and logs', () => {
    const event = concat(TRADE_EVENT, aTradeEvent())

    const { events } = decodeCalls([
      aTrade(V1[0]!, [writeEventLog(event), anEvent(TRADE_EVENT, aTradeEvent())]),
    ])

    expect(events).toHaveLength(1)
  })

  it("are read from their own invocation's logs when the record has no inner instructions", () => {
    const log = (tokenAmount: bigint) => writeEventLog(concat(TRADE_EVENT, aTradeEvent({ tokenAmount })))

    const { events } = decodeCalls([aTrade(V1[0]!, [log(1n)]), aTrade(V1[1]!, [log(2n)])])

    expect(events).toMatchObject([{ baseAmount: 1n }, { baseAmount: 2n }])
  })

  it("are not read from another program's event", () => {
    const log = writeEventLog(concat(TRADE_EVENT, aTradeEvent()))

    const { events, refusals } = decodeCalls([aTrade(V1[0]!, [routed({ ...routed(), steps: [log] })])])

    expect(events).toEqual([])
    expect(refusals).toMatchObject([{ reason: 'missing_event' }])
  })

  it('are refused when the logs were cut before their event', () => {
    const transaction = aTransaction({ calls: [aTrade(V1[0]!, [])] })
    const logs = [`Program ${PROGRAM_ID} invoke [1]`, 'Log truncated', `Program data: ${base64Trade()}`]

    const { events, refusals } = decodeTransaction({ ...transaction, logs })

    expect(events).toEqual([])
    expect(refusals).toEqual([{ exchange: 'pumpfun', path: '0', reason: 'missing_event' }])
  })

  it('are refused when the event is of another mint', () => {
    const { refusals } = decodeCalls([aBuy(aTradeEvent({ mint: aKey(99) }))])

    expect(refusals).toMatchObject([{ reason: 'missing_event' }])
  })

  // Guards amounts: an event that the vaults contradict is no trade.
  it("use the vault's amount of the coin, and are refused when a vault contradicts the event", () => {
    const moved = (amount: bigint) =>
      decodeCalls([
        aTrade(V1[0]!, [aTransfer(CURVE_TOKENS, aKey(60), amount), anEvent(TRADE_EVENT, aTradeEvent())]),
      ])
    const body = aTradeEvent({ solAmount: 0n, quoteMint: address(USDC), quoteAmount: 3_517_192n })
    const paid = (amount: bigint) =>
      decodeCalls([aTrade(V2[0]!, [aTransfer(aKey(61), QUOTE_VAULT, amount), anEvent(TRADE_EVENT, body)])])

    expect(moved(42_000_001n).events).toMatchObject([{ baseAmount: 42_000_001n }])
    expect(moved(420_000_000n).refusals).toMatchObject([{ reason: 'contradicted' }])
    expect(paid(3_600_000n).events).toMatchObject([{ quoteAmount: 3_517_192n }])
    expect(paid(35_171n).refusals).toMatchObject([{ reason: 'contradicted' }])
  })

  it('are refused when one side moved nothing', () => {
    const { events, refusals } = decodeCalls([aBuy(aTradeEvent({ solAmount: 0n }))])

    expect(events).toEqual([])
    expect(refusals).toMatchObject([{ reason: 'zero_amount' }])
  })

  it('are refused with too few accounts', () => {
    const trade = { ...aBuy(), accounts: aBuy().accounts.slice(0, 6) }

    expect(decodeCalls([trade]).refusals).toMatchObject([{ reason: 'missing_accounts' }])
  })

  it('are refused at every length that ends inside a field, and read at every other', () => {
    const whole = aTradeEvent({ tail: 16 })
    const outcomes = Array.from({ length: whole.length + 1 }, (_, length) => {
      const { events, refusals } = decodeCalls([aBuy(whole.subarray(0, length))])
      return events.length === 1 ? 'read' : refusals[0]?.reason
    })

    expect(outcomes.slice(0, 121)).toEqual(new Array(121).fill('truncated'))
    expect(outcomes.slice(350)).toEqual(new Array(17).fill('read'))
    for (const length of Object.values(TRADE_VERSIONS)) expect(outcomes[length]).toBe('read')
    expect(outcomes[300]).toBe('truncated')
    expect(outcomes.filter((outcome) => outcome !== 'read' && outcome !== 'truncated')).toEqual([])
  })
})

describe('pumpfun creations', () => {
  const SUPPLY = 1_000_000_000_000_000n

  function aCreateEvent(quoteMint: Uint8Array = new Uint8Array(32)): Uint8Array {
    return new ByteWriter()
      .string('Blue Strip')
      .string('BLUE')
      .string('https://example.org/blue.json')
      .bytes(MINT)
      .bytes(CURVE)
      .bytes(TRADER)
      .bytes(aKey(60))
      .i64(1_700_000_000n)
      .u64(1n)
      .u64(2n)
      .u64(3n)
      .u64(SUPPLY)
      .bytes(address(TOKEN_PROGRAM))
      .bool(false)
      .bool(false)
      .bytes(quoteMint)
      .u64(4n)
      .u64(5n)
      .bool(false)
      .finish()
  }

  /** Bytes of the three strings with their lengths, and of the keys up to `user`. */
  const HEAD = 3 * 4 + 10 + 4 + 29 + 3 * 32
  const VERSIONS = { 2024: HEAD, 2025: HEAD + 72, 2026: HEAD + 146, 'a later tail': HEAD + 155 }

  function aCreate(hex: string, body: Uint8Array, makesMint = true): Call {
    const token = address(TOKEN_PROGRAM)
    return {
      program: PROGRAM,
      accounts: [MINT, aKey(61), CURVE, CURVE_TOKENS, aKey(62), TRADER],
      data: bytesOfHex(hex),
      steps: [
        ...(makesMint
          ? [
              writeInitializeMint(token, MINT, 6, aKey(61)),
              writeMintTo(token, MINT, CURVE_TOKENS, aKey(61), SUPPLY),
              writeRevokeMintAuthority(token, MINT, aKey(61)),
            ]
          : []),
        anEvent(CREATE_EVENT, body),
      ],
    }
  }

  it.each(Object.entries(VERSIONS))('are read from events of %s', (_, length) => {
    const { events, refusals } = decodeCalls([
      aCreate('181ec828051c0777', aCreateEvent().subarray(0, length)),
    ])

    expect(refusals).toEqual([])
    expect(events).toMatchObject([
      {
        kind: 'newPair',
        exchange: 'pumpfun',
        launchpad: 'pumpfun',
        ammAccount: encodeBase58(CURVE),
        baseToken: {
          mint: encodeBase58(MINT),
          decimals: 6,
          supply: SUPPLY,
          name: 'Blue Strip',
          symbol: 'BLUE',
          uri: 'https://example.org/blue.json',
          mintAuthority: null,
          freezeAuthority: null,
        },
        quoteToken: {
          mint: WRAPPED_SOL,
          decimals: 9,
          supply: null,
          name: null,
          symbol: null,
          uri: null,
          mintAuthority: null,
          freezeAuthority: null,
        },
        baseTokenLiquidityAdded: SUPPLY,
        quoteTokenLiquidityAdded: 0n,
        migration: null,
      },
    ])
  })

  it('name the quote of coins not priced in SOL', () => {
    const { events } = decodeCalls([aCreate('d6904cec5f8b31b4', aCreateEvent(address(USDC)))])

    expect(events).toMatchObject([{ quoteToken: { mint: USDC, decimals: 6 } }])
  })

  it('come before the buy in the same transaction', () => {
    const { events } = decodeCalls([aCreate('d6904cec5f8b31b4', aCreateEvent()), aBuy()])

    expect(events.map(({ kind }) => kind)).toEqual(['newPair', 'swap'])
  })

  it("use the event's supply when the mint was not recorded, and are refused when it has none", () => {
    const newer = decodeCalls([aCreate('181ec828051c0777', aCreateEvent(), false)])
    const older = decodeCalls([aCreate('181ec828051c0777', aCreateEvent().subarray(0, HEAD), false)])

    expect(newer.events).toMatchObject([{ baseTokenLiquidityAdded: SUPPLY }])
    expect(older.events).toEqual([])
    expect(older.refusals).toMatchObject([{ reason: 'missing_event' }])
  })

  it('keep an authority that was not given up', () => {
    const create = aCreate('181ec828051c0777', aCreateEvent())
    const steps = create.steps!.filter((_, at) => at !== 2)

    const { events } = decodeCalls([{ ...create, steps }])

    expect(events).toMatchObject([{ baseToken: { mintAuthority: encodeBase58(aKey(61)) } }])
  })

  it('are refused with a string longer than the event', () => {
    const body = aCreateEvent().slice()
    body[3] = 0x7f

    expect(decodeCalls([aCreate('181ec828051c0777', body)]).refusals).toMatchObject([{ reason: 'truncated' }])
  })
})

describe('pumpfun instructions without a trade', () => {
  it.each([
    ['migrate', '9beae792ec9ea21e'],
    ['migrate_v2', 'bbcb121fceedfe29'],
    ['collect_creator_fee', '1416567bc61cdb84'],
    ['extend_account', 'ea66c2cb96483ee5'],
  ])('%s returns nothing and is no refusal', (_, hex) => {
    const call = { program: PROGRAM, accounts: [], data: bytesOfHex(hex) }

    expect(decodeCalls([call])).toEqual({ events: [], refusals: [] })
  })

  it('are refused by name when the program did not have them', () => {
    const call = { program: PROGRAM, accounts: [], data: bytesOfHex('0102030405060708') }

    expect(decodeCalls([routed(call)]).refusals).toEqual([
      { exchange: 'pumpfun', path: '0.0', reason: 'unknown_instruction' },
    ])
  })

  it('are refused by name when they have no bytes', () => {
    const call = { program: PROGRAM, accounts: [], data: new Uint8Array(0) }

    expect(decodeCalls([call]).refusals).toMatchObject([{ reason: 'truncated' }])
  })
})

describe('pumpfun layouts', () => {
  it('read the known fields and ignore the rest', () => {
    const event = readTradeEvent(aTradeEvent().subarray(0, 217))

    expect(event).toMatchObject({ isBuy: true, realSolReserves: 7_000_000_000n, quote: null })
    expect(() => readCreateEvent(new Uint8Array(3))).toThrow(RangeError)
  })
})

function base64Trade(): string {
  return Buffer.from(concat(TRADE_EVENT, aTradeEvent())).toString('base64')
}
