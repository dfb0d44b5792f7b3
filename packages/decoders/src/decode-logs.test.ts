import { writeMintAccount, writePumpswapPool } from '@pairwire/chain-writer'
import { encodeBase58, WRAPPED_SOL } from '@pairwire/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createLogsDecoder, type DecodedLogs, LOG_DECODERS } from './decode-logs.ts'
import { decodeTransaction } from './decode-transaction.ts'
import type { DecodedEvent, DecodedSwap } from './decoded.ts'
import { readInvocations } from './logs/log-tree.ts'
import { curveKey } from './programs/pumpfun/curve-key.ts'
import { PROGRAM_ID as PUMPFUN } from './programs/pumpfun/layout.ts'
import { PROGRAM_ID as PUMPSWAP } from './programs/pumpswap/layout.ts'
import { chainAccount } from './testing/chain-accounts.ts'
import { readFixtures } from './testing/fixtures.ts'
import { FOLDERS, openRecordings, type RpcRecord } from './testing/recordings.ts'
import { address, aKey, ROUTER } from './testing/transactions.ts'
import { TOKEN_2022_PROGRAM, TOKEN_PROGRAM } from './tokens/layout.ts'
import { readRpcTransaction } from './transaction/read-rpc-transaction.ts'
import type { Transaction } from './transaction.ts'

/** Decodes the logs of a transaction, looking up the accounts that they need. */
function decodeLogsOf(transaction: Transaction): DecodedLogs {
  const decoder = createLogsDecoder()
  for (;;) {
    const decoded = decoder.decode(transaction.logs ?? [])
    const learnt = decoded.unknownAccounts.filter((each) => {
      const account = chainAccount(transaction, each)
      return account !== undefined && decoder.learn(each, account.owner, account.data)
    })
    if (learnt.length === 0) return decoded
  }
}

/** Whether an event from logs equals the one from the whole transaction, or omits fields. */
function agrees(told: DecodedEvent, whole: DecodedEvent): boolean {
  const isSame = (left: unknown, right: unknown): boolean => {
    if (left === null || left === right) return true
    if (typeof left !== 'object' || typeof right !== 'object' || right === null) return false
    return Object.entries(left).every(([name, value]) => isSame(value, right[name as keyof typeof right]))
  }
  return isSame(told, whole)
}

/** Programs that logged nothing here: logs cannot tell what they did. */
function silentPrograms({ logs }: Transaction): ReadonlySet<string> {
  const spoke = readInvocations(logs ?? []).invocations.filter(({ data }) => data.length > 0)
  const programs = new Set(spoke.map(({ program }) => program))
  return new Set(LOG_DECODERS.filter((each) => !programs.has(each.programId)).map((each) => each.exchange))
}

/** Compares the events from logs with those of the whole transaction. @returns their number */
function compare(record: RpcRecord): number {
  const transaction = readRpcTransaction(record)
  if (transaction === null || transaction === undefined || transaction.failed) return 0
  const whole = decodeTransaction(transaction).events.filter(({ exchange, kind }) =>
    LOG_DECODERS.some((each) => each.exchange === exchange && each.gives.includes(kind)),
  )
  const { events, refusals, blockTime, unknownAccounts } = decodeLogsOf(transaction)

  let at = 0
  for (const told of events) {
    while (at < whole.length && !agrees(told, whole[at]!)) at++
    expect(whole[at++], `no such event: ${told.kind} on ${told.ammAccount}`).toBeDefined()
  }
  const silent = silentPrograms(transaction)
  const missing = whole.filter(({ exchange }) => !silent.has(exchange)).length - events.length
  expect(missing).toBeLessThanOrEqual(refusals.length)
  expect(unknownAccounts).toEqual([])
  if (blockTime !== null && transaction.blockTime !== null) expect(blockTime).toBe(transaction.blockTime)
  return events.length
}

const held = [...readFixtures().values()].flat()
const recordings = openRecordings(process.env)

