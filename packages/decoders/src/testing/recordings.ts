import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { Exchange } from '@pairwire/contract/exchanges'
import { VENUES } from '../programs/prop-amms/layout.ts'

/** Recorded mainnet transactions for tests and benches, outside the repository. */
type Recordings = Readonly<{
  /** Whether they are on this machine; tests skip visibly without them. */
  exist: boolean
  /** Their folder. */
  root: string
  /** The recordings of one folder in {@link FOLDERS}; empty when they are not on this machine. */
  read: (folder: string) => Recording[]
  /** The expected events of each recording of a folder, by its name. */
  readExpected: (folder?: string) => ReadonlyMap<string, readonly ExpectedRow[]>
}>

/** Folders of recorded transactions, and of those executed by the real programs, each with its expectations. */
export const FOLDERS = [
  'transactions',
  'executed',
  'executed-2026',
  'october-2026',
  'october-2026/constructed',
] as const

/** The recordings' names of programs, and the exchange that we decode each as. */
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

/** Looks for the recordings in `PAIRWIRE_FIXTURES`, else in a folder `shared/fixtures` next to the checkout. */
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

/** One recorded transaction, freshly parsed, so that a test may change it, named by its file: mostly its signature. */
export type Recording = Readonly<{ signature: string; read: () => RpcRecord }>

/** The parts of a `getTransaction` result that tests change. */
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

/** One known event of a recording; see the recordings' own README. */
export type ExpectedRow = Readonly<{
  program: string
  instruction: string
  path: string
  /** `none` for an instruction without an event. */
  kind: 'swap' | 'newPair' | 'migration' | 'none'
  pool: string
  /** Null if neither is a quote mint; then the pool's own order counts. */
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
  /** The vaults' amounts, if they differ from the trader's. */
  poolAmountIn?: string
  poolAmountOut?: string
  verified?: string
  vaultIn?: string
  /** Raw units in the pool after the swap, as the stream counts them, if the row's author worked them out. */
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
