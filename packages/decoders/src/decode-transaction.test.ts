import { encodeBase58 } from '@pairwire/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { bytesOfHex } from './bytes/discriminator.ts'
import { decodeTransaction } from './decode-transaction.ts'
import type { Decoded } from './decoded.ts'
import * as pumpfun from './programs/pumpfun/layout.ts'
import * as pumpswap from './programs/pumpswap/layout.ts'
import * as ammV4 from './programs/raydium-amm-v4/layout.ts'
import * as cpmm from './programs/raydium-cpmm/layout.ts'
import * as launchlab from './programs/raydium-launchlab/layout.ts'
import { DECODERS } from './registry.ts'
import { openRecordings } from './testing/recordings.ts'
import { address, aKey, aTransaction, decodeCalls, routed } from './testing/transactions.ts'
import {
  METADATA_PROGRAM,
  readAuthoritySet,
  readMetaplexMetadata,
  readMintInitialized,
  readToken2022Metadata,
  readTokenMove,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
} from './tokens/layout.ts'
import { readRpcTransaction } from './transaction/read-rpc-transaction.ts'

const recordings = openRecordings(process.env)
const recorded = recordings
  .read('transactions')
  .map((recording) => readRpcTransaction(recording.read())!)
  .filter((transaction) => decodeTransaction(transaction).events.length > 0)

describe('decodeTransaction', () => {
  it('returns nothing for a transaction of unknown programs', () => {
    expect(decodeCalls([routed(routed())])).toEqual({ events: [], refusals: [] })
  })

  it('returns nothing for a transaction without instructions, logs and balances', () => {
    expect(decodeTransaction({ ...aTransaction({}), keys: [], logs: null })).toEqual({
      events: [],
      refusals: [],
    })
  })

  it('names a refused instruction', () => {
    const unknown = { program: address(pumpfun.PROGRAM_ID), accounts: [], data: new Uint8Array(8) }

    const { refusals } = decodeCalls([routed(), routed(routed(), unknown), unknown])

    expect(refusals.map(({ path }) => path)).toEqual(['1.1', '2'])
  })

  it('does not depend on earlier transactions', () => {
    for (const transaction of recorded) {
      expect(decodeTransaction(transaction)).toEqual(decodeTransaction(transaction))
    }
  })
})

