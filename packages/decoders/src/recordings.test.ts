import { readdirSync, readFileSync } from 'node:fs'
import { decodeBase58, encodeBase58 } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { compareKeys, keyOf } from './bytes/key-table.ts'
import { createCallTally } from './call-tally.ts'
import { decodeTransaction } from './decode-transaction.ts'
import type { DecodedEvent } from './decoded.ts'
import { VENUES } from './programs/prop-amms/layout.ts'
import * as pumpfun from './programs/pumpfun/layout.ts'
import * as pumpswap from './programs/pumpswap/layout.ts'
import { DECODERS } from './registry.ts'
import { describeEvent } from './testing/describe-event.ts'
import {
  type ExpectedRow,
  FOLDERS,
  openRecordings,
  RECORDED_PROGRAMS,
  type Recording,
} from './testing/recordings.ts'
import { MalformedTransactionError } from './transaction/malformed-transaction-error.ts'
import { readRpcTransaction } from './transaction/read-rpc-transaction.ts'
import type { Transaction } from './transaction.ts'

/** Marks rows whose pool's side of the input is what its vault received, without the mint's own fee. */
const HIDDEN_FEE = 'in vault got less than sent'

const recordings = openRecordings(process.env)
const decoded = new Set<string>(DECODERS.map(({ exchange }) => exchange))
const transactions = recordings.read('transactions')
const negatives = recordings.read('negative')
/** The recordings of every folder. */
const all = FOLDERS.flatMap((folder) => recordings.read(folder))

describe.skipIf(!recordings.exist).each([...FOLDERS])('transactions of the folder %s', (folder) => {
  const expected = recordings.readExpected(folder)

  it.each(recordings.read(folder))('$signature decodes to exactly the expected events', (recording) => {
    const rows = expected.get(recording.signature) ?? []
    const ours = rows.filter(
      ({ program, kind }) =>
        decoded.has(RECORDED_PROGRAMS[program] ?? '') && kind !== 'migration' && kind !== 'none',
    )

    const { events: all, refusals } = decode(recording)
    // Hops of the table's venues have separate lists.
    const events = all.filter(({ exchange }) => !isByTable(exchange))

    expect(events).toHaveLength(ours.length)
    expect(events.map(describeEvent)).toMatchObject(ours.map((row) => describeRow(row, rows, recording)))
    expect(refusals).toEqual([])
  })
})

describe.skipIf(!recordings.exist).each([
  ['prop-amms', 12],
  ['prop-amms/executed', 14],
] as const)('transactions of proprietary AMMs in the folder %s', (folder, count) => {
  const expected = recordings.readExpected(folder)

  it(`decodes to exactly their ${count} swaps, besides those of the other venues`, () => {
    let seen = 0
    for (const recording of recordings.read(folder)) {
      const rows = (expected.get(recording.signature) ?? []).filter(({ program }) => isByTable(program))

      const { events, refusals } = decode(recording)

      const hops = events.filter(({ exchange }) => isByTable(exchange)).map(describeEvent)
      expect(hops, recording.signature).toHaveLength(rows.length)
      expect(hops).toMatchObject(rows.map((row) => describeRow(row, rows, recording)))
      expect(refusals, recording.signature).toEqual([])
      seen += hops.length
    }
    expect(seen).toBe(count)
  })
})

describe.skipIf(!recordings.exist)('quote updates, orders and failed swaps of proprietary AMMs', () => {
  it('return nothing, and count as known calls', () => {
    const tally = createCallTally()
    for (const recording of recordings.read('prop-amms/negative')) {
      expect(decodeTransaction(readRpcTransaction(recording.read())!, tally)).toEqual({
        events: [],
        refusals: [],
      })
    }
    expect(Object.values(tally.read()).filter(({ unknown }) => unknown > 0)).toEqual([])
  })
})

describe.skipIf(!recordings.exist)('recorded mainnet transactions', () => {
  it.each(negatives)('$signature, without events of ours, returns nothing', (recording) => {
    const transaction = readOrRefuse(recording)

    if (transaction !== undefined) {
      expect(decodeTransaction(transaction)).toEqual({ events: [], refusals: [] })
    }
  })

  it('refuses by name the one recording with tampered accounts', () => {
    const refused = negatives.filter((recording) => readOrRefuse(recording) === undefined)

    expect(refused.map(({ signature }) => signature.slice(0, 8))).toEqual(['F47c3Ciz'])
  })

  it('treats a record of only instructions as no transaction', () => {
    const records = readdirSync(`${recordings.root}/partial`).map((file) =>
      JSON.parse(readFileSync(`${recordings.root}/partial/${file}`, 'utf8')),
    )

    expect(records.map(readRpcTransaction)).toEqual(records.map(() => undefined))
  })

  it('reads the same through a JSON-RPC envelope', () => {
    for (const recording of transactions) {
      const envelope = { jsonrpc: '2.0', id: 1, result: recording.read() }

      expect(decodeTransaction(readRpcTransaction(envelope)!)).toEqual(decode(recording))
    }
  })
})

