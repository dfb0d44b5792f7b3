import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, describe, expect, it } from 'vitest'

const script = new URL('./fixtures.mjs', import.meta.url).pathname
const lists = JSON.parse(
  readFileSync(new URL('../packages/decoders/recorded-signatures.json', import.meta.url), 'utf8'),
) as Record<'transactions' | 'negative' | 'prop-amms', string[]>
const { transactions, negative } = lists

const folder = mkdtempSync(join(tmpdir(), 'pairwire-fixtures-'))
afterEach(() => rmSync(folder, { recursive: true, force: true }))

describe('npm run fixtures', () => {
  it('requests every listed signature from an RPC in the form that the decoders read, and stores the answers', async () => {
    const asked: unknown[][] = []
    const rpc = createServer(async (request, response) => {
      let body = ''
      for await (const chunk of request) body += chunk
      const { method, params } = JSON.parse(body)
      asked.push([method, ...params])
      response.end(
        JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          result: { slot: 7, transaction: { signatures: [params[0]] } },
        }),
      )
    }).listen(0, '127.0.0.1')
    await once(rpc, 'listening')

    const { port } = rpc.address() as AddressInfo
    await promisify(execFile)(process.execPath, [script, `http://127.0.0.1:${port}`, folder])
    rpc.close()

    expect(asked.map(([, signature]) => signature)).toEqual(Object.values(lists).flat())
    expect(asked[0]).toEqual([
      'getTransaction',
      transactions[0],
      { encoding: 'json', maxSupportedTransactionVersion: 0, commitment: 'confirmed' },
    ])
    expect(readdirSync(join(folder, 'negative'))).toHaveLength(negative.length)
    expect(
      JSON.parse(readFileSync(join(folder, 'transactions', `${transactions[0]}.json`), 'utf8')).slot,
    ).toBe(7)
  })
})
