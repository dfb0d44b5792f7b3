import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { aNewPair, aSwap, createFakeServer } from '@pairwire/client/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const MINT = `${'1'.repeat(31)}3`

/** The examples of the package, each run as it stands on a fake server. `programs` is a folder that has the package installed. */
export function describeExamples(programs: () => string): void {
  describe('an example', () => {
    const running: ChildProcess[] = []
    let server: Awaited<ReturnType<typeof createFakeServer>>
    let folder: string
    beforeEach(async () => {
      server = await createFakeServer()
      folder = mkdtempSync(join(programs(), 'example-'))
    })
    afterEach(async () => {
      await Promise.all(running.splice(0).map(kill))
      await server.stop()
    })

    const kill = async (child: ChildProcess) => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    }

    const run = (name: string, args: string[] = [], environment: Record<string, string> = {}) => {
      const file = join(programs(), 'node_modules/@pairwire/client/examples', name)
      const child = spawn(process.execPath, [file, ...args], {
        cwd: folder,
        env: { PATH: process.env.PATH, PAIRWIRE_URL: server.url, PAIRWIRE_KEY: server.key, ...environment },
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      running.push(child)
      const lines: string[] = []
      const errors: string[] = []
      createInterface({ input: child.stdout }).on('line', (line) => lines.push(line))
      createInterface({ input: child.stderr }).on('line', (line) => errors.push(line))
      /** Waits for so many lines, and says what was printed. */
      const printed = async (count: number) => {
        await expect.poll(() => lines.length).toBeGreaterThanOrEqual(count)
        return lines
      }
      return { child, printed, errors }
    }

    const subscribed = (method: string) =>
      expect
        .poll(() => server.received.findLast((request) => request.method === method)?.params)
        .toBeDefined()
    const lastParams = (method: string) =>
      server.received.findLast((request) => request.method === method)?.params

    it('whale-alert prints what was published, and after a kill skips nothing', async () => {
      writeFileSync(join(folder, 'cursors.json'), JSON.stringify({ whales: server.push(aSwap()) }))
      const swaps = Array.from({ length: 6 }, (_, n) => aSwap({ usdValue: 10_000 + n }))
      const expected = swaps.map(({ signature }, n) => `buy ${10_000 + n} ${MINT} ${signature}`)
      for (const swap of swaps.slice(0, 3)) server.push(swap)

      const first = run('whale-alert.mjs')
      const before = [...(await first.printed(3))]
      await kill(first.child)
      for (const swap of swaps.slice(3)) server.push(swap)
      const second = run('whale-alert.mjs')
      await expect.poll(() => second.printed(1).then((lines) => lines.at(-1))).toBe(expected.at(-1))

      expect(before).toEqual(expected.slice(0, 3))
      // What was printed since the last save is repeated.
      const after = await second.printed(3)
      expect(after).toEqual(expected.slice(-after.length))
      expect(lastParams('swapSubscribe')).toMatchObject({ include: { usdValue: 10_000 } })
    })

    it('new-pairs-telegram posts each pair once, one a second, in plain text without anything hostile in its name', async () => {
      const posts: { at: number; body: object }[] = []
      const api = createServer(async (request, response) => {
        let body = ''
        for await (const chunk of request) body += chunk
        const isBusy = posts.length === 1 && !existsSync(join(folder, 'was-busy'))
        if (isBusy) writeFileSync(join(folder, 'was-busy'), '')
        else posts.push({ at: performance.now(), body: { path: request.url, ...JSON.parse(body) } })
        response.end(
          JSON.stringify(isBusy ? { error_code: 429, parameters: { retry_after: 0 } } : { ok: true }),
        )
      })
      await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
      const names = [
        '\u202egnp.exe\u202c',
        '[win](https://evil.example) @everyone /start',
        `<b>Ａ\u200b</b>${'z'.repeat(40)}`,
        '\u2028\n',
      ]
      const pairs = names.map((name) =>
        aNewPair({ baseToken: { account: MINT, info: { metadata: { name } } } }),
      )
      writeFileSync(join(folder, 'cursors.json'), JSON.stringify({ telegram: server.push(aNewPair()) }))
      for (const pair of pairs) server.push(pair)

      run('new-pairs-telegram.mjs', [], {
        TELEGRAM_TOKEN: '1:secret',
        TELEGRAM_CHAT: '-100',
        TELEGRAM_API: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
      })
      await expect.poll(() => posts.length).toBe(4)
      api.close()

      const text = (name: string) => `New pair on raydium: ${name}\n${MINT}`
      expect(posts.map(({ body }) => body)).toEqual(
        ['gnp exe', 'win https evil example everyone', `b A b ${'z'.repeat(26)}`, 'unnamed'].map((name) => ({
          ...{ path: '/bot1:secret/sendMessage', chat_id: '-100', text: text(name) },
        })),
      )
      for (const [index, { at }] of posts.entries())
        if (index > 0) expect(at - posts[index - 1]!.at).toBeGreaterThan(900)
    })

    it('copy-trade follows the wallets of its file, also once that has changed', async () => {
      const now = Math.floor(Date.now() / 1_000)
      const swap = (blockTime: number, change: object) => Object.assign(aSwap(change), { blockTime })
      const file = join(folder, 'wallets.txt')
      writeFileSync(file, 'one\n')
      const { printed, errors } = run('copy-trade.mjs')
      await subscribed('swapSubscribe')
      expect(lastParams('swapSubscribe')).toEqual({ include: { walletAccount: ['one'] } })

      const [buy, late] = [swap(now, { walletAccount: 'one' }), swap(now - 90, { walletAccount: 'one' })]
      for (const event of [late, buy]) server.push(event)
      await printed(1)
      writeFileSync(file, 'one\ntwo\n')
      await expect.poll(() => errors).toEqual(['watching 2 wallets'])
      const sell = swap(now, { walletAccount: 'two', swapType: 'sell' })
      server.push(sell)

      expect(lastParams('updateSubscriptionParams')).toMatchObject({
        params: { include: { walletAccount: ['one', 'two'] } },
      })
      expect(await printed(2)).toEqual([
        `would buy ${MINT} for 50 USD at 0.000000123456789, like one in ${buy.signature}`,
        `would sell ${MINT} completely at 0.000000123456789, like two in ${sell.signature}`,
      ])
    })

    it('price-ticker prints the average price of the last minute, weighted by volume', async () => {
      const { printed } = run('price-ticker.mjs', [MINT])
      await subscribed('swapSubscribe')
      // 1 SOL for 10 tokens, 3 SOL for 20, and after the first has left the minute, of unknown value and 1 SOL for 5.
      const trades = [
        { at: 0, usdValue: 200, quoteAmount: '1000000000', quotePrice: '0.1' },
        { at: 30, usdValue: 600, quoteAmount: '3000000000', quotePrice: '0.15' },
        { at: 61, usdValue: null, quoteAmount: '9000000000', quotePrice: '9' },
        { at: 62, usdValue: 200, quoteAmount: '1000000000', quotePrice: '0.2' },
      ]
      for (const { at, ...change } of trades)
        server.push(Object.assign(aSwap(change), { blockTime: 1_000 + at }))

      expect(await printed(3)).toEqual([
        '20.0000 USD over 1 swaps worth 200.00 USD',
        '26.6667 USD over 2 swaps worth 800.00 USD',
        '32.0000 USD over 2 swaps worth 800.00 USD',
      ])
      expect(lastParams('swapSubscribe')).toEqual({ include: { baseTokenMint: [MINT] } })
    })

    it('record writes what was published, in files by hour and without a hole, over kills', async () => {
      const recorded = () =>
        readdirSync(join(folder, 'swaps'))
          .sort()
          .flatMap((name) =>
            readFileSync(join(folder, 'swaps', name), 'utf8')
              .split('\n')
              .slice(0, -1),
          )
          .map((line) => JSON.parse(line).cursor)
      // What a crash leaves: a complete line, and part of another.
      const before = server.push(aSwap())
      mkdirSync(join(folder, 'swaps'))
      const broken = `${JSON.stringify({ cursor: before })}\n{"type":"sw`
      writeFileSync(join(folder, 'swaps/1970-01-01T00.ndjson'), broken)
      const pushed = [before]
      for (const hour of [1, 2]) {
        const blockTime = hour * 3_600
        for (let n = 0; n < 3; n++) pushed.push(server.push(Object.assign(aSwap(), { blockTime })))
        const { child } = run('record.mjs')
        await expect.poll(recorded).toEqual(pushed)
        await kill(child)
      }

      expect(readdirSync(join(folder, 'swaps')).sort()).toEqual(
        [0, 1, 2].map((hour) => `1970-01-01T0${hour}.ndjson`),
      )
    })

    it('early prints what is executed, and takes back what was dropped', async () => {
      const { printed } = run('early.mjs')
      await subscribed('swapSubscribe')
      const [kept, dropped] = [aSwap({ usdValue: 1_001 }), aSwap({ usdValue: 1_002, swapType: 'sell' })]
      for (const swap of [kept, dropped]) server.push(swap, { to: 'processed' })
      server.push({ signatures: [dropped.signature!] })

      expect(await printed(3)).toEqual([
        `buy 1001 ${MINT} ${kept.signature}`,
        `sell 1002 ${MINT} ${dropped.signature}`,
        `taken back: sell 1002 ${MINT} ${dropped.signature}`,
      ])
      expect(lastParams('swapSubscribe')).toEqual({ commitment: 'processed', include: { usdValue: 1_000 } })
    })

    it('has at most 40 lines', () => {
      const examples = join(programs(), 'node_modules/@pairwire/client/examples')

      const lengths = readdirSync(examples).map((name) =>
        readFileSync(join(examples, name), 'utf8').split('\n').slice(0, -1),
      )

      expect(Math.max(...lengths.map((lines) => lines.length))).toBeLessThanOrEqual(40)
      expect(lengths).toHaveLength(8)
    })
  })
}