type RecordedEvent = {
  program: string
  event: string
  base64: string
  fields: Record<string, string>
  /** The vaults' balances before and after it. */
  vaults?: Record<'quotePre' | 'quotePost' | 'basePre' | 'basePost', string>
}

describe.skipIf(!recordings.exist)('recorded events of versions without a recorded transaction', () => {
  const events: RecordedEvent[] = (recordings.exist ? ['', '/october-2026'] : []).flatMap((folder) =>
    JSON.parse(readFileSync(`${recordings.root}${folder}/events.json`, 'utf8')),
  )
  const bodyOf = ({ base64 }: RecordedEvent) => Buffer.from(base64, 'base64').subarray(8)

  it.each(events.filter(({ event }) => event === 'BuyEvent' || event === 'SellEvent'))(
    'pumpswap $event',
    (recorded) => {
      const { event, fields, vaults } = recorded
      const isBuy = event === 'BuyEvent'

      const read = pumpswap.readTradeEvent(bodyOf(recorded), isBuy)

      expect(`${read.baseAmount}`).toBe(isBuy ? fields.base_amount_out : fields.base_amount_in)
      expect(`${read.quoteAmount}`).toBe(
        isBuy ? fields.quote_amount_in_with_lp_fee : fields.quote_amount_out_without_lp_fee,
      )
      expect(`${read.baseReserveBefore}`).toBe(fields.pool_base_token_reserves)
      expect(`${read.quoteReserveBefore}`).toBe(fields.pool_quote_token_reserves)
      expect(`${read.virtualQuoteReserve}`).toBe(fields.virtual_quote_reserves ?? '0')
      expect(encodeBase58(read.pool)).toBe(fields.pool)
      if (vaults !== undefined) {
        const change = BigInt(vaults.quotePost) - BigInt(vaults.quotePre)
        expect(change - pumpswap.readKeptFees(bodyOf(recorded), isBuy)).toBe(
          isBuy ? read.quoteAmount : -read.quoteAmount,
        )
      }
    },
  )

  it.each(events.filter(({ program, event }) => program === 'pumpfun' && event === 'TradeEvent'))(
    'pumpfun $event',
    (recorded) => {
      const { fields } = recorded

      const read = pumpfun.readTradeEvent(bodyOf(recorded))

      expect(encodeBase58(read.mint)).toBe(fields.mint)
      expect(`${read.tokenAmount}`).toBe(fields.token_amount)
      expect(`${read.solAmount}`).toBe(fields.sol_amount)
      expect(`${read.realSolReserves}`).toBe(fields.real_sol_reserves)
      if (fields.quote_amount !== undefined) {
        expect(`${read.quote?.amount}`).toBe(fields.quote_amount)
        expect(`${read.quote?.realReserves}`).toBe(fields.real_quote_reserves)
      }
    },
  )

  it.each(events.filter(({ event }) => event === 'PostCompleteBuyEvent'))('pumpfun $event', (recorded) => {
    const read = pumpfun.readPostCompleteBuyEvent(bodyOf(recorded))

    expect(encodeBase58(read.mint)).toBe(recorded.fields.mint)
    expect(`${read.baseOut}`).toBe(recorded.fields.base_out)
    expect(`${read.quoteIn}`).toBe(recorded.fields.quote_in)
  })

  it.each(events.filter(({ event }) => event === 'CreatePoolEvent'))('pumpswap $event', (recorded) => {
    const read = pumpswap.readCreatePoolEvent(bodyOf(recorded))

    expect([read.pool, read.baseMint].map(encodeBase58)).toEqual([
      recorded.fields.pool,
      recorded.fields.base_mint,
    ])
    expect(`${read.poolBaseAmount}`).toBe(recorded.fields.pool_base_amount)
    expect(`${read.poolQuoteAmount}`).toBe(recorded.fields.pool_quote_amount)
    expect(read.isMayhem).toBe(false)
  })
})

