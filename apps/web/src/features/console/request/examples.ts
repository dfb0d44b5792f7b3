import { planByName, WHALE_USD } from '@pairwire/contract/plans'
import type { Row } from '../feed/row.ts'
import type { ActiveToken } from '../feed/worker-messages.ts'

/** A request to start from. */
type Example = Readonly<{
  label: string
  text: string
  /** The part to edit, selected after the example is inserted: from and to, in UTF-16 units. */
  selection: readonly [number, number]
}>

/** The BONK token: a mint that trades all day, so that the example returns live data. */
const A_MINT = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'
/** The authority of Raydium's AMM v4 pools: a public address, to be replaced by a wallet. */
const A_WALLET = '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1'

/** Whether a request contains an example's token or wallet of the real chain. */
export function namesMainnet(text: string): boolean {
  return text.includes(A_MINT) || text.includes(A_WALLET)
}

/** The editor's initial request. */
export const ALL_SWAPS: Example = anExample('All swaps', { id: 1, method: 'swapSubscribe' })

/** What trades now, as far as the stream has shown it. */
type TradedNow = Readonly<{ mint: string | undefined; wallet: string | undefined }>

/**
 * Returns the five examples in order. The token and the wallet are from the last minute's trades, else from the real
 * chain.
 */
export function examplesOf({ mint = A_MINT, wallet = A_WALLET }: TradedNow = NOTHING): readonly Example[] {
  return [
    anExample('New pairs', { id: 1, method: 'newPairSubscribe', params: { include_pumpfun: true } }, 'true'),
    ALL_SWAPS,
    anExample(
      'Swaps by token',
      { id: 1, method: 'swapSubscribe', params: { include: { baseTokenMint: [mint] } } },
      mint,
    ),
    anExample(
      'Swaps by wallet',
      { id: 1, method: 'swapSubscribe', params: { include: { walletAccount: [wallet] } } },
      wallet,
    ),
    anExample(
      `Whale swaps over ${WHALE_USD.toLocaleString('en-GB')} USD`,
      { id: 1, method: 'swapSubscribe', params: { include: { usdValue: WHALE_USD } } },
      String(WHALE_USD),
    ),
  ]
}

/** Returns the example for a plan's first start: one that it allows. */
export function exampleFor(planName: string | undefined): Example {
  const plan = planName === undefined ? undefined : planByName(planName)
  const [newPairs, allSwaps, , , whales] = examplesOf() as [Example, Example, Example, Example, Example]
  if (plan?.swapFilterRequired) return whales
  return plan?.swapEventsPerPeriod === null || !plan ? allSwaps : newPairs
}

const NOTHING: TradedNow = { mint: undefined, wallet: undefined }

/** What trades now: the busiest token of the stream's last minute, and the wallet with the most swaps in the rows. */
export function tradedNow(tokens: readonly ActiveToken[], rows: readonly Row[]): TradedNow {
  const counts = new Map<string, number>()
  for (const { reading } of rows) {
    if (reading.kind === 'swap' && reading.wallet !== '') {
      counts.set(reading.wallet, (counts.get(reading.wallet) ?? 0) + 1)
    }
  }
  const [busiest] = [...counts].sort(([, a], [, b]) => b - a)
  return { mint: tokens[0]?.mint, wallet: busiest?.[0] }
}

function anExample(label: string, request: unknown, part?: string): Example {
  const text = JSON.stringify(request, null, 2)
  const from = part === undefined ? text.length : text.lastIndexOf(part)
  return { label, text, selection: [from, from + (part?.length ?? 0)] }
}
