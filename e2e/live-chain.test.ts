import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createChain, noFaults, serveRpc, serveYellowstone } from '@pairwire/chain-double'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { freePort } from '../packages/basics/src/testing/free-port.ts'
import { QUICK_NODE } from '../packages/basics/src/testing/quick-node.ts'
import { chromePath, expectClean } from './browser.ts'
import { test } from './browser-test.ts'
import { makeAccount, pairwire } from './operator.ts'
import { freshEmail, signInNew } from './people.ts'
import { root, type Service, startService } from './service.ts'
import { STORY_MS } from './story-time.ts'

let stand: ChildProcess
let words: readonly string[]
let address: string
let service: Service
beforeAll(async () => {
  const command = [...QUICK_NODE, join(root, 'bin/pairwire.js'), 'chain', '--port', '0']
  stand = spawn(process.execPath, command, { cwd: root })
  const lines: string[] = []
  for await (const line of createInterface({ input: stand.stdout! })) {
    lines.push(line)
    if (line === 'Press Ctrl-C to stop it.') break
  }
  words = lines
  address = /running at (\S+),/.exec(lines[0]!)![1]!
  const rpc = { SOLANA_RPC_URL: `http://${address}` }
  service = await startService({ SOLANA_SOURCE: `yellowstone+http://${address}`, ...rpc })
})
afterAll(async () => {
  // First: there is no service if its start failed.
  stand.kill('SIGKILL')
  await service.kill()
})

/** The slots of the cursors, each once. */
const slotsOf = (cursors: readonly string[]) => [
  ...new Set(cursors.map((cursor) => String(Number(cursor.split('-')[1])))),
]

/** The operator's tool, with a data folder that does not exist. */
const check = (url: string) => pairwire(join(root, 'no-such-folder'), 'check-source', url)

// The first two run together, as they mostly wait.
describe('the stand-in for the chain, and check-source', { timeout: STORY_MS }, () => {
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

  it.concurrent('is what the service streams, in order and with a name for each pair, as an audit beside it finds', async ({
    expect,
  }) => {
    const { user } = await makeAccount(service, freshEmail(), 'pro')
    const socket = new WebSocket(service.streamUrl, { headers: { 'X-API-KEY': user.APIKey } })
    const cursors: string[] = []
    const infos = new Map<string, unknown>()
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject)
      socket.once('open', () => {
        socket.send('{"id":1,"method":"swapSubscribe"}')
        socket.send('{"id":2,"method":"newPairSubscribe","params":{"include_pumpfun":true}}')
      })
      socket.on('message', (data) => {
        const { method, cursor, params } = JSON.parse(String(data))
        if (method === 'swapNotification') cursors.push(cursor)
        if (method === 'newPairNotification') infos.set(params.pair.ammAccount, params.pair.baseToken.info)
        if (method === 'pairUpdateNotification') infos.set(params.ammAccount, params.baseToken.info)
        if (slotsOf(cursors).length >= 3 && infos.size >= 3 && ![...infos.values()].includes(null)) resolve()
      })
    })
    socket.terminate()

    expect(cursors).toEqual([...new Set(cursors)].sort())
    const status = await (await fetch(`${service.url}/status.json`)).json()
    // A stand-in is no more real than the simulator.
    expect(status).toMatchObject({ simulated: true, chain: 'other' })

    // The second one: the service may have joined within the first one.
    const [, slot] = slotsOf(cursors)
    const slots = ['--from-slot', slot!, '--to-slot', slot!]
    const audit = await pairwire(service.dataFolder, 'audit', ...slots, '--source', `rpc+http://${address}`)
    expect(audit.stderr).toMatch(/[1-9]\d* events of 1 blocks were compared\. All of them were published/)
    expect(audit.status).toBe(0)
    const unasked = await pairwire(service.dataFolder, 'audit', ...slots)
    expect(unasked).toMatchObject({ status: 2, stderr: expect.stringContaining('set SOLANA_RPC_URL') })
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
      [locked.url, 'refuses our token'],
      [`rpc+${lockedRpc.url}/?api-key=s3cret-key`, 'refuses our token or key (HTTP 401)'],
      [`yellowstone+${rpc.url}`, 'does not speak gRPC.'],
      [`rpc+http://127.0.0.1:${port}/s3cret-path`, 'There is no JSON-RPC at this address (HTTP 404).'],
      ['simulator', 'is not a live source'],
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
})

describe.skipIf(!chromePath)('the console on the stand-in for the chain', { timeout: 3 * STORY_MS }, () => {
  test('shows the name and the picture in every row, of every active token and in a token’s drawer', async ({
    open,
  }) => {
    const page = await open()
    await signInNew(page, service, 'pro')
    await page.goto(`${service.url}/dashboard/console`)
    await page.getByRole('button', { name: 'All swaps' }).click()
    await page.getByRole('button', { name: 'Start' }).click()
    await page.locator('.event-row').nth(99).waitFor({ state: 'attached' })
    // A hundred rows may arrive at once, and the strip follows them in the next frame.
    await page.locator('.active-token').nth(4).waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()

    const drawn = '.token-logo:not(.token-logo-coming)'
    // A name that is not known yet is the shortened mint.
    await page.waitForFunction(
      (drawn) => {
        const isShown = (of: string, name: string) =>
          [...document.querySelectorAll(of)].every((each) => {
            const text = each.querySelector(name)?.textContent ?? ''
            return each.querySelector(drawn) && text !== '' && !text.includes('…')
          })
        const rows = '.event-row:not(.event-row-message)'
        return isShown(rows, '.row-name, .pair-name') && isShown('.active-token', '.active-name')
      },
      drawn,
      { timeout: 2 * STORY_MS },
    )
    expect(await page.locator('.active-token').count()).toBe(5)

    const row = page.locator(`.event-row:has(.row-name)`).first()
    const symbol = await row.locator('.row-name').innerText()
    await row.locator('.cell-mint').click()
    const drawer = page.getByRole('dialog', { name: `Token ${symbol}` })
    await drawer.locator(drawn).waitFor()
    expect(await drawer.getByRole('heading', { level: 2 }).innerText()).toContain(symbol)
    expect(await drawer.innerText()).not.toContain('Solana Explorer')
    await expectClean(page)
  })
})

describe('the stand-in for the chain', () => {
  it('ends at Ctrl-C', async () => {
    const ended = once(stand, 'exit')
    stand.kill('SIGINT')

    expect(await ended).toEqual([0, null])
  })
})
