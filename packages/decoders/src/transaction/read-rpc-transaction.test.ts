import { encodeBase58, WRAPPED_SOL } from '@pairwire/contract'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeTransaction } from '../decode-transaction.ts'
import { MalformedTransactionError } from './malformed-transaction-error.ts'
import { readRpcTransaction } from './read-rpc-transaction.ts'

const KEYS = [1, 2, 3].map((number) => encodeBase58(new Uint8Array(32).fill(number)))
const SIGNATURE = encodeBase58(new Uint8Array(64).fill(7))

/** A `getTransaction` result as an RPC node sends it; `changes` override its parts. */
function aRecord(
  changes: { meta?: object; message?: object; transaction?: unknown; rest?: object } = {},
): object {
  return {
    slot: 12,
    blockTime: 1_700_000_000,
    version: 0,
    meta: {
      err: null,
      innerInstructions: [
        { index: 0, instructions: [{ programIdIndex: 3, accounts: [1, 4], data: 'Ldp', stackHeight: 2 }] },
      ],
      loadedAddresses: { writable: [encodeBase58(new Uint8Array(32).fill(4))], readonly: [WRAPPED_SOL] },
      logMessages: ['Program 11111111111111111111111111111111 invoke [1]'],
      preTokenBalances: [],
      postTokenBalances: [
        { accountIndex: 4, mint: WRAPPED_SOL, owner: KEYS[0], uiTokenAmount: { amount: '25', decimals: 9 } },
      ],
      ...changes.meta,
    },
    transaction: changes.transaction ?? {
      signatures: [SIGNATURE],
      message: {
        header: { numRequiredSignatures: 1 },
        accountKeys: KEYS,
        instructions: [{ programIdIndex: 2, accounts: [0, 1], data: '2' }],
        ...changes.message,
      },
    },
    ...changes.rest,
  }
}

function aTransactionPart(): object {
  return (aRecord() as { transaction: object }).transaction
}