// Guards money: the pool's side must match its balances.
describe.skipIf(!recordings.exist)('amounts of recorded swaps', () => {
  it('equal the change of both vaults if a pool is used once', () => {
    let checked = 0
    for (const recording of transactions) {
      const transaction = readRpcTransaction(recording.read())!
      const { events } = decodeTransaction(transaction)
      for (const event of events) {
        if (event.kind !== 'swap' || event.exchange === 'pumpfun') continue
        if (events.filter(({ ammAccount }) => ammAccount === event.ammAccount).length > 1) continue
        const isBuy = event.swapType === 'buy'
        const base = isBuy ? -event.baseAmount : event.baseAmount
        const quote = isBuy ? event.quoteAmount : -event.quoteAmount

        const label = `${recording.signature} ${event.ammAccount}`
        expect(changes(transaction, event.baseTokenMint), label).toContain(base)
        expect(changes(transaction, event.quoteTokenMint), label).toContain(quote)
        checked++
      }
    }
    expect(checked).toBeGreaterThan(30)
  })

  it("equal the change of a pump.fun curve's lamports and tokens if it is used once", () => {
    let checked = 0
    for (const recording of transactions) {
      const record = recording.read()
      const transaction = readRpcTransaction(record)!
      const { events } = decodeTransaction(transaction)
      for (const event of events) {
        if (event.kind !== 'swap' || event.exchange !== 'pumpfun') continue
        if (events.filter(({ ammAccount }) => ammAccount === event.ammAccount).length > 1) continue
        const isBuy = event.swapType === 'buy'

        const curve = transaction.keys.findIndex((key) => encodeBase58(key) === event.ammAccount)
        const { preBalances, postBalances } = record.meta as unknown as Record<string, number[]>
        const lamports = BigInt(postBalances![curve]!) - BigInt(preBalances![curve]!)
        expect(changes(transaction, event.baseTokenMint)).toContain(
          isBuy ? -event.baseAmount : event.baseAmount,
        )
        if (event.quoteDecimals === 9) expect(lamports).toBe(isBuy ? event.quoteAmount : -event.quoteAmount)
        else expect(changes(transaction, event.quoteTokenMint)).toContain(event.quoteAmount)
        checked++
      }
    }
    expect(checked).toBeGreaterThan(5)
  })

  it('leave in a pool what its vault holds afterwards, if the program keeps nothing aside in it', () => {
    const swaps = transactions.flatMap((recording) => {
      const transaction = readRpcTransaction(recording.read())!
      const { events } = decodeTransaction(transaction)
      return events.flatMap((event, at) =>
        event.kind === 'swap' &&
        event.exchange === 'pumpswap' &&
        !events.slice(at + 1).some(({ ammAccount }) => ammAccount === event.ammAccount)
          ? [{ event, transaction }]
          : [],
      )
    })

    for (const { event, transaction } of swaps) {
      expect(transaction.postTokenBalances.map(({ amount }) => amount)).toContain(
        `${event.quoteTokenLiquidity}`,
      )
    }
    expect(swaps.length).toBeGreaterThan(10)
  })
})

describe.skipIf(!recordings.exist)('incomplete recorded transactions', () => {
  it('decode equally without stack heights', () => {
    for (const recording of all) {
      const record = recording.read()
      for (const { instructions } of record.meta.innerInstructions ?? []) {
        for (const instruction of instructions) instruction.stackHeight = null
      }

      expect(decodeTransaction(readRpcTransaction(record)!), recording.signature).toEqual(decode(recording))
    }
  })

  it('decode to the same amounts without logs', () => {
    for (const recording of all) {
      const record = recording.read()
      record.meta.logMessages = null

      const { events, refusals } = decodeTransaction(readRpcTransaction(record)!)

      expect(events.map(withoutLiquidity), recording.signature).toEqual(
        decode(recording).events.map(withoutLiquidity),
      )
      expect(refusals).toEqual([])
    }
  })

  it('decode equally or are refused by name without inner instructions, and never to something else', () => {
    let same = 0
    for (const recording of all) {
      const record = recording.read()
      const whole = decode(recording).events.map(describeEvent)
      record.meta.innerInstructions = null

      const { events, refusals } = decodeTransaction(readRpcTransaction(record)!)

      const kept = events.map(describeEvent)
      for (const event of kept) expect(whole).toContainEqual(event)
      if (kept.length < whole.length) expect(refusals.length, recording.signature).toBeGreaterThan(0)
      if (whole.length > 0 && kept.length === whole.length) same++
    }
    expect(same).toBeGreaterThan(25)
  })

  it('are refused by name when a record of parsed instructions lost the bytes', () => {
    for (const recording of all) {
      const record = recording.read()
      const inner = (record.meta.innerInstructions ?? []).flatMap(({ instructions }) => instructions)
      for (const instruction of [...record.transaction.message.instructions, ...inner]) instruction.data = ''

      const { events, refusals } = decodeTransaction(readRpcTransaction(record)!)

      expect(events).toEqual([])
      if (decode(recording).events.length > 0) expect(refusals.length).toBeGreaterThan(0)
      for (const { reason } of refusals) expect(reason).toBe('truncated')
    }
  })

  it('return nothing when the transaction failed', () => {
    for (const recording of all) {
      const record = recording.read()
      record.meta.err = { InstructionError: [0, 'Custom'] }

      expect(decodeTransaction(readRpcTransaction(record)!)).toEqual({ events: [], refusals: [] })
    }
  })
})

