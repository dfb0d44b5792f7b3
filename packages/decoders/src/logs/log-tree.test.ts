import type { Call } from '@pairwire/chain-writer'
import { encodeBase58 } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { REGISTRY } from '../registry.ts'
import { aKey, aTransaction, ROUTER } from '../testing/transactions.ts'
import { CallTree } from '../transaction/call-tree.ts'

const PROGRAM = aKey(1)
const NAME = encodeBase58(PROGRAM)

const call = (...steps: NonNullable<Call['steps']>): Call => ({
  program: PROGRAM,
  accounts: [],
  data: new Uint8Array(0),
  steps,
})
const router = (...steps: NonNullable<Call['steps']>): Call => ({ ...call(...steps), program: ROUTER })

function treeOf(calls: Call[], logs?: string[]): CallTree {
  const transaction = aTransaction({ calls })
  return new CallTree(logs === undefined ? transaction : { ...transaction, logs }, REGISTRY)
}

describe('LogTree', () => {
  it('gives each instruction only the lines of its own invocation', () => {
    const { logs } = treeOf([
      call('data: AA=='),
      router(call('data: Ag=='), 'data: Aw=='),
      call('data: BA=='),
    ])

    expect([0, 2, 3].map((at) => logs.of(at, NAME)?.data)).toEqual([['AA=='], ['Ag=='], ['BA==']])
  })

  it('does not give a caller the lines of the called program', () => {
    const { logs } = treeOf([call('data: AA==', router('data: Ag=='), 'data: Aw==')])

    expect(logs.of(0, NAME)?.data).toEqual(['AA==', 'Aw=='])
  })

  it('gives no lines to an instruction if the record lacks a call of its program that the logs have', () => {
    const lines = ['AA==', 'Ag=='].flatMap((data) => [
      `Program ${NAME} invoke [2]`,
      `Program data: ${data}`,
      `Program ${NAME} success`,
    ])
    const outer = encodeBase58(ROUTER)
    const logs = [`Program ${outer} invoke [1]`, ...lines, `Program ${outer} success`]

    expect(treeOf([router(call())], logs).logs.of(1, NAME)).toBeUndefined()
    expect(treeOf([router(call(), call())], logs).logs.of(2, NAME)?.data).toEqual(['Ag=='])
  })

  it('splits a line of several fields', () => {
    expect(treeOf([call('data: AA== Ag==')]).logs.of(0, NAME)?.data).toEqual(['AA==', 'Ag=='])
  })

  it('copes with a line of very many fields', () => {
    const line = `Program data: ${'A '.repeat(500_000)}`

    const tree = treeOf([call()], [`Program ${NAME} invoke [1]`, line])

    expect(tree.logs.of(0, NAME)?.data).toHaveLength(500_001)
  })

  it("separates Raydium's logs from its messages", () => {
    const { logs } = treeOf([call('log: ray_log: A0==', 'log: hello')])

    expect(logs.of(0, NAME)).toMatchObject({ rayLogs: ['A0=='], data: [] })
  })

  it('stops where the validator cut the logs, even if shorter lines follow', () => {
    const logs = [
      `Program ${NAME} invoke [1]`,
      'Log truncated',
      `Program ${NAME} success`,
      `Program ${NAME} invoke [1]`,
      'Program data: AA==',
    ]

    const tree = treeOf([call(), call()], logs)

    expect(tree.logs.of(0, NAME)?.data).toEqual([])
    expect(tree.logs.of(1, NAME)).toBeUndefined()
  })

  it('does not mistake a printed line for an invocation', () => {
    const forged = `log: Program ${NAME} invoke [2]`

    const { logs } = treeOf([router(forged, 'data: AA=='), call('data: Ag==')])

    expect(logs.of(1, NAME)?.data).toEqual(['Ag=='])
  })

  it("returns nothing when the depth in the logs differs from the instruction's", () => {
    const logs = ['Program x invoke [1]', `Program ${NAME} invoke [2]`]

    expect(treeOf([call()], logs).logs.of(0, NAME)).toBeUndefined()
  })

  it('names the calls that a record without inner instructions lacks', () => {
    const transaction = aTransaction({ calls: [router(), router(call(call())), call()] })
    const instructions = transaction.instructions.filter(({ innerIndex }) => innerIndex === -1)

    const { logs } = new CallTree({ ...transaction, instructions }, REGISTRY)

    expect(logs.unrecordedCalls()).toEqual([{ program: NAME, topIndex: 1 }])
  })
})