describe('readRpcTransaction', () => {
  it('has the form that decoders read', () => {
    const transaction = readRpcTransaction(aRecord())!

    expect(transaction).toMatchObject({
      slot: 12,
      blockTime: 1_700_000_000,
      index: null,
      failed: false,
      signerCount: 1,
      logs: ['Program 11111111111111111111111111111111 invoke [1]'],
      preTokenBalances: [],
      postTokenBalances: [{ accountIndex: 4, mint: WRAPPED_SOL, owner: KEYS[0], amount: '25', decimals: 9 }],
    })
    expect(transaction.signature).toEqual(new Uint8Array(64).fill(7))
    expect(transaction.keys.map(encodeBase58)).toEqual([
      ...KEYS,
      encodeBase58(new Uint8Array(32).fill(4)),
      WRAPPED_SOL,
    ])
    const [top, inner] = transaction.instructions
    expect(top).toMatchObject({ programIndex: 2, stackHeight: 1, topIndex: 0, innerIndex: -1 })
    expect([...top!.accounts]).toEqual([0, 1])
    expect([...top!.data]).toEqual([1])
    expect(inner).toMatchObject({ programIndex: 3, stackHeight: 2, topIndex: 0, innerIndex: 0 })
    expect([...inner!.accounts]).toEqual([1, 4])
  })

  it('unwraps the JSON-RPC envelope', () => {
    expect(readRpcTransaction({ jsonrpc: '2.0', id: 1, result: aRecord() })?.slot).toBe(12)
  })

  it('puts inner instructions after their own top-level one, whatever the order of the groups', () => {
    const call = { programIdIndex: 2, accounts: [], data: '' }
    const record = aRecord({
      message: { instructions: [call, call, call] },
      meta: {
        innerInstructions: [
          { index: 2, instructions: [call] },
          { index: 0, instructions: [call, call] },
        ],
      },
    })

    const order = readRpcTransaction(record)!.instructions.map((each) => [each.topIndex, each.innerIndex])

    expect(order).toEqual([
      [0, -1],
      [0, 0],
      [0, 1],
      [1, -1],
      [2, -1],
      [2, 0],
    ])
  })

  it('has null for what a record lacks', () => {
    const record = aRecord({
      rest: { slot: null, blockTime: undefined, transactionIndex: 9 },
      meta: {
        innerInstructions: null,
        logMessages: null,
        preTokenBalances: null,
        postTokenBalances: undefined,
      },
    })

    expect(readRpcTransaction(record)).toMatchObject({
      slot: null,
      blockTime: null,
      index: 9,
      logs: null,
      preTokenBalances: [],
      postTokenBalances: [],
    })
  })

  it("uses the record's own index as the position in the block", () => {
    expect(readRpcTransaction(aRecord({ rest: { transactionIndex: 420, index: 7 } }))!.index).toBe(420)
  })

  // Version 1 has a configuration and no lookups; later versions may have more.
  it.each([1, 2, 'legacy', undefined])('reads version %s without an error', (version) => {
    const record = aRecord({
      rest: { version, transactionIndex: 3, futureMember: { of: 'the record' } },
      meta: { loadedAddresses: undefined, innerInstructions: [], postTokenBalances: [], futureMember: [] },
      message: {
        transactionConfig: {
          computeUnitLimit: 444_259,
          heapSize: null,
          loadedAccountsDataSizeLimit: 67_108_864,
          priorityFee: 400_000,
        },
        instructions: [{ programIdIndex: 2, accounts: [0, 1], data: '2', stackHeight: 1, futureMember: 1 }],
        futureMember: 'of the message',
      },
    })

    const transaction = readRpcTransaction(record)!

    expect(transaction).toMatchObject({ index: 3, signerCount: 1 })
    expect(transaction.keys.map(encodeBase58)).toEqual(KEYS)
    expect(transaction.instructions).toHaveLength(1)
  })

  it('recognises a failed transaction by its error, or in very old records by its status', () => {
    const failed = aRecord({ meta: { err: { InstructionError: [0, { Custom: 1 }] } } })
    const oldFailed = aRecord({ meta: { err: undefined, status: { Err: 'AccountInUse' } } })
    const oldDone = aRecord({ meta: { err: undefined, status: { Ok: null } } })

    expect([failed, oldFailed, oldDone].map((record) => readRpcTransaction(record)!.failed)).toEqual([
      true,
      true,
      false,
    ])
  })

  it('decodes data only when it is read', () => {
    let reads = 0
    const instruction = {
      programIdIndex: 2,
      accounts: [],
      get data() {
        reads++
        return '2'
      },
    }

    const transaction = readRpcTransaction(aRecord({ message: { instructions: [instruction] } }))!
    decodeTransaction(transaction)

    expect(reads).toBe(1)
    expect(transaction.instructions[0]!.data).toBe(transaction.instructions[0]!.data)
  })

  it.each([
    ['null', null],
    ['a number', 5],
    ['a list', []],
    ['an empty object', {}],
    ['an answer without a result', { jsonrpc: '2.0', id: 1, result: null }],
    ['a failed answer', { jsonrpc: '2.0', id: 1, error: { code: -32009, message: 'gone' } }],
    ['a list of expected events', [{ signature: SIGNATURE, expect: [] }]],
  ])('treats %s as no transaction', (_, record) => {
    expect(readRpcTransaction(record)).toBeUndefined()
  })

  it.each([
    ['meta is missing', aRecord({ rest: { meta: null } }), 'no `meta`'],
    ['the transaction is null', { ...aRecord(), transaction: null }, 'no readable `transaction`'],
    ['the message is missing', aRecord({ transaction: { signatures: [SIGNATURE] } }), 'no `message`'],
    ['it is encoded in base64', aRecord({ transaction: ['AAAA', 'base64'] }), 'encoding "json"'],
    ['it is encoded in base58', aRecord({ transaction: '3Bxs' }), 'encoding "json"'],
    [
      'it has encoding jsonParsed',
      aRecord({ message: { accountKeys: [{ pubkey: KEYS[0], signer: true }] } }),
      'jsonParsed',
    ],
    [
      'an instruction was parsed',
      aRecord({ message: { instructions: [{ programId: KEYS[0], parsed: {} }] } }),
      'jsonParsed',
    ],
    ['it is unknown whether it failed', aRecord({ meta: { err: undefined } }), 'whether it failed'],
    [
      'the signature is too short',
      aRecord({ transaction: { ...aTransactionPart(), signatures: ['2'] } }),
      'signature',
    ],
    [
      'there is no signature',
      aRecord({ transaction: { ...aTransactionPart(), signatures: [] } }),
      'signature',
    ],
    ['an address is not base58', aRecord({ message: { accountKeys: ['!!!'] } }), 'not 32 bytes'],
    ['an address is too short', aRecord({ message: { accountKeys: ['abc'] } }), 'not 32 bytes'],
    [
      'there are no accounts',
      aRecord({ message: { accountKeys: [] }, meta: { loadedAddresses: null } }),
      'names no accounts',
    ],
    [
      'there are too many accounts',
      aRecord({ message: { accountKeys: new Array(300).fill(KEYS[0]) } }),
      '256',
    ],
    ['the header is missing', aRecord({ message: { header: undefined } }), 'number of signatures'],
    [
      'there are more signers than accounts',
      aRecord({ message: { header: { numRequiredSignatures: 9 } } }),
      'number of signatures',
    ],
    ['loaded addresses are missing', aRecord({ meta: { loadedAddresses: undefined } }), 'loadedAddresses'],
    [
      'an account index is out of range',
      aRecord({ message: { instructions: [{ programIdIndex: 2, accounts: [77], data: '' }] } }),
      'uses account 77 but names 5',
    ],
    [
      'an account index is no number',
      aRecord({ message: { instructions: [{ programIdIndex: '2', accounts: [], data: '' }] } }),
      'whole number',
    ],
    [
      'data is no base58',
      aRecord({ message: { instructions: [{ programIdIndex: 2, accounts: [], data: '0OIl' }] } }),
      'not base58',
    ],
    [
      'data is longer than the chain allows',
      aRecord({ message: { instructions: [{ programIdIndex: 2, accounts: [], data: '2'.repeat(20_000) }] } }),
      'longer than the chain allows',
    ],
    [
      'it has more instructions than the chain allows',
      aRecord({
        message: { instructions: new Array(1_025).fill({ programIdIndex: 2, accounts: [], data: '' }) },
        meta: { innerInstructions: null },
      }),
      'more than the chain allows',
    ],
    [
      'data is missing',
      aRecord({ message: { instructions: [{ programIdIndex: 2, accounts: [] }] } }),
      'without `data`',
    ],
    ['an instruction is no object', aRecord({ message: { instructions: [5] } }), 'no object'],
    ['instructions are no list', aRecord({ message: { instructions: {} } }), 'no list'],
    [
      'inner instructions have no outer one',
      aRecord({ meta: { innerInstructions: [{ index: 5, instructions: [] }] } }),
      'inner',
    ],
    ['a log line is no text', aRecord({ meta: { logMessages: [5] } }), 'no text'],
    ['the slot is no number', aRecord({ rest: { slot: 'x' } }), '`slot`'],
    [
      'a balance has no amount',
      aRecord({ meta: { postTokenBalances: [{ accountIndex: 0 }] } }),
      'token balance',
    ],
    [
      "a balance's amount is no number",
      aRecord({
        meta: {
          postTokenBalances: [
            { accountIndex: 0, mint: KEYS[0], uiTokenAmount: { amount: '-1', decimals: 6 } },
          ],
        },
      }),
      'token balance',
    ],
    [
      "a balance's mint is no address",
      aRecord({
        meta: {
          postTokenBalances: [{ accountIndex: 0, mint: '<b>', uiTokenAmount: { amount: '1', decimals: 6 } }],
        },
      }),
      'without a mint',
    ],
    [
      "a balance's decimals are no byte",
      aRecord({
        meta: {
          postTokenBalances: [
            { accountIndex: 0, mint: KEYS[0], uiTokenAmount: { amount: '1', decimals: 256 } },
          ],
        },
      }),
      'decimals',
    ],
  ])('refuses a record by name when %s', (_, record, words) => {
    expect(() => readRpcTransaction(record)).toThrow(MalformedTransactionError)
    expect(() => readRpcTransaction(record)).toThrow(words)
  })

  it('reads, refuses by name or ignores any JSON', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.constantFrom('meta', 'transaction', 'slot', 'result'),
        (value, member) => {
          expectNamed({ ...aRecord(), [member]: value })
          expectNamed(value)
        },
      ),
    )
  })

  it('reads or refuses by name a record with any one part replaced', () => {
    fc.assert(
      fc.property(fc.nat(), fc.oneof(fc.jsonValue(), fc.constant(undefined)), (which, value) => {
        const record = structuredClone(aRecord())
        const places = placesOf(record)
        const [holder, member] = places[which % places.length]!
        holder[member] = value

        expectNamed(record)
      }),
      { numRuns: 500 },
    )
  })
})

function expectNamed(record: unknown): void {
  try {
    const transaction = readRpcTransaction(record)
    if (transaction !== undefined) decodeTransaction(transaction)
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedTransactionError)
  }
}

/** Returns every member of a record, at any depth, with its parent. */
function placesOf(value: unknown): [Record<string, unknown>, string][] {
  if (typeof value !== 'object' || value === null) return []
  const holder = value as Record<string, unknown>
  return Object.keys(holder).flatMap((member) => [
    [holder, member] as [Record<string, unknown>, string],
    ...placesOf(holder[member]),
  ])
}
