import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { inCi } from '@pairwire/basics/testing/in-ci'
import { type ChainTransaction, createChain, encodeTransaction } from '@pairwire/chain-double'
import { encodeBase58 } from '@pairwire/contract'
import { decodeTransaction, readRpcTransaction, type Transaction } from '@pairwire/decoders'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { aRecord } from '../../testing/a-record.ts'
import { FIXTURES, fixtureRecords, hasFixtures } from '../../testing/fixtures.ts'
import { readUpdate } from './read-update.ts'

/** The JSON of this record lacks a key. */
const BROKEN = 'F47c3CizgWhK8RsTerwQLu7XbmoLzSxHC5F17A1qf5upQu1MUJJyzuq2GyLoEDy6xGKdLVinPNo7idXCiFBbor4'

/** Everything that a decoder may read of a transaction. */
const contentOf = (transaction: Transaction) => ({
  signature: [...transaction.signature],
  slot: transaction.slot,
  failed: transaction.failed,
  keys: transaction.keys.map((key) => [...key]),
  signerCount: transaction.signerCount,
  instructions: transaction.instructions.map((each) => ({
    programIndex: each.programIndex,
    accounts: [...each.accounts],
    data: [...each.data],
    stackHeight: each.stackHeight,
    topIndex: each.topIndex,
    innerIndex: each.innerIndex,
  })),
  logs: transaction.logs,
  preTokenBalances: transaction.preTokenBalances.map(balanceOf),
  postTokenBalances: transaction.postTokenBalances.map(balanceOf),
})

const balanceOf = ({
  accountIndex,
  mint,
  owner,
  amount,
  decimals,
}: Transaction['preTokenBalances'][number]) => ({
  accountIndex,
  mint,
  owner,
  amount,
  decimals,
})

/** The value with bytes as numbers, whatever kind of view they are. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return [...value]
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, plain(each)]))
}

type Balance = { owner?: string; uiTokenAmount: { amount: string; decimals: number } }
type Meta = {
  innerInstructions?: { index: number; instructions: { stackHeight?: number | null }[] }[] | null
  logMessages: string[] | null
  preTokenBalances: Balance[] | null
  postTokenBalances: Balance[] | null
  err: unknown
}

/** Changes the token balances before and after the transaction. */
const toBalances = (change: (balance: Balance) => void) => (meta: Meta) => {
  for (const balance of [...(meta.preTokenBalances ?? []), ...(meta.postTokenBalances ?? [])]) change(balance)
}

/** Changes the calls within its instructions. */
const toCalls = (change: (call: { stackHeight?: number | null }) => void) => (meta: Meta) => {
  for (const { instructions } of meta.innerInstructions ?? []) for (const call of instructions) change(call)
}

/** What a server may leave out of a record, cut or put in another order. */
const CHANGES: Readonly<Record<string, (meta: Meta) => void>> = {
  'no inner calls': (meta) => {
    meta.innerInstructions = null
  },
  'inner calls left out': (meta) => {
    delete meta.innerInstructions
  },
  'an empty list of inner calls': (meta) => {
    meta.innerInstructions = []
  },
  'groups of inner calls backwards': (meta) => void meta.innerInstructions?.reverse(),
  'a group for each inner call': (meta) => {
    meta.innerInstructions = (meta.innerInstructions ?? []).flatMap(({ index, instructions }) =>
      instructions.map((call) => ({ index, instructions: [call] })),
    )
  },
  'depths of null': toCalls((call) => {
    call.stackHeight = null
  }),
  'no depths': toCalls((call) => {
    delete call.stackHeight
  }),
  'no logs': (meta) => {
    meta.logMessages = null
  },
  'empty logs': (meta) => {
    meta.logMessages = []
  },
  'logs that are cut': (meta) => {
    const logs = meta.logMessages ?? []
    meta.logMessages = [...logs.slice(0, logs.length / 2), 'Log truncated']
  },
  'no balances before': (meta) => {
    meta.preTokenBalances = null
  },
  'no balances after': (meta) => {
    meta.postTokenBalances = []
  },
  'balances backwards': (meta) => {
    meta.preTokenBalances?.reverse()
    meta.postTokenBalances?.reverse()
  },
  'balances without owners': toBalances((balance) => {
    delete balance.owner
  }),
  'the largest amounts': toBalances(({ uiTokenAmount }) => {
    uiTokenAmount.amount = '18446744073709551615'
  }),
  '255 decimals': toBalances(({ uiTokenAmount }) => {
    uiTokenAmount.decimals = 255
  }),
  'a failure': (meta) => {
    meta.err = { InstructionError: [0, { Custom: 1 }] }
  },
}

/** Encodes the record with the owners' `.proto`, in a slot of a separate chain. */
function encoded(record: ChainTransaction, index = 0): Buffer {
  const transactions = [...new Array(index).fill(record), record]
  const block = createChain({ firstSlot: 454_000_000 }).add(transactions)
  return encodeTransaction(block, index, ['pairwire'])
}

function transactionOf(bytes: Buffer): Transaction {
  const update = readUpdate(bytes)
  if (update.kind !== 'transaction') throw new Error(JSON.stringify(update))
  return update.transaction
}