describe('the logs of transactions in the repository', () => {
  it.each(held.map((fixture) => [fixture.name, fixture] as const))(
    '%s decode only to events of the whole transaction',
    (_name, fixture) => {
      compare(fixture.read())
    },
  )

  it('decode to all swaps and pairs of pump.fun, PumpSwap and CLMM among them, swaps of PancakeSwap and pairs of Whirlpool', () => {
    const told = held.flatMap((fixture) => decodeLogsOf(readRpcTransaction(fixture.read())!).events)

    const kinds = new Set(told.map(({ exchange, kind }) => `${exchange} ${kind}`))
    expect([...kinds].sort()).toEqual([
      'orca_whirlpool newPair',
      'pancakeswap swap',
      'pumpfun newPair',
      'pumpfun swap',
      'pumpswap newPair',
      'pumpswap swap',
      'raydium_clmm newPair',
      'raydium_clmm swap',
    ])
  })
})

/** Minimum number of events from logs, so that the comparison is not empty. */
const TOLD: Readonly<Record<string, number>> = {
  transactions: 36,
  'executed-2026': 11,
  'october-2026': 9,
}

describe.skipIf(!recordings.exist).each([...FOLDERS])('the logs of recordings of %s', (folder) => {
  const all = recordings.read(folder)

  it('decode only to events of the whole transactions', () => {
    const told = all.reduce((sum, recording) => sum + compare(recording.read()), 0)

    expect(told).toBeGreaterThanOrEqual(TOLD[folder] ?? 0)
  })
})

/** A sale on a curve, recorded on mainnet. */
const sale = readRpcTransaction(held.find(({ name }) => name === 'sell-v2-october')!.read())!
/** The log line of its event. */
const saleEvent = sale.logs!.find((line) => line.startsWith('Program data: '))!
const program = (name: string, ...lines: string[]) => [
  `Program ${name} invoke [1]`,
  ...lines,
  `Program ${name} success`,
]

