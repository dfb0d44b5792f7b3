// npm i ws, then: node token-price.mjs <mint>
import WebSocket from 'ws'

const mint = process.argv[2]
const key = process.env.PAIRWIRE_KEY
if (!key) {
  console.error('Put your API key into the environment variable PAIRWIRE_KEY.')
  process.exit(1)
}
const stream = new WebSocket('ws://localhost:8080/', { headers: { 'X-API-KEY': key } })

const request = {
  jsonrpc: '2.0',
  id: 1,
  method: 'swapSubscribe',
  params: { include: { baseTokenMint: [mint] } },
}
stream.on('open', () => stream.send(JSON.stringify(request)))

/** Decimals of wrapped SOL; the other quotes are dollars with 6. */
const SOL = 'So11111111111111111111111111111111111111112'
const decimalsOf = (quoteMint) => (quoteMint === SOL ? 9 : 6)

/** Swaps below this value say little about the price. */
const LEAST_USD = 5
const WINDOW_SECONDS = 60

/** Payments and whole tokens received, within the last minute of block time. */
let trades = []

stream.on('message', (data) => {
  const { method, params, error } = JSON.parse(data)
  if (error) console.error(error.message)
  if (method !== 'swapNotification') return

  const { swap, blockTime } = params
  if (swap.usdValue === null || swap.usdValue < LEAST_USD) return

  const paid = Number(swap.quoteAmount) / 10 ** decimalsOf(swap.quoteTokenMint)
  const tokens = paid / Number(swap.quotePrice)
  trades.push({ blockTime, tokens, usd: swap.usdValue })
  trades = trades.filter((trade) => blockTime - trade.blockTime < WINDOW_SECONDS)

  const usd = trades.reduce((sum, trade) => sum + trade.usd, 0)
  const sold = trades.reduce((sum, trade) => sum + trade.tokens, 0)
  console.log(`${(usd / sold).toPrecision(6)} USD over ${trades.length} swaps worth ${usd.toFixed(0)} USD`)
})

stream.on('error', (error) => console.error(error.message))
stream.on('close', (code, reason) => console.error('closed', code, String(reason)))
