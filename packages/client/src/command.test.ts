import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as realWait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { aSwap } from './fake/fake-events.ts'
import { createFakeServer } from './fake/fake-server.ts'

/** Bundled once, so that no child has to load TypeScript. */
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pairwire-command-'))
  await build({
    entryPoints: [fileURLToPath(new URL('command.ts', import.meta.url))],
    outfile: join(folder, 'command.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
  })
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('pairwire-client', () => {
  const children: ChildProcess[] = []
  afterEach(() => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
  })

  const run = (args: string[], environment: Record<string, string> = {}) => {
    const child = spawn(process.execPath, [join(folder, 'command.mjs'), ...args], {
      env: { PATH: process.env.PATH, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    children.push(child)
    let told = ''
    child.stderr.on('data', (text) => {
      told += text
    })
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
    return {
      child,
      told: () => told,
      nextLine: async () => JSON.parse((await lines.next()).value),
      ended: once(child, 'exit').then(([status]) => status),
    }
  }

  it('tail prints each event as a line of JSON, and its states on stderr', async () => {
    const server = await createFakeServer()
    const { nextLine, told, ended, child } = run(['tail', 'swaps', '{"include":{"usdValue":5}}'], {
      PAIRWIRE_URL: server.url,
      PAIRWIRE_KEY: server.key,
    })
    const line = nextLine()
    while (server.received.length < 2) await realWait(5)

    const cursor = server.push(aSwap())

    expect(await line).toMatchObject({ type: 'swap', cursor })
    expect(server.received[0]).toMatchObject({
      method: 'swapSubscribe',
      params: { include: { usdValue: 5 } },
    })
    expect(told()).toBe('connecting\nopen\n')
    child.kill('SIGINT')
    expect(await ended).toBe(0)
    await server.stop()
  })

  it('tail exits cleanly when its reader goes away', async () => {
    const server = await createFakeServer()
    const { told, ended, child } = run(['tail', 'swaps'], {
      PAIRWIRE_URL: server.url,
      PAIRWIRE_KEY: server.key,
    })
    while (server.received.length < 2) await realWait(5)
    child.stdout.destroy()
    const pushing = setInterval(() => server.push(aSwap()), 5)

    expect(await ended).toBe(0)
    clearInterval(pushing)
    expect(told()).toBe('connecting\nopen\nidle\n')
    await server.stop()
  })

  it('tail exits with 2 and the sentence of the service when no retry can help', async () => {
    const server = await createFakeServer()
    const { told, ended } = run(['tail', 'blocks'], {
      PAIRWIRE_URL: server.url,
      PAIRWIRE_KEY: 'f'.repeat(32),
    })

    expect(await ended).toBe(2)
    expect(told()).toContain('This API key is not known, or it was reset.')
    await server.stop()
  })

  it.each(['null', '{"include":'])('tail exits with 2 when its params are %s', async (params) => {
    const { told, ended } = run(['tail', 'swaps', params], {
      PAIRWIRE_URL: 'ws://127.0.0.1:1',
      PAIRWIRE_KEY: 'f'.repeat(32),
    })

    expect(await ended).toBe(2)
    expect(told()).toMatch(/^The params must be a JSON object.*\n$/)
  })

  it('fake runs a fake server that is controlled over HTTP', async () => {
    const { nextLine } = run(['fake'])
    const { url } = await nextLine()
    const post = async (verb: string, body: string) =>
      (await fetch(`${url.replace('ws', 'http')}/fake/${verb}`, { method: 'POST', body })).json()

    expect(await post('push', '[{"swap":{"usdValue":5}}]')).toEqual({
      result: expect.stringMatching(/^[\d-]+$/),
    })
    expect(await post('push', 'no json')).toMatchObject({
      message: expect.stringContaining('list of arguments'),
    })
    expect(await post('stop', '')).toMatchObject({ message: 'There is nothing at this address.' })
  })

  it('fake answers what has no usable id by a notification, and survives what is no request', async () => {
    const { nextLine } = run(['fake'])
    const { url, key } = await nextLine()
    const client = new WebSocket(`${url}/?key=${key}`)
    await once(client, 'open')
    const told: unknown[] = []

    client.send('{"method":"ping"}')
    for (const text of [
      ...['{"id":1,', '7', '{"id":2}', '{"id":0,"method":"nope"}'],
      ...['{"method":"swapSubscribe"}', '{"id":3,"method":"ping"}'],
    ]) {
      client.send(text)
      const { id, error, result, method, params } = JSON.parse(String((await once(client, 'message'))[0]))
      told.push([id, method, params?.code ?? error?.code ?? result])
    }
    client.close()

    expect(told).toEqual([
      [undefined, 'requestFailed', -32_700],
      [undefined, 'requestFailed', -32_700],
      [2, undefined, -32_700],
      [undefined, 'requestFailed', -32_601],
      [undefined, undefined, { subscription_id: 1 }],
      [3, undefined, 'pong'],
    ])
  })

  it('fake exits with 2 and one sentence when its port is in use', async () => {
    const server = await createFakeServer()
    const { told, ended } = run(['fake', '--port', new URL(server.url).port])

    expect(await ended).toBe(2)
    expect(told()).toMatch(/^listen EADDRINUSE.*\n$/)
    await server.stop()
  })

  it('prints its usage when called with wrong arguments', async () => {
    const { told, ended } = run(['head'])

    expect(await ended).toBe(2)
    expect(told()).toContain('pairwire-client tail <swaps|newPairs|blocks>')
  })
})