describe('createLogsDecoder', () => {
  it('accepts an event only from the program on top of the stack', () => {
    const { decode } = createLogsDecoder()
    const other = encodeBase58(ROUTER)
    const nested = [
      `Program ${PUMPFUN} invoke [1]`,
      `Program ${other} invoke [2]`,
      saleEvent,
      `Program ${other} success`,
      `Program ${PUMPFUN} success`,
    ]

    expect(decode(program(PUMPFUN, saleEvent)).events).toHaveLength(1)
    expect(decode(program(other, saleEvent)).events).toEqual([])
    expect(decode(nested).events).toEqual([])
    expect(decode([saleEvent]).events).toEqual([])
  })

  it("does not mistake a program's log for the runtime’s own lines", () => {
    const other = encodeBase58(ROUTER)
    const fake = [
      `Program log: Program ${PUMPFUN} invoke [2]`,
      `Program log: \nProgram ${PUMPFUN} invoke [2]`,
    ]

    expect(createLogsDecoder().decode(program(other, ...fake, saleEvent)).events).toEqual([])
  })

  it('returns the events before the cut of truncated logs, and counts that there may be more', () => {
    const logs = [...program(PUMPFUN, saleEvent), `Program ${PUMPFUN} invoke [1]`, 'Log truncated', saleEvent]

    const { events, refusals } = createLogsDecoder().decode(logs)

    expect(events).toHaveLength(1)
    expect(refusals).toMatchObject([{ exchange: 'pumpfun', reason: 'truncated_logs' }])
  })

  // Guards amounts: a second event has what such a buy takes beyond its curve.
  it('refuses a buy that completes its curve if the logs are cut before it ends', () => {
    const body = Buffer.alloc(129)
    Buffer.from('bddb7fd34ee661ee', 'hex').copy(body)
    body.set(aKey(3), 8)
    body.writeBigUInt64LE(5n, 40)
    body.writeBigUInt64LE(7n, 48)
    body[56] = 1 // is_buy
    body.set(Buffer.from(saleEvent.slice('Program data: '.length), 'base64').subarray(57, 89), 57)
    const line = `Program data: ${body.toString('base64')}`
    const { decode } = createLogsDecoder()

    expect(decode(program(PUMPFUN, line)).events).toMatchObject([{ baseAmount: 7n, quoteAmount: 5n }])
    const cut = decode([`Program ${PUMPFUN} invoke [1]`, line, 'Log truncated'])
    expect(cut.events).toEqual([])
    expect(cut.refusals.map(({ reason }) => reason)).toEqual(['truncated_logs', 'truncated_logs'])
  })

  it('refuses a truncated event, and one of a trader that cannot sign', () => {
    const bytes = Buffer.from(saleEvent.slice('Program data: '.length), 'base64')
    const line = (data: Uint8Array) => `Program data: ${Buffer.from(data).toString('base64')}`
    const byProgram = Buffer.from(bytes)
    curveKey(aKey(7)).forEach((byte, at) => {
      byProgram[8 + 49 + at] = byte
    })
    const reasonOf = (data: Uint8Array) =>
      createLogsDecoder()
        .decode(program(PUMPFUN, line(data)))
        .refusals.map(({ reason }) => reason)

    expect(reasonOf(bytes.subarray(0, 60))).toEqual(['truncated'])
    expect(reasonOf(byProgram)).toEqual(['unknown_trader'])
  })

  it("takes a boost's buy event for no trade of its own, and refuses nothing", () => {
    const boost = readRpcTransaction(held.find(({ name }) => name === 'boost-and-its-buy-event')!.read())!

    const { events, refusals } = decodeLogsOf(boost)

    expect(events).toMatchObject([{ kind: 'swap', exchange: 'pumpswap' }])
    expect(refusals).toEqual([])
  })

  it('requests an unknown pool, then its mints, and nothing twice', () => {
    const swap = readRpcTransaction(held.find(({ name }) => name === 'sell-v2-fees-kept')!.read())!
    const { ammAccount: pool, baseTokenMint: mint } = decodeTransaction(swap).events[0] as DecodedSwap
    const { decode, learn } = createLogsDecoder()
    const unknown = () => decode(swap.logs!).unknownAccounts

    expect(unknown()).toEqual([pool])
    expect(learn(pool, PUMPSWAP, writePumpswapPool(address(mint), address(WRAPPED_SOL)))).toBe(true)
    expect(unknown()).toEqual([mint])
    expect(learn(mint, TOKEN_PROGRAM, writeMintAccount(6))).toBe(true)
    expect(unknown()).toEqual([])
    expect(decode(swap.logs!).events).toMatchObject([{ ammAccount: pool, baseTokenMint: mint }])
  })

  it('omits the swaps of a pool whose mint withholds a fee, which its events do not report', () => {
    const swap = readRpcTransaction(held.find(({ name }) => name === 'sell-v2-fees-kept')!.read())!
    const { ammAccount: pool, baseTokenMint: mint } = decodeTransaction(swap).events[0] as DecodedSwap
    const { decode, learn } = createLogsDecoder()
    learn(pool, PUMPSWAP, writePumpswapPool(address(mint), address(WRAPPED_SOL)))
    learn(mint, TOKEN_2022_PROGRAM, writeMintAccount(6, true))

    const { events, refusals } = decode(swap.logs!)

    expect(events).toEqual([])
    expect(refusals).toMatchObject([{ exchange: 'pumpswap', reason: 'unknown_amount' }])
  })

  it('learns nothing from an account that is neither a known pool nor a mint', () => {
    const { learn } = createLogsDecoder()
    const pool = writePumpswapPool(aKey(1), aKey(2))

    expect(learn('a', encodeBase58(ROUTER), pool)).toBe(false)
    expect(learn('a', PUMPSWAP, pool.subarray(0, 60))).toBe(false)
    expect(learn('a', PUMPSWAP, new Uint8Array(200))).toBe(false)
    expect(learn('a', TOKEN_PROGRAM, new Uint8Array(82))).toBe(false)
    expect(learn('a', TOKEN_PROGRAM, new Uint8Array(165))).toBe(false)
  })

  // Guards the stream: the sender of a transaction chooses its logs.
  it('never throws, and returns nothing impossible, whatever the lines contain', () => {
    const seeds = held.flatMap((fixture) => readRpcTransaction(fixture.read())?.logs ?? [])
    const line = fc.oneof(
      fc.constantFrom(...seeds),
      fc.constantFrom(...seeds).chain((text) => fc.nat(text.length).map((end) => text.slice(0, end))),
      fc
        .tuple(fc.constantFrom(...seeds), fc.base64String({ maxLength: 400 }))
        .map(([text, tail]) => text.slice(0, 60) + tail),
      fc.constantFrom(
        'Log truncated',
        `Program ${PUMPFUN} invoke [1]`,
        `Program ${PUMPSWAP} invoke [2]`,
        'Program ',
        '',
      ),
      fc.string(),
    )
    const { decode } = createLogsDecoder()

    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (logs) => {
        for (const event of decode(logs).events) {
          if (event.kind === 'swap') expect(event.baseAmount > 0n && event.quoteAmount > 0n).toBe(true)
        }
      }),
      { numRuns: 500 },
    )
  })
})