describe('readUpdate', () => {
  it('reads slot, bank and index of a transaction', () => {
    const record = aRecord(7) as unknown as ChainTransaction

    const update = readUpdate(encoded(record, 4))

    expect(update).toMatchObject({ kind: 'transaction', slot: 454_000_000, bankId: 1, index: 4 })
    expect(transactionOf(encoded(record, 4))).toMatchObject({ index: 4, failed: false, signerCount: 1 })
  })

  it('gives every transaction its own parts, in whatever order they are read', () => {
    const calls = (data: string) => ({ calls: [{ program: encodeBase58(new Uint8Array(32).fill(9)), data }] })
    const [first, second] = ['2', '3'].map((data, at) =>
      transactionOf(encoded(aRecord(at + 1, calls(data)) as unknown as ChainTransaction)),
    )

    const { instructions, keys } = first!
    const alone = contentOf(first!)
    const other = contentOf(second!)

    expect(other.instructions[0]!.data).toEqual([2])
    expect(contentOf(first!)).toEqual(alone)
    expect([...instructions[0]!.data]).toEqual([1])
    expect(keys[1]).toEqual(new Uint8Array(32).fill(9))
  })

  it('names the slot of a transaction that it cannot read', () => {
    const record = aRecord(7) as unknown as ChainTransaction
    const broken = { ...record, transaction: { ...record.transaction, signatures: ['111'] } }

    expect(readUpdate(encoded(broken))).toMatchObject({
      kind: 'unreadable',
      slot: 454_000_000,
      reason: 'The transaction has no signature of 64 bytes.',
    })
  })

  // Guards the stream: whatever an endpoint sends, nothing throws and nothing is guessed.
  it('never throws, whatever the bytes, and reports truncated ones as unreadable', () => {
    const whole = encoded(aRecord(7) as unknown as ChainTransaction)
    for (let length = 1; length < whole.length; length++) readUpdate(whole.subarray(0, length))
    const half = readUpdate(whole.subarray(0, Math.floor(whole.length / 2)))

    expect(half.kind).toBe('unreadable')
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), (at, byte) => {
        const mutated = Buffer.from(whole)
        mutated[at] = byte
        const update = readUpdate(mutated)
        if (update.kind === 'transaction') contentOf(update.transaction)
      }),
      { numRuns: 2_000 },
    )
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => void readUpdate(Buffer.from(bytes))))
  })

  it.skipIf(!hasFixtures)('reads every recorded transaction like its JSON', () => {
    const records = fixtureRecords().filter((record) => !JSON.stringify(record).includes(BROKEN))
    const versions = new Set<unknown>()
    let events = 0
    for (const record of records) {
      const json = readRpcTransaction({ ...record, slot: 454_000_000 })!
      const grpc = transactionOf(encoded(record as unknown as ChainTransaction))

      expect(contentOf(grpc)).toEqual(contentOf(json))
      expect(plain(decodeTransaction(grpc))).toEqual(plain(decodeTransaction(json)))
      versions.add(record.version)
      events += decodeTransaction(grpc).events.length
    }
    expect([...versions].sort()).toEqual(expect.arrayContaining([0, 1, 'legacy']))
    expect(records.length).toBeGreaterThan(200)
    expect(events).toBeGreaterThan(50)
  })

  // Guards holes in a stream that an RPC fills: both must tell the same, also of a record with parts missing.
  it.skipIf(!hasFixtures)('reads records like their JSON, whatever a server leaves out of them', () => {
    const records = fixtureRecords()
    const changes = fc.uniqueArray(fc.constantFrom(...Object.keys(CHANGES)), { minLength: 1, maxLength: 3 })
    fc.assert(
      fc.property(fc.nat(records.length - 1), changes, (at, names) => {
        const record: Record<string, unknown> = { ...structuredClone(records[at]!), slot: 454_000_000 }
        fc.pre(!JSON.stringify(record).includes(BROKEN))
        for (const name of names) CHANGES[name]!(record.meta as Meta)
        const json = readRpcTransaction(record)!
        const grpc = transactionOf(encoded(record as unknown as ChainTransaction))

        expect(contentOf(grpc)).toEqual(contentOf(json))
        expect(plain(decodeTransaction(grpc))).toEqual(plain(decodeTransaction(json)))
      }),
      { numRuns: inCi(3_000, 300) },
    )
  })

  it.skipIf(!hasFixtures)('reads a recorded message of a server like the JSON of that transaction', () => {
    const signature =
      'dP4TfbypYZoTkDLFAojCXQHmxyV6vQ3sgbHJtQhMHWpTAEpxGSTTAG63woEqxVvgq9QQLSFhRXpRwii2RkF6xnD'
    const inner = readFileSync(join(FIXTURES, 'grpc', `${signature}.SubscribeUpdateTransaction.bin`))
    const length = Buffer.from([(inner.length % 128) | 128, inner.length >> 7])
    const update = readUpdate(Buffer.concat([Buffer.from([4 * 8 + 2]), length, inner]))
    const record = JSON.parse(readFileSync(join(FIXTURES, 'transactions', `${signature}.json`), 'utf8'))

    if (update.kind !== 'transaction') throw new Error(update.kind)
    expect(update).toMatchObject({ slot: 420_181_274, index: 159, bankId: 0 })
    expect(contentOf(update.transaction)).toEqual(contentOf(readRpcTransaction(record)!))
  })

  it.skipIf(!hasFixtures)('reads 50 recorded slots, where each block names its parent', () => {
    const capture = gunzipSync(readFileSync(join(FIXTURES, 'grpc', 'slots-398202773-50.bin.gz')))
    const counts: Record<string, number> = {}
    const metas = []
    for (let at = 0; at < capture.length; ) {
      const length = capture.readUInt32BE(at)
      const update = readUpdate(capture.subarray(at + 4, at + 4 + length))
      counts[update.kind] = (counts[update.kind] ?? 0) + 1
      if (update.kind === 'blockMeta') metas.push(update)
      at += 4 + length
    }

    expect(counts).toEqual({ other: 39_840, slotStatus: 197, blockMeta: 50, confirmed: 98, ping: 1 })
    for (const [at, meta] of metas.slice(1).entries()) {
      expect(meta).toMatchObject({ parentSlot: metas[at]!.slot, parentBlockhash: metas[at]!.blockhash })
    }
  })
})
