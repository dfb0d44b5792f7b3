import type { DeliveredCount } from '@pairwire/accounts'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { expect, it } from 'vitest'
import { DeliveryCounts } from './delivery-counts.ts'

it('records the counts of many accounts in batches, and keeps those that failed', async () => {
  const accounts = Array.from({ length: 1_000 }, (_, at) => `account ${at}`)
  const recorded = new Map<string, number>()
  const statements: number[] = []
  const warnings: unknown[] = []
  const counts = new DeliveryCounts({
    async record(rows: readonly DeliveredCount[]) {
      statements.push(new Set(rows.map(({ accountId }) => accountId)).size)
      if (statements.length === 3) throw new Error('The database is away.')
      for (const { accountId, count } of rows) recorded.set(accountId, (recorded.get(accountId) ?? 0) + count)
      return []
    },
    handedOver() {},
    clock: createManualClock(),
    everyMs: 1_000,
    log: { info() {}, warn: (...words) => warnings.push(words[1]), error() {} },
  })
  for (const account of accounts) counts.add(counts.open(account, 'paid', '2026-11-01'), 1, 2, 3)

  await counts.flush()
  const afterFailure = recorded.size
  await counts.flush()

  expect(warnings).toEqual([{ errorName: 'Error', accounts: 1_000 - afterFailure }])
  expect(Math.max(...statements)).toBeLessThanOrEqual(250)
  expect(afterFailure).toBeGreaterThan(0)
  expect([...recorded]).toEqual(accounts.map((account) => [account, 6]))
})

it('keeps the counts of each face apart, also those that could not be recorded', async () => {
  const { database, counts, rows } = aDatabase()
  const tally = counts.open('a1', 'paid', '2026-11-01')
  counts.add(tally, 0, 1, 0)
  counts.add(tally, 0, 2, 0, 'http')
  await counts.flush()
  counts.add(tally, 0, 4, 0, 'http')
  counts.add(tally, 0, 8, 0)
  database.isAway = false

  await counts.flush()

  const sumOf = (of: DeliveredCount['face']) =>
    rows.filter(({ face }) => face === of).reduce((sum, { count }) => sum + count, 0)
  expect([sumOf(undefined), sumOf('http')]).toEqual([9, 6])
})

// Guards usage: a connection that breaks between a commit and its answer.
it('records once what was recorded without an answer, before anything else', async () => {
  const { database, counts, rows } = aDatabase()
  const [ann, bob] = ['ann', 'bob'].map((id) => counts.open(id, 'paid', '2026-11-01'))
  database.isAway = false
  database.isMute = true
  counts.add(ann!, 1, 0, 0)
  await counts.flush()
  counts.add(ann!, 2, 0, 0)
  counts.add(bob!, 4, 0, 0)
  await expect(counts.giveBack(new Set(['bob']), ['c1'])).rejects.toThrow('Counts could not be recorded.')
  database.isMute = false

  await counts.giveBack(new Set(['bob']), ['c1'])
  await counts.flush()

  const recorded = rows.map(({ accountId, count }) => `${accountId} ${count}`)
  expect(recorded).toEqual(['ann 1', 'bob 4', 'ann 2'])
  expect([ann!, bob!].some((tally) => counts.holds(tally))).toBe(false)
})

/** Counts with a database that can be made unavailable or mute, and the sentences in the log. */
function aDatabase() {
  const database = { isAway: true, isMute: false, last: 0, sentences: [] as string[] }
  const rows: DeliveredCount[] = []
  const counts = new DeliveryCounts({
    async record(given, _leftSeats, { number } = { counter: '', number: 0 }) {
      if (database.isAway) throw new Error('The database is away.')
      if (number > database.last) rows.push(...given)
      database.last = Math.max(database.last, number)
      if (database.isMute) throw new Error('The connection broke.')
      return []
    },
    handedOver() {},
    clock: createManualClock(),
    everyMs: 1_000,
    log: { info() {}, warn: (sentence) => database.sentences.push(sentence), error() {} },
  })
  return { database, counts, rows }
}

it('reports once that counts are not recorded, however often it retries, and again after the next failure', async () => {
  const { database, counts } = aDatabase()
  const tally = counts.open('account', 'paid', '2026-11-01')

  counts.add(tally, 1, 0, 0)
  for (let tries = 0; tries < 3; tries++) await counts.flush()
  expect(database.sentences).toEqual(['Event counts could not be recorded; they are kept.'])

  database.isAway = false
  await counts.flush()
  database.isAway = true
  counts.add(tally, 1, 0, 0)
  await counts.flush()
  expect(database.sentences).toHaveLength(2)
})

it('fails to give seats back while the database is unavailable, even with nothing to count', async () => {
  const { database, counts } = aDatabase()

  await expect(counts.giveBack(new Set(), ['c1'])).rejects.toThrow('Counts could not be recorded.')
  database.isAway = false
  await counts.giveBack(new Set(), ['c1'])
})
