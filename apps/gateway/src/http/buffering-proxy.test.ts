import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { address, aSwap } from '../testing/events.ts'
import { keyNumber } from '../testing/fake-accounts.ts'
import { readStream } from '../testing/stream-reader.ts'
import { openGateway } from '../testing/test-gateway.ts'

const headers = { 'x-api-key': keyNumber(1) }

/** A gateway behind a proxy that passes bodies on in pieces of this many bytes, and the rest at the end. */
async function openBuffered(bytes: number) {
  const gateway = await openGateway()
  gateway.accounts.set('a1', { key: keyNumber(1) })
  const proxy = createServer(({ url, headers }, response) => {
    let held = ''
    const asked = request({ port: gateway.port, path: url, headers, agent: false }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.setEncoding('latin1')
      answer.on('data', (chunk: string) => {
        held += chunk
        for (; held.length >= bytes; held = held.slice(bytes)) response.write(held.slice(0, bytes), 'latin1')
      })
      answer.on('end', () => response.end(held, 'latin1'))
    })
    response.on('close', () => asked.destroy())
    asked.end()
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    proxy.closeAllConnections()
    proxy.close()
    await gateway.close()
  })
  return { gateway, port: (proxy.address() as AddressInfo).port }
}

it('arrives late but whole through a proxy that ignores X-Accel-Buffering and holds 64 KiB back', async () => {
  const { gateway, port } = await openBuffered(64 * 1024)
  const asked = readStream(port, '/v1/stream/swaps', { headers })
  await expect.poll(() => gateway.gateway.stats().connections).toBe(1)
  const swaps = Array.from({ length: 300 }, () => aSwap())

  for (const swap of swaps) await gateway.publish(swap)
  const reader = await asked
  const first = await reader.until(100)
  await gateway.gateway.drain(100)
  await reader.ended

  expect(first.length).toBeLessThan(300)
  const ids = reader.messages().map(({ id }) => id)
  expect(ids).toEqual([...swaps.map(({ cursor }) => cursor), undefined])
})

// A program behind such a proxy asks for pieces; so does an `EventSource` by itself.
it('arrives in pieces of some seconds, with nothing lost, through a proxy that holds back until the end', async () => {
  const { gateway, port } = await openBuffered(Number.POSITIVE_INFINITY)
  await gateway.publish(aSwap())
  const sent: string[] = []
  const got: (string | undefined)[] = []
  let id: string | undefined

  for (let round = 0; round < 4; round++) {
    const asked = readStream(port, `/v1/stream/swaps?seconds=5&include.walletAccount=${address(77)}`, {
      headers: { ...headers, ...(id && { 'last-event-id': id }) },
    })
    await expect.poll(() => gateway.gateway.stats().connections).toBe(1)
    const passing = setInterval(() => gateway.clock.advance(100), 2)
    const reader = await asked
    await reader.ended
    clearInterval(passing)
    got.push(...reader.messages().map(({ id }) => id))
    id = reader.lastEventId()
    // While it is away, the last time for nobody.
    const swap = aSwap({ walletAccount: address(77) })
    sent.push(swap.cursor)
    await gateway.publish(swap, aSwap())
  }

  expect(got).toEqual(sent.slice(0, 3))
})
