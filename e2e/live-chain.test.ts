import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createChain, noFaults, serveRpc, serveYellowstone } from '@pairwire/chain-double'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { makeAccount, pairwire } from './operator.ts'
import { freshEmail } from './people.ts'
import { freePort, root, startService } from './service.ts'
import { STORY_MS } from './story-time.ts'

let stand: ChildProcess
let words: readonly string[]
let address: string
beforeAll(async () => {
  stand = spawn(process.execPath, [join(root, 'bin/pairwire.js'), 'chain', '--port', '0'], { cwd: root })
  const lines: string[] = []
  for await (const line of createInterface({ input: stand.stdout! })) {
    lines.push(line)
    if (line === 'Ctrl-C ends it.') break
  }
  words = lines
  address = /runs at (\S+),/.exec(lines[0]!)![1]!
})
afterAll(() => void stand.kill('SIGKILL'))

/** The operator's tool, with a data folder that nobody made. */
const check = (url: string) => pairwire(join(root, 'no-such-folder'), 'check-source', url)

// The first two together, as they mostly wait.
describe('the stand-in for the chain, and what checks a source', { timeout: STORY_MS }, () => {
  it.concurrent('says with which settings the service reads it, and is found sound by check-source in ten seconds', async ({
    expect,
  }) => {
    expect(words.join('\n')).toContain(`SOLANA_SOURCE=yellowstone+http://${address}`)
    expect(words.join('\n')).toContain(`SOLANA_SOURCE=rpc+http://${address}`)
    expect(words.join('\n')).toContain(`SOLANA_SOURCE=logs+ws://${address}`)

    const [stream, blocks, logs] = await Promise.all([
      check(`yellowstone+http://${address}`),
      check(`rpc+http://${address}`),
      check(`logs+ws://${address}`),
    ])

    for (const { status, stdout } of [stream, blocks, logs]) {
      expect(stdout).toMatch(/In 10 seconds it gave (logs of )?\d+ (whole block|slot)/)
      expect(stdout).toMatch(/pumpfun: \d+ swaps/)
      expect(stdout).toContain('It can be used.')
      expect(status).toBe(0)
    }
    expect(stream.stdout).toContain('simulated')
  })

  it.concurrent('is what the service streams, over the websocket and in order, as an audit beside it finds', async ({
    expect,
  }) => {
    const service = await startService({ SOLANA_SOURCE: `yellowstone+http://${address}` })
    try {
      const { user } = await makeAccount(service, freshEmail(), 'pro')
      const socket = new WebSocket(service.streamUrl, { headers: { 'X-API-KEY': user.APIKey } })
      const cursors: string[] = []
      await new Promise<void>((resolve, reject) => {
        socket.once('error', reject)
        socket.once('open', () => socket.send('{"id":1,"method":"swapSubscribe"}'))
        socket.on('message', (data) => {
          const frame = JSON.parse(String(data))
          if (frame.method === 'swapNotification') cursors.push(frame.cursor)
          if (cursors.length === 30) resolve()
        })
      })
      socket.terminate()

      expect(cursors).toEqual([...new Set(cursors)].sort())
      const status = await (await fetch(`${service.url}/status.json`)).json()
      expect(status.simulated).toBe(false)

      const slot = String(Number(cursors[0]!.split('-')[1]))
      const slots = ['--from-slot', slot, '--to-slot', slot]
      const audit = await pairwire(service.dataFolder, 'audit', ...slots, '--source', `rpc+http://${address}`)
      expect(audit.stderr).toMatch(/[1-9]\d* events of 1 blocks were compared\. All of them were published/)
      expect(audit.status).toBe(0)
      const unasked = await pairwire(service.dataFolder, 'audit', ...slots)
      expect(unasked).toMatchObject({ status: 2, stderr: expect.stringContaining('set SOLANA_RPC_URL') })
    } finally {
      await service.stop()
    }
  })

  it('ends check-source with status 2, naming what is wrong with an endpoint and none of its secrets', async () => {
    const chain = createChain()
    const locked = await serveYellowstone({ chain, faults: { ...noFaults(), token: 'right' } })
    const rpc = await serveRpc({ chain })
    const lockedRpc = await serveRpc({ chain, faults: { ...noFaults(), token: 'right' } })
    const website = createServer((_, response) => response.writeHead(404).end()).listen(0, '127.0.0.1')
    await once(website, 'listening')
    const { port } = website.address() as { port: number }
    const nobody = await freePort()
    const wrong: readonly (readonly [url: string, sentence: string])[] = [
      [`yellowstone+http://127.0.0.1:${nobody}`, 'the connection is refused.'],
      [locked.url, 'refuses the token in SOLANA_SOURCE_TOKEN'],
      [`rpc+${lockedRpc.url}/?api-key=s3cret-key`, 'refuses our token or key (HTTP 401)'],
      [`yellowstone+${rpc.url}`, 'At this host and port rpc+http:// is answered: name it so.'],
      [`rpc+http://127.0.0.1:${port}/s3cret-path`, 'There is no JSON-RPC at this address (HTTP 404).'],
      ['simulator', 'names what is no source of the live chain'],
    ]
    try {
      const answers = await Promise.all(wrong.map(([url]) => check(url)))

      for (const [at, { status, stdout, stderr }] of answers.entries()) {
        expect(stdout + stderr).toContain(wrong[at]![1])
        expect(stdout + stderr).not.toContain('s3cret')
        expect(status).toBe(2)
      }
    } finally {
      website.close()
      await Promise.all([locked.close(), rpc.close(), lockedRpc.close()])
    }
  })

  it('ends at Ctrl-C', async () => {
    const ended = once(stand, 'exit')
    stand.kill('SIGINT')

    expect(await ended).toEqual([0, null])
  })
})
