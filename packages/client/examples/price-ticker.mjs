// Prints the price of a token in US dollars: the average over the last minute, weighted by volume.
import { createPairwire } from '@pairwire/client'

const [mint] = process.argv.slice(2)
const SOL = 'So11111111111111111111111111111111111111112'
const WINDOW_SECONDS = 60

const pairwire = createPairwire() // address and key come from PAIRWIRE_URL and PAIRWIRE_KEY
const swaps = pairwire.swaps({ include: { baseTokenMint: [mint] } })
swaps.on('gap', ({ fromSlot, toSlot, cause }) => console.error('missing', fromSlot, toSlot, cause))

let trades = []
for await (const { swap, blockTime } of swaps) {
  if (swap.usdValue === null) continue // its value in dollars is unknown
  const paid = Number(swap.quoteAmount) / 10 ** (swap.quoteTokenMint === SOL ? 9 : 6)
  trades.push({ blockTime, usd: swap.usdValue, tokens: paid / Number(swap.quotePrice) })
  trades = trades.filter((trade) => trade.blockTime > blockTime - WINDOW_SECONDS)

  const usd = trades.reduce((sum, trade) => sum + trade.usd, 0)
  const tokens = trades.reduce((sum, trade) => sum + trade.tokens, 0)
  console.log((usd / tokens).toPrecision(6), 'USD over', trades.length, 'swaps worth', usd.toFixed(2), 'USD')
}
