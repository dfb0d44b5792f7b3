import { type Call, writeEventCall, writeEventLog } from '@pairwire/chain-writer'
import { describe, expect, it } from 'vitest'
import { bytesOfHex, DiscriminatorTable } from '../bytes/discriminator.ts'
import { REGISTRY } from '../registry.ts'
import { aKey, aTransaction, concat, routed } from '../testing/transactions.ts'
import { CallTree } from './call-tree.ts'
import { Invocation } from './invocation.ts'

const [PROGRAM, OTHER, AUTHORITY] = [aKey(1), aKey(2), aKey(3)] as [Uint8Array, Uint8Array, Uint8Array]
const SWAP = bytesOfHex('516ce3becdd00ac4') // the same in two programs
const FEE = bytesOfHex('1f5e7d5ae3343dba')
const KINDS = new DiscriminatorTable({ '516ce3becdd00ac4': 'swap', '1f5e7d5ae3343dba': 'fee' })

const call = (steps: Call['steps'], program = PROGRAM): Call => ({
  program,
  accounts: [],
  data: new Uint8Array(8),
  steps: steps ?? [],
})
const event = (discriminator: Uint8Array, body: number, program = PROGRAM) =>
  writeEventCall(program, AUTHORITY, concat(discriminator, Uint8Array.of(body)))
const logged = (discriminator: Uint8Array, body: number) =>
  writeEventLog(concat(discriminator, Uint8Array.of(body)))

/** The first call of a transaction with `calls`. */
function first(...calls: Call[]): Invocation {
  return new Invocation(new CallTree(aTransaction({ calls }), REGISTRY), 0)
}

describe('an event of an invocation', () => {
  it("is never another program's, even with the same discriminator", () => {
    expect(first(call([event(SWAP, 6, OTHER), event(SWAP, 7)])).event(SWAP)).toEqual(Uint8Array.of(7))
    expect(first(call([call([logged(SWAP, 6)], OTHER)])).event(SWAP)).toBeUndefined()
  })

  it('is never that of a further call to the same program within it', () => {
    const nested = call([routed(call([event(SWAP, 6)]))])

    expect(first(nested).event(SWAP)).toBeUndefined()
    expect(first(nested).events(KINDS)).toEqual([])
  })

  it('is read from the logs if the record has no call', () => {
    expect(first(call([logged(SWAP, 5)])).event(SWAP)).toEqual(Buffer.of(5))
  })
})

describe('the events of an invocation', () => {
  it('come in order, each with its position, of the requested kinds', () => {
    const invocation = first(
      call([event(FEE, 1), routed(), event(SWAP, 2), event(bytesOfHex('00'.repeat(8)), 3)]),
    )

    expect(invocation.events(KINDS)).toEqual([
      { kind: 'fee', body: Uint8Array.of(1), at: 1 },
      { kind: 'swap', body: Uint8Array.of(2), at: 3 },
    ])
  })

  it('are returned once for a program that calls itself and logs', () => {
    expect(first(call([event(SWAP, 1), logged(SWAP, 1)])).events(KINDS)).toHaveLength(1)
    expect(first(call([logged(SWAP, 1), logged(FEE, 2)])).events(KINDS)).toMatchObject([
      { kind: 'swap', at: 0 },
      { kind: 'fee', at: 0 },
    ])
  })
})
