// npm i ws
import WebSocket from 'ws'

const key = process.env.PAIRWIRE_KEY
if (!key) {
  console.error('Put your API key into the environment variable PAIRWIRE_KEY.')
  process.exit(1)
}
const stream = new WebSocket('ws://localhost:8080/', { headers: { 'X-API-KEY': key } })

const request = {
  jsonrpc: '2.0',
  id: 1,
  method: 'newPairSubscribe',
  params: { include_launchpad_tokens: true },
}
stream.on('open', () => stream.send(JSON.stringify(request)))

/** When each token appeared on a curve, in Unix seconds, by its mint. */
const launchedAt = new Map()

stream.on('message', (data) => {
  const { method, params, error } = JSON.parse(data)
  if (error) console.error(error.message)
  if (method !== 'newPairNotification') return

  const { pair, blockTime } = params
  const mint = pair.baseToken.account
  const stage = stageOf(pair)
  if (stage === 'launched') launchedAt.set(mint, blockTime)

  const launched = launchedAt.get(mint)
  const age = stage === 'graduated' && launched ? `after ${blockTime - launched} s` : ''
  console.log(stage, mint, nameOf(pair), age, warningsOf(pair).join(', '))
})

function stageOf({ migration, quoteTokenLiquidityAdded }) {
  if (migration !== null) return 'graduated'
  return quoteTokenLiquidityAdded === '0' ? 'launched' : 'listed'
}

/** The name without characters that move, hide or turn other text. */
function nameOf({ baseToken }) {
  const name = baseToken.info?.metadata?.name ?? 'unnamed'
  return name.replace(/\p{C}/gu, '').slice(0, 32)
}

function warningsOf({ baseToken: { info } }) {
  if (info === null) return ['nothing known of its mint']
  const warnings = []
  if (info.mintAuthority !== null) warnings.push('more can be minted')
  if (info.freezeAuthority !== null) warnings.push('yours can be frozen')
  return warnings
}

stream.on('error', (error) => console.error(error.message))
stream.on('close', (code, reason) => console.error('closed', code, String(reason)))
