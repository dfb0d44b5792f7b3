import { once } from 'node:events'
import { afterEach, describe, expect, it } from 'vitest'
import { WebSocketServer } from 'ws'
import { collect, createHastyClock, createListLog, eventually } from '../testing/live-chain.ts'
import { openSource } from './open-source.ts'

const closing: (() => Promise<unknown> | unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

describe('SOLANA_SOURCE of program logs', () => {
  it('is a source with one token, and repeats no address in its refusals', () => {
    const open = (setting: string, tokens: string[] = []) =>
      openSource(setting, {
        ...{ clock: createHastyClock(1), log: createListLog(), dataFolder: '/nowhere', tokens },
        ...{ loopByDefault: false, nextRun: async () => 1 },
      })

    expect(() => open('logs+wss://a.example/secret logs+wss://b.example')).toThrow(
      'SOLANA_SOURCE names logs+wss twice. Logs never tell when a slot is whole, so two sources of logs cannot replace each other: name one.',
    )
    expect(() => open('logs+wss://name:password@a.example')).toThrow('a token belongs in SOLANA_SOURCE_TOKEN')
    expect(() => open('logs+wss://a.example', ['a', 'b'])).toThrow('holds 2 tokens for 1 source')
    expect(() => open('logs+wss://')).toThrow('SOLANA_SOURCE: an address cannot be read.')
    expect(open('logs+wss://a.example/?api-key=secret').status!().endpoints[0]!.name).toBe('logs a.example')
  })

  // Guards the token: messages go into the log and onto a page that anyone may read.
  it('hides the keys that an endpoint repeats', async () => {
    const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
    closing.push(() => server.close())
    await once(server, 'listening')
    server.on('connection', (client, request) => {
      closing.push(() => client.terminate())
      client.on('message', (text) => {
        const { id } = JSON.parse(String(text))
        const message = `${request.headers['x-token']} of ${request.url} may not`
        client.send(JSON.stringify({ jsonrpc: '2.0', id, error: { code: 1, message } }))
      })
    })
    const { port } = server.address() as { port: number }
    const log = createListLog()
    const source = openSource(`logs+ws://127.0.0.1:${port}/path-secret/?api-key=query-secret`, {
      ...{ clock: createHastyClock(1), log, dataFolder: '/nowhere', tokens: ['token-secret'] },
      ...{ loopByDefault: false, nextRun: async () => 1 },
    })
    closing.push(collect(source).stop)

    await eventually(() => source.status!().trouble !== null)

    expect(source.status!().trouble).toBe(
      'The endpoint refuses every subscription to logs: “… of /…/?api-key=… may not”',
    )
    expect(log.lines.join()).not.toContain('secret')
  })
})