// Guards the process: whatever bytes the chain has, nothing throws and nothing is made up.
describe('decodeTransaction on hostile bytes', () => {
  const programs = [
    ...DECODERS.flatMap(({ programIds }) => programIds),
    TOKEN_PROGRAM,
    TOKEN_2022_PROGRAM,
    METADATA_PROGRAM,
  ]
  const keys = [...programs.map(address), aKey(1), aKey(2), aKey(3), aKey(4), new Uint8Array(32)]
  const discriminators = [
    ...['66063d1201daebea', '33e685a4017f83ad', '38fc74089edfcd5f', 'b817ee6167c5d33d', '5df6823ce7e940b2'],
    ...['181ec828051c0777', 'd6904cec5f8b31b4', '9beae792ec9ea21e', 'e992d18ecf6840bc', '694406af000723a2'],
    ...['8fbe5adac41e33de', '37d96256a34ab4ad', 'afaf6d1f0d989bed', '3f37fe4131b25979', 'faea0d7bd59c13ec'],
    ...['9527de9bd37c981a', '4399af27da102620', '25be7ede2c9aab11', 'cf52c091fecf91df', '885cc8671cda908c'],
    ...[
      'e445a52e51cb9a1dbddb7fd34ee661ee',
      'e445a52e51cb9a1d1b72a94ddeeb6376',
      'e445a52e51cb9a1d67f4521f2cf57777',
    ],
    ...[
      'e445a52e51cb9a1d3e2f370aa503dc2a',
      'e445a52e51cb9a1db1310cd2a076a774',
      'e445a52e51cb9a1d3f451c16305cc2b9',
    ],
    ...['03', '0c', '07', '08', '06', '14', '21', '2a', '09', '0b', '10', '11', '01', 'd2e11ea258b84d8d', ''],
  ].map(bytesOfHex)

  const data = fc
    .tuple(fc.constantFrom(...discriminators), fc.uint8Array({ maxLength: 420 }), fc.boolean())
    .map(([head, tail, isZero]) => Uint8Array.of(...head, ...(isZero ? new Uint8Array(tail.length) : tail)))
  const instruction = fc.record({
    programIndex: fc.nat(keys.length),
    accounts: fc.uint8Array({ max: keys.length, maxLength: 28 }),
    data,
    stackHeight: fc.option(fc.integer({ min: 0, max: 5 })),
    topIndex: fc.nat(2),
    innerIndex: fc.integer({ min: -1, max: 4 }),
  })
  const base64 = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64'))
  const logLine = fc.oneof(
    fc.constantFrom(...programs).map((program) => `Program ${program} invoke [1]`),
    fc.constantFrom(...programs).map((program) => `Program ${program} success`),
    base64.map((text) => `Program data: ${text}`),
    base64.map((text) => `Program log: ray_log: ${text}`),
    fc.constantFrom('Log truncated', 'Program ', 'Program x', ''),
    fc.string(),
  )
  const balance = fc.record({
    accountIndex: fc.nat(keys.length),
    mint: fc.constantFrom(...keys.map(encodeBase58)),
    owner: fc.constant(null),
    amount: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }).map(String),
    decimals: fc.nat(18),
  })
  const transaction = fc.record({
    signature: fc.constant(new Uint8Array(64)),
    slot: fc.constant(null),
    blockTime: fc.constant(null),
    index: fc.constant(null),
    failed: fc.constant(false),
    keys: fc.constant(keys),
    signerCount: fc.nat(keys.length),
    instructions: fc.array(instruction, { maxLength: 10 }),
    logs: fc.option(fc.array(logLine, { maxLength: 20 })),
    preTokenBalances: fc.array(balance, { maxLength: 4 }),
    postTokenBalances: fc.array(balance, { maxLength: 4 }),
  })

  it('never throws and never returns an amount of zero', () => {
    fc.assert(
      fc.property(transaction, (made) => {
        expectSound(decodeTransaction(made))
      }),
      { numRuns: 3_000 },
    )
  })
})

// Guards each layout the same way: it reads the bytes, returns undefined or throws a RangeError.
describe('every layout on arbitrary bytes', () => {
  const readers: Record<string, (bytes: Uint8Array) => unknown> = {
    'pumpfun trade': pumpfun.readTradeEvent,
    'pumpfun create': pumpfun.readCreateEvent,
    'pumpfun post complete buy': pumpfun.readPostCompleteBuyEvent,
    'pumpswap buy': (bytes) => pumpswap.readTradeEvent(bytes, true),
    'pumpswap sell': (bytes) => pumpswap.readTradeEvent(bytes, false),
    'pumpswap create': pumpswap.readCreatePoolEvent,
    'pumpswap boost': pumpswap.readBoostEvent,
    'amm v4 instruction': (bytes) => ammV4.readInstruction(bytes, 18),
    'amm v4 log': ammV4.readSwapLog,
    'cpmm swap': cpmm.readSwapEvent,
    'launchlab trade': launchlab.readTradeEvent,
    'launchlab launch': launchlab.readLaunch,
    'token move': readTokenMove,
    'token mint': readMintInitialized,
    'token authority': readAuthoritySet,
    'token metadata': readToken2022Metadata,
    'metaplex metadata': readMetaplexMetadata,
  }

  it.each(Object.keys(readers))('%s', (name) => {
    const read = readers[name]!
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        try {
          read(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(RangeError)
        }
      }),
      { numRuns: 400 },
    )
  })
})

function expectSound({ events, refusals }: Decoded): void {
  for (const event of events) {
    expect(event.ammAccount.length).toBeGreaterThanOrEqual(32)
    if (event.kind === 'swap') {
      expect(event.baseAmount > 0n && event.quoteAmount > 0n).toBe(true)
      expect(event.quoteTokenLiquidity === null || event.quoteTokenLiquidity >= 0n).toBe(true)
    } else {
      expect(event.baseTokenLiquidityAdded >= 0n && event.quoteTokenLiquidityAdded >= 0n).toBe(true)
    }
  }
  for (const { path } of refusals) expect(path).toMatch(/^\d+(\.\d+)?$/)
}
