import { describe, expect, it } from 'vitest'
import { decodeTransaction } from './decode-transaction.ts'
import { DECODERS } from './registry.ts'
import { describeEvent } from './testing/describe-event.ts'
import { readFixtures } from './testing/fixtures.ts'
import { readRpcTransaction } from './transaction/read-rpc-transaction.ts'

/** Programs of which the repository holds neither a recorded nor an executed transaction. */
const WITHOUT_FIXTURES: ReadonlySet<string> = new Set(['boop', 'heaven', 'moonshot'])

const exchanges = new Set<string>(DECODERS.map(({ exchange }) => exchange))

// Guards reader and writer against one and the same mistake: these bytes are the programs' own.
describe.each([...readFixtures()].filter(([program]) => !WITHOUT_FIXTURES.has(program)))(
  '%s',
  (_, fixtures) => {
    it.each(fixtures.map((fixture) => [fixture.name, fixture] as const))(
      '%s gives exactly the events expected of it',
      (_name, { source, events, read }) => {
        const expected = events.filter(({ exchange }) => exchanges.has(exchange ?? ''))

        const decoded = decodeTransaction(readRpcTransaction(read())!)

        expect(source).toMatch(/^(recorded on mainnet|executed by the real program); \S/)
        expect(decoded.refusals).toEqual([])
        expect(decoded.events).toHaveLength(expected.length)
        expect(decoded.events.map(describeEvent)).toMatchObject(expected)
      },
    )

    it('has a fixture with an event', () => {
      expect(fixtures.flatMap(({ events }) => events)).not.toHaveLength(0)
    })
  },
)
