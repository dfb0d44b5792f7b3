import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { encodeBase58 } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { decodeFiles } from './decode-files.ts'
import { aRecord, signatureOf } from './testing/a-record.ts'
import { FIXTURES, hasFixtures, isHop, readExpected, readFixture } from './testing/fixtures.ts'
import { aFolder } from './testing/temporary-folder.ts'

async function decode(...paths: string[]) {
  const events: { method: string; params: Record<string, unknown> & { swap?: Record<string, unknown> } }[] =
    []
  const reports: string[] = []
  const { exitStatus } = await decodeFiles(paths, {
    write: (line) => {
      events.push(JSON.parse(line))
    },
    report: (line) => {
      reports.push(line)
    },
  })
  return { events, reports, exitStatus }
}

const MIGRATION = '2ffHb9AXeKNVs3KSusTHTY3GTPnUJ2WLr48pjHDZjhMYfLC9P6XWXMuDkev13X49qLp6A5CkDmAJciJgieQUFidV'
const USDC_BUY = '2m5nWLnDSbM5SEGCnRxuftg5PFFZR6kziuNQbmrmqtEhbH81PyKVeEsipiXaFQxnerN8zQYB2XRwozrjoZheFDuG'
const WITHOUT_SLOT =
  '5RBXX5F89uYSJTpCiSBVSNXP6gLB43eu4Af9SLdgiMAWReCLk5fBY89Yinvj3ZaBtXKT6VoZnjPUZU4Y81Bu8ycb'

describe('decodeFiles', () => {
  it('exits with 0 and the counts when the transactions contain no events', async () => {
    const { events, reports, exitStatus } = await decode(aFolder({ 'a.json': JSON.stringify(aRecord(1)) }))

    expect(events).toEqual([])
    expect(exitStatus).toBe(0)
    expect(reports).toEqual([
      '1 transactions (0 failed on the chain): 0 swaps, 0 new pairs, 0 refusals; 0 values were no transaction',
    ])
  })

  it('reports unknown instructions of known programs with the number of calls and an example', async () => {
    const program = 'CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C'
    const unknown = { program, data: encodeBase58(new Uint8Array(12).fill(171)) }
    const deposit = { program, data: encodeBase58(Buffer.from('f223c68952e1f2b6', 'hex')) }
    const records = [
      aRecord(1, { calls: [deposit] }),
      aRecord(2, { calls: [unknown] }),
      aRecord(3, { calls: [unknown] }),
    ]

    const { reports, exitStatus } = await decode(
      aFolder({ 'a.ndjson': records.map((record) => JSON.stringify(record)).join('\n') }),
    )

    expect(exitStatus).toBe(0)
    expect(reports.at(-2)).toBe(
      `raydium ${program}: instruction abababababababab is not known, 2 of 3 calls, as in ${signatureOf(2)}`,
    )
  })

  it('names a file without a transaction and still exits with 0', async () => {
    const folder = aFolder({ 'a.json': '{"a":1}', 'b.json': '][' })

    const { reports, exitStatus } = await decode(folder)

    expect(exitStatus).toBe(0)
    expect(reports.slice(0, 2)).toEqual([
      `${folder}/a.json: is no transaction`,
      `${folder}/b.json: is not JSON`,
    ])
  })

  it('exits with 2 when a file cannot be read', async () => {
    const folder = aFolder({ 'a.json': JSON.stringify(aRecord(1)) })

    const { reports, exitStatus } = await decode(join(folder, 'missing.json'), folder)

    expect(exitStatus).toBe(2)
    expect(reports[0]).toMatch(/missing\.json: cannot be read/)
    expect(reports.at(-1)).toMatch(/^1 transactions/)
  })

  it('waits for a slow reader', async () => {
    const folder = aFolder({ 'a.json': '{"a":1}' })
    let isBehind = false

    await decodeFiles([folder], {
      write: () => undefined,
      report: async () => {
        expect(isBehind).toBe(false)
        isBehind = true
        await Promise.resolve()
        isBehind = false
      },
    })
  })

  it.skipIf(!hasFixtures)(
    'prints the events of a migration and the following buy in chain order',
    async () => {
      const { events } = await decode(join(FIXTURES, 'transactions', `${MIGRATION}.json`))

      expect(events).toMatchObject([
        {
          method: 'newPairNotification',
          params: {
            slot: 344681481,
            signature: MIGRATION,
            pair: { sourceExchange: 'pumpswap', migration: 'pumpfun' },
          },
        },
        { method: 'swapNotification', params: { swap: { sourceExchange: 'pumpswap', usdValue: null } } },
      ])
    },
  )

  it.skipIf(!hasFixtures)('knows only the value of a stable quote', async () => {
    const { events } = await decode(join(FIXTURES, 'transactions', `${USDC_BUY}.json`))

    expect(events).toMatchObject([{ params: { swap: { quoteAmount: '3517192', usdValue: 3.517192 } } }])
  })

  it.skipIf(!hasFixtures)('prints null if the record has no slot and no block time', async () => {
    const { events } = await decode(join(FIXTURES, 'transactions', `${WITHOUT_SLOT}.json`))

    expect(events).toMatchObject([{ params: { slot: null, blockTime: null, signature: WITHOUT_SLOT } }])
  })

  it.skipIf(!hasFixtures)('prints slots in ascending order from an unordered packed file', async () => {
    const signatures = [USDC_BUY, MIGRATION].map((signature) => JSON.stringify(readFixture(signature)))
    const folder = aFolder({ 'a.ndjson.gz': gzipSync(signatures.join('\n')) })

    const { events } = await decode(folder)

    expect(events.map((event) => event.params.slot)).toEqual([344681481, 344681481, 435948490])
  })

  it.skipIf(!hasFixtures)('prints nothing for recorded transactions without events', async () => {
    const { events, exitStatus } = await decode(join(FIXTURES, 'negative'))

    expect(events).toEqual([])
    expect(exitStatus).toBe(0)
  })

  it.skipIf(!hasFixtures)(
    'prints exactly as many events as are expected of all recorded transactions',
    async () => {
      const { events, reports } = await decode(join(FIXTURES, 'transactions'))

      const expected = [...readExpected().values()].flat()
      // Hops on proprietary AMMs have separate lists.
      const hops = events.filter(({ params: { swap } }) => swap && isHop(swap.sourceExchange))
      expect(hops).toHaveLength(5)
      expect(events).toHaveLength(expected.length + hops.length)
      const swaps = expected.filter(({ kind }) => kind === 'swap').length
      expect(reports.at(-1)).toMatch(
        new RegExp(
          `^83 transactions \\(3 failed on the chain\\): ${swaps + hops.length} swaps, ${expected.length - swaps} new pairs`,
        ),
      )
    },
  )

  it.skipIf(!hasFixtures)('reports recordings of only instruction trees as no transactions', async () => {
    const { reports, exitStatus } = await decode(join(FIXTURES, 'partial'))

    expect(exitStatus).toBe(0)
    expect(reports.slice(0, -1)).toHaveLength(3)
    for (const report of reports.slice(0, -1)) expect(report).toMatch(/is no transaction$/)
  })
})