function decode(recording: Recording) {
  return decodeTransaction(readRpcTransaction(recording.read())!)
}

function readOrRefuse(recording: Recording): Transaction | undefined {
  try {
    return readRpcTransaction(recording.read())
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedTransactionError)
    return undefined
  }
}

function isByTable(exchange: string): boolean {
  return VENUES.some((venue) => venue.exchange === exchange)
}

/** The parts of an event that a row has; `rows` are all rows of its transaction. */
function describeRow(row: ExpectedRow, rows: readonly ExpectedRow[], recording: Recording): object {
  const common = {
    kind: row.kind,
    exchange: RECORDED_PROGRAMS[row.program],
    ammAccount: row.pool,
    baseTokenMint: row.baseMint ?? row.mintA ?? poolOrder(row)[0],
    quoteTokenMint: row.quoteMint ?? row.mintB ?? poolOrder(row)[1],
  }
  if (row.kind === 'swap') {
    const received = row.verified?.includes(HIDDEN_FEE) ? receivedBy(recording, row.vaultIn!) : undefined
    const taken = received ?? row.poolAmountIn ?? row.amountIn
    const given = row.poolAmountOut ?? row.amountOut
    const isBuy = row.side === null ? row.outputMint === common.baseTokenMint : row.side === 'buy'
    const [baseAmount, quoteAmount] = isBuy ? [given, taken] : [taken, given]
    const quoteTokenLiquidity = row.quoteTokenLiquidity ?? row.quoteReserveEffectiveAfter
    return {
      ...common,
      walletAccount: row.wallet,
      swapType: isBuy ? 'buy' : 'sell',
      baseAmount,
      quoteAmount,
      ...(quoteTokenLiquidity === undefined ? {} : { quoteTokenLiquidity }),
    }
  }
  const init = row as ExpectedRow & { initCoin?: string; initPc?: string; coinMint?: string }
  const liquidity = row.baseAmount ?? (init.coinMint === row.baseMint ? init.initCoin : init.initPc)
  return {
    ...common,
    ...(row.name === undefined ? {} : { name: row.name, symbol: row.symbol, uri: row.uri }),
    migration: row.viaMigration ? migrationOf(rows) : null,
    ...(liquidity === undefined ? {} : { baseTokenLiquidityAdded: liquidity }),
  }
}

/** Mints in the order of their keys, which is that of every pool here whose rows do not tell. */
function poolOrder({ inputMint, outputMint }: ExpectedRow): readonly string[] {
  if (inputMint === undefined || outputMint === undefined) return []
  const mints = [inputMint, outputMint]
  return compareKeys(keyOf(inputMint), keyOf(outputMint)) < 0 ? mints : mints.reverse()
}

/** Without a row of its own, it is one of pump.fun's of 2024, by a wallet and without an instruction. */
function migrationOf(rows: readonly ExpectedRow[]): string | undefined {
  return MIGRATIONS[rows.find(({ kind }) => kind === 'migration')?.program ?? 'pumpfun']
}

/** The stream's launchpad of a migration, by the recordings' name of its program. */
const MIGRATIONS: Readonly<Record<string, string>> = {
  pumpfun: 'pumpfun',
  'raydium-launchlab': 'raydium_launchpad',
  'meteora-dbc': 'meteora_dbc',
}

function receivedBy(recording: Recording, account: string): string {
  const transaction = readRpcTransaction(recording.read())!
  const key = decodeBase58(account)!
  const at = transaction.keys.findIndex((candidate) => candidate.every((byte, index) => byte === key[index]))
  return `${changeAt(transaction, at)}`
}

function changeAt({ preTokenBalances, postTokenBalances }: Transaction, account: number): bigint {
  const before = preTokenBalances.find(({ accountIndex }) => accountIndex === account)?.amount ?? '0'
  const after = postTokenBalances.find(({ accountIndex }) => accountIndex === account)?.amount ?? '0'
  return BigInt(after) - BigInt(before)
}

/** The changes of each account of `mint`. */
function changes(transaction: Transaction, mint: string): bigint[] {
  return transaction.postTokenBalances
    .filter((balance) => balance.mint === mint)
    .map(({ accountIndex }) => changeAt(transaction, accountIndex))
}

function withoutLiquidity(event: DecodedEvent): object {
  return event.kind === 'swap' ? { ...event, quoteTokenLiquidity: null, baseTokenLiquidity: null } : event
}
