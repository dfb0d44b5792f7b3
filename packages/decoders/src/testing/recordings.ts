import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Exchange } from '@pairwire/contract/exchanges'
import { VENUES } from '../programs/prop-amms/layout.ts'

/** Recorded mainnet transactions for tests and benches, which the repository does not hold. */
type Recordings = Readonly<{
  /** Whether they are on this machine; tests skip visibly when they are not. */
  exist: boolean
  /** Their folder. */
  root: string
  /** Those of one folder, as of {@link FOLDERS}; none when they are not on this machine. */
  read: (folder: string) => Recording[]
  /** The events expected of each recording of a folder, by its name. */
  readExpected: (folder?: string) => ReadonlyMap<string, readonly ExpectedRow[]>
}>

/** Folders of recorded transactions, and of those that the real programs executed, each with what is expected. */
export const FOLDERS = [
  'transactions',
  'executed',
  'executed-2026',
  'october-2026',
  'october-2026/constructed',
] as const

/** The recordings' names of programs, and the exchange under which we decode each. */
export const RECORDED_PROGRAMS: Readonly<Record<string, Exchange>> = {
  pumpfun: 'pumpfun',
  pumpswap: 'pumpswap',
  'raydium-v4': 'raydium',
  'raydium-cpmm': 'raydium',
  'raydium-launchlab': 'raydium_launchlab',
  'raydium-clmm': 'raydium_clmm',
  'meteora-dlmm': 'meteora_dlmm',
  'meteora-damm-v1': 'meteora_damm',
  'meteora-damm-v2': 'meteora_damm_v2',
  'meteora-dbc': 'meteora_dbc',
  'orca-whirlpool': 'orca_whirlpool',
  ...Object.fromEntries(VENUES.map(({ exchange }) => [exchange, exchange])),
}

/** Looks for the recordings in `PAIRWIRE_FIXTURES`, else in a folder `shared/fixtures` beside the checkout. */
export function openRecordings(environment: Readonly<Record<string, string | undefined>>): Recordings {
  const beside = new URL('../../../../../shared/fixtures', import.meta.url).pathname
  const root = environment.PAIRWIRE_FIXTURES ?? beside
  const exist = existsSync(`${root}/expected.json`)
  return {
    exist,
    root,
    read: (folder) => (exist ? readRecordings(`${root}/${folder}`) : []),
    readExpected: (folder = 'transactions') => {
      if (!exist) return new Map()
      return readExpected(
        folder === 'transactions' ? `${root}/expected.json` : `${root}/${folder}/expected.json`,
      )
    },
  }
}

/** One recorded transaction, freshly parsed, so that a test may change it. It is named by its file: mostly its signature. */
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
  /** `none` for an instruction that must give nothing. */
  kind: 'swap' | 'newPair' | 'migration' | 'none'
  pool: string
  /** Null where neither is a quote mint; then the pool's own order counts. */
  baseMint: string | null
  quoteMint: string | null
  mintA?: string
  mintB?: string
  inputMint?: string
  outputMint?: string
  side: 'buy' | 'sell' | null
  wallet: string
  amountIn: string
  amountOut: string
  /** What the vaults moved, where it differs from what the trader did. */
  poolAmountIn?: string
  poolAmountOut?: string
  verified?: string
  vaultIn?: string
  /** Raw units in the pool after the swap, as the stream counts them, where the row's maker worked them out. */
  quoteTokenLiquidity?: string
  quoteReserveEffectiveAfter?: string
  name?: string
  symbol?: string
  uri?: string
  viaMigration?: boolean | string
  baseAmount?: string
  quoteAmount?: string
}>

function readRecordings(folder: string): Recording[] {
  const files = readdirSync(folder).filter((file) => /^(?!expected|events|sources).*\.json$/.test(file))
  return files.map((file) => {
    const text = readFileSync(`${folder}/${file}`, 'utf8')
    return { signature: file.replace('.json', ''), read: () => JSON.parse(text) }
  })
}

function readExpected(file: string): ReadonlyMap<string, readonly ExpectedRow[]> {
  const entries: { signature: string; file?: string; expect: ExpectedRow[] }[] = JSON.parse(
    readFileSync(file, 'utf8'),
  )
  return new Map(
    entries.map(({ signature, file, expect }) => [file?.replace('.json', '') ?? signature, expect]),
  )
}
