import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type ChainTransaction,
  createChain,
  noFaults,
  serveYellowstone,
  toChainTransaction,
} from '@pairwire/chain-double'
import { readRpcTransaction } from '@pairwire/decoders'
import { describe, expect, it, onTestFinished } from 'vitest'
import WebSocket from 'ws'
import { freePort } from '../packages/basics/src/testing/free-port.ts'
import { makeAccount } from './operator.ts'
import { freshEmail } from './people.ts'
import { root, startService } from './service.ts'
import { STORY_MS } from './story-time.ts'

/** A swap recorded on the chain; each block of the double contains it. */
const SWAP = swapOf('packages/decoders/src/programs/pumpswap/fixtures/sell.json')

describe('the service on a live chain', { timeout: STORY_MS }, () => {
  it('starts without an endpoint, says what is wrong, streams once it appears, and announces a gap after an outage', async () => {
    const chain = createChain()
    const port = await freePort()
    let blocks = 0
    const grow = () => {
      blocks++
      chain.add([SWAP], { blockTime: Math.floor(Date.now() / 1_000) })
    }
    const growing = setInterval(grow, 100)
    onTestFinished(() => clearInterval(growing))
    const serve = () => serveYellowstone({ chain, port, faults: { ...noFaults(), history: 5 } })
    const service = await startService({
      SOLANA_SOURCE: `yellowstone+http://localhost:${port}`,
      SOLANA_SOURCE_TOKEN: 'secret-token',
    })
    onTestFinished(() => service.kill())
    const page = async () => (await fetch(`${service.url}/status`)).text()
    const health = async () => (await fetch(`${service.url}/healthz`)).json()
    const { user } = await makeAccount(service, freshEmail(), 'pro')
    const socket = new WebSocket(service.streamUrl, { headers: { 'X-API-KEY': user.APIKey } })
    const methods: string[] = []
    socket.on('open', () => socket.send('{"id":1,"method":"swapSubscribe"}'))
    socket.on('message', (data) => methods.push(JSON.parse(String(data)).method))
    const swaps = () => methods.filter((method) => method === 'swapNotification').length

    const refused = `Nothing listens at localhost:${port}: the connection is refused.`
    await expect.poll(page).toContain(AWAY)
    expect(service.output()).toContain(refused)
    expect(await health()).toMatchObject({ status: 'down', parts: { source: false } })

    const first = await serve()
    await expect.poll(swaps).toBeGreaterThan(3)
    expect(await page()).not.toContain('yellowstone-grpc-geyser')
    expect(await health()).toMatchObject({ status: 'up' })

    await first.close()
    await expect.poll(page).toContain(AWAY)
    const before = swaps()
    // More than the server will still hold.
    const missed = blocks
    await expect.poll(() => blocks).toBeGreaterThan(missed + 10)
    const second = await serve()
    onTestFinished(second.close)
    await expect.poll(swaps).toBeGreaterThan(before + 3)

    expect(methods).toContain('gapNotification')
    expect(socket.readyState).toBe(WebSocket.OPEN)
    expect(await page()).not.toContain(AWAY)
    expect(await page()).not.toContain(`localhost:${port}`)
    expect(await page()).not.toContain('secret-token')
    expect(service.output()).not.toContain('secret-token')
    socket.close()
  })
})

/** The page's sentence for an endpoint that is away. */
const AWAY = '>down</strong>'

function swapOf(fixture: string): ChainTransaction {
  const transaction = readRpcTransaction(JSON.parse(readFileSync(join(root, fixture), 'utf8')).transaction)
  if (!transaction) throw new Error(`${fixture} holds no transaction.`)
  return toChainTransaction(transaction)
}
