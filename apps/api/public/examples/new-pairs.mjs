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

stream.on('message', (data) => {
  const { method, params, error } = JSON.parse(data)
  if (error) console.error(error.message)
  if (method !== 'newPairNotification') return

  const { sourceExchange, baseToken } = params.pair
  const symbol = baseToken.info?.metadata?.symbol ?? '?'
  console.log(sourceExchange, symbol, baseToken.account)
})

stream.on('error', (error) => console.error(error.message))
stream.on('close', (code, reason) => console.error('closed', code, String(reason)))
