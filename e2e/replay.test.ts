import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PAIR_EXCHANGES } from '@pairwire/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { makeAccount } from './operator.ts'
import { freshEmail } from './people.ts'
import { root, type Service, startService } from './service.ts'

const fixtures = process.env.PAIRWIRE_FIXTURES ?? join(root, '../shared/fixtures')
const recorded = join(fixtures, 'transactions')

type Expected = {
  kind: string
  pool: string
  side?: string | null
  signature: string
  wallet: string
  baseMint: string | null
}

describe.skipIf(!existsSync(recorded))('a replay of recorded mainnet transactions', () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ SOLANA_SOURCE: `replay:${recorded}?speed=100` })
  })
  afterAll(() => service?.kill())

  it('streams every swap and new pair of every venue over the websocket, again in every loop, in order', async () => {
    const { user } = await makeAccount(service, freshEmail(), 'pro')
    const expected = (
      JSON.parse(readFileSync(join(fixtures, 'expected.json'), 'utf8')) as { expect: Expected[] }[]
    )
      .flatMap((row) => row.expect)
      .filter(({ kind }) => kind !== 'migration')
      .map(({ kind, signature, pool, side }) => `${kind} ${signature} ${pool} ${side ?? ''}`)
    // If neither token is a quote the recordings name no side.
    const sideless = new Set(expected.filter((row) => row.startsWith('swap') && row.endsWith(' ')))

    const socket = new WebSocket(service.streamUrl, { headers: { 'X-API-KEY': user.APIKey } })
    const frames: { method?: string; cursor?: string; params?: Record<string, never> }[] = []
    const seen: string[] = []
    const cursors: string[] = []
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.once('open', () => {
        socket.send('{"id":1,"method":"swapSubscribe"}')
        socket.send('{"id":2,"method":"newPairSubscribe","params":{"include_pumpfun":true}}')
      })
      socket.on('message', (data) => {
        const frame = JSON.parse(String(data))
        frames.push(frame)
        if (frame.cursor) cursors.push(frame.cursor)
        // The recordings' list does not include hops on proprietary AMMs.
        const { sourceExchange } = frame.params?.swap ?? frame.params?.pair ?? {}
        if (sourceExchange && !PAIR_EXCHANGES.includes(sourceExchange)) return
        if (frame.method === 'swapNotification') {
          const row = `swap ${frame.params.signature} ${frame.params.swap.ammAccount} `
          seen.push(sideless.has(row) ? row : `${row}${frame.params.swap.swapType}`)
        }
        if (frame.method === 'newPairNotification')
          seen.push(`newPair ${frame.params.signature} ${frame.params.pair.ammAccount} `)
        // A whole loop and the start of the next, wherever the socket joined.
        if (seen.length > expected.length + 10) resolve()
      })
    })
    socket.close()

    expect(new Set(seen)).toEqual(new Set(expected))
    expect(cursors).toEqual([...cursors].sort())
    expect(new Set(cursors).size).toBe(cursors.length)
  })
})
