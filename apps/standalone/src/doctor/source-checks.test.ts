import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { systemClock } from '@pairwire/basics'
import { describe, expect, it, onTestFinished } from 'vitest'
import { serveChain } from '../chain/serve-chain.ts'
import { readConfig } from '../config.ts'
import { sourceChecks } from './source-checks.ts'

/** The genesis of mainnet. */
const MAINNET = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d'

/** A stand-in for the chain, and an RPC that says it is mainnet. */
async function aChain() {
  const abort = new AbortController()
  const { port, ended } = await serveChain({
    ...{ host: '127.0.0.1', port: 0, swapsPerSecond: 20, seed: 1, faults: [], clock: systemClock },
    signal: abort.signal,
  })
  onTestFinished(() => {
    abort.abort()
    return ended
  })
  const url = `http://127.0.0.1:${port}`
  const rpc = createServer(async (request, response) => {
    // A watch that ends leaves calls in the middle.
    const body = await text(request).catch(() => '')
    if (body === '') return response.destroy()
    const { id, method } = JSON.parse(body)
    const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    const real = await answer.text()
    const isGenesis = method === 'getGenesisHash'
    response.end(isGenesis ? JSON.stringify({ jsonrpc: '2.0', id, result: MAINNET }) : real)
  }).listen(0, '127.0.0.1')
  await once(rpc, 'listening')
  onTestFinished(() => void rpc.close())
  return { standIn: url, mainnet: `http://127.0.0.1:${(rpc.address() as AddressInfo).port}` }
}

const find = async (check: 'source' | 'rpc', environment: Record<string, string>) =>
  sourceChecks(readConfig(environment), 1_500)[check]!(AbortSignal.timeout(10_000))

describe('the checks of the chain', () => {
  it('read from an endpoint and ask an RPC, as check-source does', async () => {
    const { mainnet, standIn } = await aChain()
    const settings = { SOLANA_SOURCE: `rpc+${mainnet}`, SOLANA_RPC_URL: mainnet }

    const [source, rpc] = await Promise.all([find('source', settings), find('rpc', settings)])

    expect(source).toMatchObject({ sentence: expect.stringMatching(/^rpc 127\.0\.0\.1:\d+ can be used\.$/) })
    expect(source).toMatchObject({ state: 'ok', fix: null })
    expect(rpc).toMatchObject({ state: 'ok', fix: null })
    expect(await find('rpc', { ...settings, SOLANA_RPC_URL: standIn })).toMatchObject({
      state: 'warn',
      sentence: 'This is not mainnet.',
      fix: expect.stringMatching(/^Correct SOLANA_RPC_URL/),
    })
  })

  it('name an endpoint that does not answer, and one that is missing', async () => {
    const away = { SOLANA_SOURCE: 'rpc+http://127.0.0.1:1', SOLANA_RPC_URL: 'http://127.0.0.1:1' }
    const fixed = { state: 'fail', fix: expect.stringMatching(/.{20}/) }

    expect(await find('source', away)).toMatchObject(fixed)
    expect(await find('rpc', away)).toMatchObject(fixed)
    expect(await find('rpc', { SOLANA_SOURCE: 'yellowstone+https://grpc.example' })).toMatchObject({
      state: 'warn',
      fix: expect.stringMatching(/^Set SOLANA_RPC_URL/),
    })
    expect(await find('source', { SOLANA_SOURCE: 'replay:/nowhere/at/all' })).toMatchObject({
      state: 'fail',
      fix: expect.stringMatching(/^Correct SOLANA_SOURCE/),
    })
  })

  it('have nothing to read of a simulated market', async () => {
    expect(await find('source', {})).toMatchObject({ state: 'ok' })
    expect(await find('rpc', {})).toMatchObject({ state: 'skipped' })
  })
})
