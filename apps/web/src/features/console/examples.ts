import { WHALE_USD } from '@pairwire/contract/plans'

/** A request to start from. */
export type Example = Readonly<{
  label: string
  text: string
  /** The part to be edited, selected after the example is put in: from and to, in UTF-16 units. */
  selection: readonly [number, number]
}>

/** The BONK token: a mint that trades all day, so that the example answers on live data. */
const A_MINT = 'DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263'
/** The authority of Raydium's AMM v4 pools: an address that anyone can look up, to be replaced by a wallet. */
const A_WALLET = '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1'

/** The five examples, in the order in which they are offered. */
export const EXAMPLES: readonly Example[] = [
  anExample('New pairs', { id: 1, method: 'newPairSubscribe', params: { include_pumpfun: true } }, 'true'),
  anExample('All swaps', { id: 1, method: 'swapSubscribe' }),
  anExample(
    'Swaps by token',
    { id: 1, method: 'swapSubscribe', params: { include: { baseTokenMint: [A_MINT] } } },
    A_MINT,
  ),
  anExample(
    'Swaps by wallet',
    { id: 1, method: 'swapSubscribe', params: { include: { walletAccount: [A_WALLET] } } },
    A_WALLET,
  ),
  anExample(
    `Whale swaps over ${WHALE_USD.toLocaleString('en-GB')} USD`,
    { id: 1, method: 'swapSubscribe', params: { include: { usdValue: WHALE_USD } } },
    String(WHALE_USD),
  ),
]

function anExample(label: string, request: unknown, part?: string): Example {
  const text = JSON.stringify(request, null, 2)
  const from = part === undefined ? text.length : text.lastIndexOf(part)
  return { label, text, selection: [from, from + (part?.length ?? 0)] }
}
