import { connect, type Socket } from 'node:net'
import { systemClock } from '@pairwire/basics'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { aSwap } from '../apps/gateway/src/testing/events.ts'
import { keyNumber } from '../apps/gateway/src/testing/fake-accounts.ts'
import { readStream } from '../apps/gateway/src/testing/stream-reader.ts'
import { openGateway, type TestGateway } from '../apps/gateway/src/testing/test-gateway.ts'
import { type Caddy, noCaddy, startCaddy } from './testing/start-caddy.ts'

const SWAPS = '/v1/stream/swaps'
const headers = (number: number) => ({ 'x-api-key': keyNumber(number) })

describe.skipIf(noCaddy)(`a stream over HTTP behind deploy/Caddyfile${noCaddy}`, { timeout: 60_000 }, () => {
  let gateway: TestGateway
  let caddy: Caddy
  const sockets: Socket[] = []
  beforeEach(async () => {
    const clock = { ...createManualClock(), ...systemClock, advance() {} }
    gateway = await openGateway({ clock, limits: { outboxMaxBytes: 64 * 1024 } })
    for (const number of [1, 2]) gateway.accounts.set(`a${number}`, { key: keyNumber(number) })
    caddy = await startCaddy('Caddyfile', { gateway: gateway.port, api: gateway.port })
  })
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await caddy.stop()
    await gateway.close()
  })

  /** A client that reads until it has seen this, and then neither reads nor says that it is gone. */
  async function openSilent(upTo: string): Promise<void> {
    const socket = connect(caddy.port, '127.0.0.1')
    sockets.push(socket)
    socket.write(`GET ${SWAPS} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-API-KEY: ${keyNumber(1)}\r\n\r\n`)
    let said = ''
    await new Promise<void>((resolve) => {
      socket.on('data', (bytes) => {
        said += String(bytes)
        if (said.includes(upTo)) resolve()
      })
    })
    socket.removeAllListeners('data').pause()
  }

  // Guards people whose network changes: on a plan of one connection they would be locked out for minutes.
  it('whose network has gone without notice gives way to its client within 10 s', async () => {
    const [seen, missed] = [aSwap(), aSwap()]
    await gateway.publish(seen)
    await openSilent(`id: ${seen.cursor}`)
    await gateway.publish(missed)
    const began = performance.now()

    const stranger = await readStream(caddy.port, SWAPS, { headers: headers(1) })
    const back = await readStream(caddy.port, SWAPS, {
      headers: { ...headers(1), 'last-event-id': seen.cursor },
    })
    await back.until(1)

    expect([stranger.status, back.status]).toEqual([429, 200])
    expect(back.messages().map(({ id }) => id)).toEqual([missed.cursor])
    expect(performance.now() - began).toBeLessThan(10_000)
    expect(gateway.gateway.stats().ended).toEqual({ connectionLimit: 1 })
  })

  it('whose client stops reading ends with 4008, and another loses nothing meanwhile', async () => {
    await openSilent(': alive')
    const other = await readStream(caddy.port, SWAPS, { headers: headers(2) })
    const sent: string[] = []

    // The systems and the proxy between them take megabytes first.
    while (!gateway.gateway.stats().ended.slowConsumer) {
      const swaps = Array.from({ length: 5 }, () => aSwap({ quotePrice: '1'.repeat(8_000) }))
      sent.push(...swaps.map(({ cursor }) => cursor))
      await gateway.publish(...swaps)
      const last = `"cursor":"${sent.at(-1)}"}\n\n`
      await vi.waitUntil(() => other.text().endsWith(last), { interval: 1, timeout: 20_000 })
    }

    expect(gateway.gateway.stats().ended).toEqual({ slowConsumer: 1 })
    expect(other.messages().map(({ id }) => id)).toEqual(sent)
    // Its place is free at once, though its queue is still there.
    expect((await readStream(caddy.port, SWAPS, { headers: headers(1) })).status).toBe(200)
  })

  it('frees its place when its client hangs up', async () => {
    const reader = await readStream(caddy.port, SWAPS, { headers: headers(1) })

    reader.request.destroy()

    await vi.waitFor(() => expect(gateway.gateway.stats().connections).toBe(0), { timeout: 20_000 })
    expect((await readStream(caddy.port, SWAPS, { headers: headers(1) })).status).toBe(200)
  })
})
