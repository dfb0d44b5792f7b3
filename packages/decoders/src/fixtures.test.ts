import { describe, expect, it } from 'vitest'
import { decodeTransaction } from './decode-transaction.ts'
import { DECODERS } from './registry.ts'
import { describeEvent } from './testing/describe-event.ts'
import { readFixtures } from './testing/fixtures.ts'
import { readRpcTransaction } from './transaction/read-rpc-transaction.ts'

/** Programs without a recorded or executed transaction in the repository. */
const WITHOUT_FIXTURES: ReadonlySet<string> = new Set(['boop', 'heaven', 'moonshot'])

const exchanges = new Set<string>(DECODERS.map(({ exchange }) => exchange))

// Guards against the same mistake in reader and writer: these bytes are the programs' own.
describe.each([...readFixtures()].filter(([program]) => !WITHOUT_FIXTURES.has(program)))(
  '%s',
  (_, fixtures) => {
    it.each(fixtures.map((fixture) => [fixture.name, fixture] as const))(
      '%s decodes to exactly the expected events',
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
