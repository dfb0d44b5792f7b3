import { existsSync, readdirSync, readFileSync } from 'node:fs'

/**
 * Recorded mainnet transactions for tests and benches, which the repository does not hold: `PAIRWIRE_FIXTURES`, or
 * a folder `shared/fixtures` beside the checkout. Tests skip visibly when it is not there.
 */
export const FIXTURES =
  process.env.PAIRWIRE_FIXTURES ?? new URL('../../../../shared/fixtures', import.meta.url).pathname

/** Whether the recorded transactions are on this machine. */
export const hasFixtures = existsSync(`${FIXTURES}/expected.json`)

/** One recorded transaction, freshly parsed, so that a test may change it. */
export type Recording = Readonly<{ signature: string; read: () => RpcRecord }>

/** As much of a `getTransaction` result as tests change. */
export type RpcRecord = {
  meta: {
    innerInstructions: { index: number; instructions: RpcInstruction[] }[] | null
    logMessages: string[] | null
    loadedAddresses?: unknown
    [member: string]: unknown
  }
  transaction: {
    message: { accountKeys: string[]; instructions: RpcInstruction[]; header: unknown }
    signatures: string[]
  }
  [member: string]: unknown
}

type RpcInstruction = {
  programIdIndex: number
  accounts: number[]
  data: string
  stackHeight?: number | null
}

/** The recordings of one folder: `transactions`, `negative`. Empty when there are none on this machine. */
export function readRecordings(folder: string): Recording[] {
  if (!hasFixtures) return []
  return readdirSync(`${FIXTURES}/${folder}`).map((file) => {
    const text = readFileSync(`${FIXTURES}/${folder}/${file}`, 'utf8')
    return { signature: file.replace('.json', ''), read: () => JSON.parse(text) }
  })
}

/** One event that a recording is known to hold; see the recordings' own README. */
export type ExpectedRow = Readonly<{
  program: string
  instruction: string
  path: string
  kind: 'swap' | 'newPair' | 'migration'
  pool: string
  baseMint: string
  quoteMint: string
  side: 'buy' | 'sell'
  wallet: string
  amountIn: string
  amountOut: string
  /** What the vaults moved, where it differs from what the trader did. */
  poolAmountIn?: string
  poolAmountOut?: string
  verified?: string
  vaultIn?: string
  name?: string
  symbol?: string
  uri?: string
  viaMigration?: boolean | string
  baseAmount?: string
  quoteAmount?: string
}>

/** The rows expected of each recording, by signature. */
export function readExpected(): ReadonlyMap<string, readonly ExpectedRow[]> {
  if (!hasFixtures) return new Map()
  const entries: { signature: string; expect: ExpectedRow[] }[] = JSON.parse(
    readFileSync(`${FIXTURES}/expected.json`, 'utf8'),
  )
  return new Map(entries.map(({ signature, expect }) => [signature, expect]))
}
