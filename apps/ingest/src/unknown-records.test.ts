import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createJumpingClock } from '@pairwire/basics/testing/manual-clock'
import { CallNotes, decodeTransaction, readRpcTransaction, type Transaction } from '@pairwire/decoders'
import { beforeEach, describe, expect, it } from 'vitest'
import { createBlockEvents } from './block-events.ts'
import { decodeFiles } from './decode-files.ts'
import { createPrices } from './enrich/prices.ts'
import { IngestFigures } from './ingest-figures.ts'
import { decodeEarly } from './slot-keeper/block-transaction.ts'
import { aRecord, signatureOf } from './testing/a-record.ts'
import { createListLog } from './testing/live-chain.ts'
import { aFolder } from './testing/temporary-folder.ts'
import { createTokenMemory } from './tokens/token-memory.ts'
import { createUnknownRecords, MAX_KINDS, RECORDS_KEPT } from './unknown-records.ts'

const PUMP = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P'

/** Base58 of more bytes than an instruction's name has. */
const UNKNOWN = '42222222222222'

let folder: string
let clock: ReturnType<typeof createJumpingClock>
let records: ReturnType<typeof createUnknownRecords>
let log: ReturnType<typeof createListLog>
beforeEach(() => {
  folder = join(aFolder({}), 'unknown')
  clock = createJumpingClock()
  log = createListLog()
  records = createUnknownRecords({ folder, clock, log })
})

/** A transaction that calls pump.fun with these base58 bytes. */
const calling = (id: number, data: string) =>
  readRpcTransaction(aRecord(id, { slot: 9, calls: [{ program: PUMP, data }] }))!

function keep(transaction: Transaction): void {
  const calls = new CallNotes()
  decodeTransaction(transaction, calls)
  records.keep(transaction, calls.unknownKinds)
  clock.advance(1)
}

/** Decodes a transaction that calls pump.fun with these base58 bytes. */
const decode = (id: number, data: string) => keep(calling(id, data))

const kinds = () => readdirSync(join(folder, PUMP))
const kept = () => kinds().flatMap((kind) => readdirSync(join(folder, PUMP, kind)).sort())

describe('transactions with unknown calls', () => {
  it('are kept in the form that the operator’s tool decodes, by the bytes that name the instruction', async () => {
    decode(1, UNKNOWN)
    await records.settled()

    const [kind] = kinds()
    expect(kind).toMatch(/^[0-9a-f]{2,16}$/)
    expect(kept()).toEqual([expect.stringContaining(signatureOf(1))])
    const lines: string[] = []
    const { exitStatus } = await decodeFiles([folder], {
      write: () => {},
      report: (line) => void lines.push(line),
    })
    expect(exitStatus).toBe(0)
    expect(lines.join(' ')).toContain('1 transaction')
    expect(JSON.parse(readFileSync(join(folder, PUMP, kind!, kept()[0]!), 'utf8'))).toMatchObject({ slot: 9 })
  })

  it('are the last twenty of a kind, replaced at most once a minute', async () => {
    for (let id = 0; id < RECORDS_KEPT + 9; id++) decode(id, UNKNOWN)
    await records.settled()
    expect(kept()).toHaveLength(RECORDS_KEPT)
    expect(kept().at(-1)).toContain(signatureOf(RECORDS_KEPT - 1))

    clock.advance(60_000)
    decode(200, UNKNOWN)
    await records.settled()
    expect(kept()).toHaveLength(RECORDS_KEPT)
    expect(kept().at(-1)).toContain(signatureOf(200))
    expect(kept().join()).not.toContain(signatureOf(0))
  })

  it('are kept for a limited number of kinds, whatever bytes strangers call with', async () => {
    const digits = '123456789ABCDEFGHJKLMNPQRSTUVWXYZ'
    for (const [id, digit] of [...digits].entries()) decode(id, `${digit}2222222222`)
    await records.settled()
    expect(kinds()).toHaveLength(MAX_KINDS)
  })

  it('are dropped with one log line if the disk refuses them', async () => {
    writeFileSync(folder, '')
    decode(1, UNKNOWN)
    decode(2, UNKNOWN)
    await records.settled()
    expect(log.lines).toEqual(['Transactions with unknown calls cannot be stored.'])
  })

  it('are kept for a stream that is decoded on arrival, and not other transactions of the block', async () => {
    const figures = new IngestFigures({}, clock, log)
    const blocks = createBlockEvents({ decode: decodeTransaction, unknown: records, figures, clock, log })
    const memory = { prices: createPrices(), tokens: createTokenMemory(log) }
    const transactions = [
      decodeEarly(calling(1, UNKNOWN), decodeTransaction),
      readRpcTransaction(aRecord(2))!,
      calling(3, UNKNOWN),
    ]

    const block = { run: 0, slot: 9, blockTime: 1_790_000_000, transactions }
    blocks.count(await blocks.make(block, memory))
    await records.settled()

    expect(kept().join()).toContain(signatureOf(1))
    expect(kept().join()).toContain(signatureOf(3))
    expect(kept()).toHaveLength(2)
    expect(figures.calls.read()[PUMP]).toMatchObject({ unknown: 2 })
  })

  it('are not kept if every call is known', async () => {
    keep(readRpcTransaction(aRecord(1))!)
    await records.settled()
    expect(() => readdirSync(folder)).toThrow('ENOENT')
  })
})
