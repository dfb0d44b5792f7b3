import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { EXCHANGES, PAIR_EXCHANGES } from '@pairwire/contract'

/** Folder of the recorded mainnet transactions, for tests, which are skipped without it. */
export const FIXTURES =
  process.env.PAIRWIRE_FIXTURES ?? fileURLToPath(new URL('../../../../../shared/fixtures', import.meta.url))

/** Whether the recorded transactions exist. */
export const hasFixtures = existsSync(join(FIXTURES, 'transactions'))

/** Reads a recorded transaction's JSON by its signature. */
export function readFixture(signature: string): Record<string, unknown> {
  return JSON.parse(readFileSync(join(FIXTURES, 'transactions', `${signature}.json`), 'utf8'))
}

/** Signatures of all recorded transactions. */
export function fixtureSignatures(): readonly string[] {
  return readdirSync(join(FIXTURES, 'transactions')).map((name) => name.replace('.json', ''))
}

/** All complete recorded, executed or constructed transactions, from all folders. */
export function fixtureRecords(): readonly Record<string, unknown>[] {
  return ['transactions', 'negative', 'executed', 'executed-2026', 'october-2026', 'october-2026/constructed']
    .flatMap((folder) => readdirSync(join(FIXTURES, folder)).map((name) => join(FIXTURES, folder, name)))
    .filter((file) => file.endsWith('.json'))
    .map((file) => JSON.parse(readFileSync(file, 'utf8')))
    .filter((record) => record?.transaction?.message && record.meta)
}

/** An expected event of a recorded transaction. */
type ExpectedRow = Readonly<{
  program: string
  kind: 'swap' | 'newPair' | 'migration'
  pool: string
  /** Null or absent, like the side, if neither is a quote mint: then the pool's own order counts, which no row has. */
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

/** Whether an event is of a proprietary AMM, which these rows do not include. */
export function isHop(exchange: unknown): boolean {
  return EXCHANGES.some((each) => each === exchange && !PAIR_EXCHANGES.includes(each))
}

/** The expected rows of each transaction, by signature: one for every event except those of {@link isHop}. */
export function readExpected(): ReadonlyMap<string, readonly ExpectedRow[]> {
  const all: { signature: string; expect: ExpectedRow[] }[] = JSON.parse(
    readFileSync(join(FIXTURES, 'expected.json'), 'utf8'),
  )
  return new Map(
    all.map(({ signature, expect }) => [signature, expect.filter((row) => row.kind !== 'migration')]),
  )
}
