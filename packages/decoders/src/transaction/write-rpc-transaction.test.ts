import { describe, expect, it } from 'vitest'
import { decodeTransaction } from '../decode-transaction.ts'
import { readFixtures } from '../testing/fixtures.ts'
import { madeTrades } from '../testing/made-trades.ts'
import { withPlainInstructions } from '../testing/mutate.ts'
import { readRpcTransaction } from './read-rpc-transaction.ts'
import { writeRpcTransaction } from './write-rpc-transaction.ts'

const transactions = [
  ...[...readFixtures().values()].flat().map((record) => readRpcTransaction(record.read())!),
  ...madeTrades(),
].map(withPlainInstructions)

describe('a transaction that is written as a record', () => {
  it('is read back unchanged, and decodes to the same events', () => {
    expect(transactions.length).toBeGreaterThan(20)
    for (const transaction of transactions) {
      const text = JSON.stringify(writeRpcTransaction(transaction))
      const again = withPlainInstructions(readRpcTransaction(JSON.parse(text))!)
      expect(again).toEqual(transaction)
      expect(decodeTransaction(again)).toEqual(decodeTransaction(transaction))
    }
  })
})
