import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Recorded mainnet transactions for tests and benches, which the repository does not hold. */
export type Recordings = Readonly<{
  /** Whether they are on this machine; tests skip visibly when they are not. */
  exist: boolean
  /** Their folder. */
  root: string
  /** Those of one folder, `transactions` or `negative`; none when they are not on this machine. */
  read: (folder: string) => Recording[]
  /** The events expected of each, by signature. */
  readExpected: () => ReadonlyMap<string, readonly ExpectedRow[]>
}>

/** Looks for the recordings in `PAIRWIRE_FIXTURES`, else in a folder `shared/fixtures` beside the checkout. */
export function openRecordings(environment: Readonly<Record<string, string | undefined>>): Recordings {
  const beside = new URL('../../../../../shared/fixtures', import.meta.url).pathname
  const root = environment.PAIRWIRE_FIXTURES ?? beside
  const exist = existsSync(`${root}/expected.json`)
  return {
    exist,
    root,
    read: (folder) => (exist ? readRecordings(`${root}/${folder}`) : []),
    readExpected: () => (exist ? readExpected(`${root}/expected.json`) : new Map()),
  }
}

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

function readRecordings(folder: string): Recording[] {
  return readdirSync(folder).map((file) => {
    const text = readFileSync(`${folder}/${file}`, 'utf8')
    return { signature: file.replace('.json', ''), read: () => JSON.parse(text) }
  })
}

function readExpected(file: string): ReadonlyMap<string, readonly ExpectedRow[]> {
  const entries: { signature: string; expect: ExpectedRow[] }[] = JSON.parse(readFileSync(file, 'utf8'))
  return new Map(entries.map(({ signature, expect }) => [signature, expect]))
}
