import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { EXCHANGES, PAIR_EXCHANGES } from '@pairwire/contract'

/** Folder of the recorded mainnet transactions, for tests; they are skipped where it is not there. */
export const FIXTURES =
  process.env.PAIRWIRE_FIXTURES ?? fileURLToPath(new URL('../../../../../shared/fixtures', import.meta.url))

/** Whether the recorded transactions are there. */
export const hasFixtures = existsSync(join(FIXTURES, 'transactions'))

/** A recorded transaction's JSON by its signature. */
export function readFixture(signature: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(FIXTURES, 'transactions', `${signature}.json`), 'utf8'))
}

/** Signatures of all recorded transactions. */
export function fixtureSignatures(): readonly string[] {
  return readdirSync(join(FIXTURES, 'transactions')).map((name) => name.replace('.json', ''))
}

/** Every whole transaction that was recorded, executed or constructed, of all folders. */
export function fixtureRecords(): readonly Record<string, unknown>[] {
  return ['transactions', 'negative', 'executed', 'executed-2026', 'october-2026', 'october-2026/constructed']
    .flatMap((folder) => readdirSync(join(FIXTURES, folder)).map((name) => join(FIXTURES, folder, name)))
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')))
    .filter((record) => record?.transaction?.message && record.meta)
}

/** A row of what is expected of a recorded transaction. */
type ExpectedRow = Readonly<{
  program: string
  kind: 'swap' | 'newPair' | 'migration'
  pool: string
  /** Null or absent, with the side, where neither is a quote mint: there the pool's own order counts, which no row says. */
  baseMint?: string | null
  quoteMint?: string | null
  wallet: string
  side?: 'buy' | 'sell' | null
  amountIn?: string
  amountOut?: string
  poolAmountIn?: string
  poolAmountOut?: string
  verified?: string
  name?: string
  symbol?: string
}>

/** Whether an event is of a proprietary AMM, of which the rows here do not tell. */
export function isHop(exchange: unknown): boolean {
  return EXCHANGES.some((each) => each === exchange && !PAIR_EXCHANGES.includes(each))
}

/** The rows expected of each transaction, by signature: one for every event but those of {@link isHop}. */
export function readExpected(): ReadonlyMap<string, readonly ExpectedRow[]> {
  const all: { signature: string; expect: ExpectedRow[] }[] = JSON.parse(
    readFileSync(join(FIXTURES, 'expected.json'), 'utf8'),
  )
  return new Map(
    all.map(({ signature, expect }) => [signature, expect.filter((row) => row.kind !== 'migration')]),
  )
}
