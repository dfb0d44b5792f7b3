import { once } from 'node:events'
import type { Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { ErrorBody } from '@pairwire/contract'
import { afterEach, describe, expect, it } from 'vitest'
import { createApiUnderTest, NO_ACCOUNTS } from '../testing/api-under-test.ts'

const HALF_HEAD = 'GET /api/config HTTP/1.1\r\nHost: localhost\r\n'
const HALF_BODY =
  'POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{"email":'

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

/** Blocks the whole process for this long, as when it is stopped or its machine sleeps. */
function standStill(ms: number) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

async function listen(requestTimeoutMs: number, hangBeside: (server: Server) => void = () => {}) {
  const { app } = await createApiUnderTest({ accounts: NO_ACCOUNTS, requestTimeoutMs })
  hangBeside(app.server)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo

  /** A connection that has sent `text` and sends nothing more. */
  const say = async (text: string) => {
    const socket = connect(port, '127.0.0.1')
    sockets.push(socket)
    let received = ''
    socket.on('data', (bytes) => {
      received += bytes
    })
    socket.on('error', () => {})
    const closed = once(socket, 'close')
    await once(socket, 'connect')
    if (text) await new Promise((resolve) => socket.write(text, resolve))
    return { socket, closed, received: () => received }
  }
  return { app, say }
}

describe('clients that send half a request', () => {
  it.each([
    ['nothing', ''],
    ['half a head', HALF_HEAD],
    ['half a body', HALF_BODY],
  ])('are answered 408 and disconnected once their time is over: %s', async (_case, text) => {
    const { app, say } = await listen(300)

    const { closed, received } = await say(text)
    await closed

    const [head, body] = received().split('\r\n\r\n')
    expect(head).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/)
    expect(ErrorBody.parse(JSON.parse(body ?? '')).errorType).toBe('ERR_TIMEOUT')
    await app.close()
  })

  it('are answered 408 after an earlier answer on the same connection', async () => {
    const { app, say } = await listen(300)

    const { closed, received } = await say(`${HALF_HEAD}\r\n${HALF_BODY}`)
    await closed

    expect(received()).toMatch(/^HTTP\/1\.1 200 OK[\s\S]*HTTP\/1\.1 408 Request Timeout/)
    await app.close()
  })

  it.each([
    ['a call', ''],
    ['an upgrade', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'],
  ])('do not count as late if the service itself stood still: %s', async (_case, headers) => {
    const { app, say } = await listen(300, (server) =>
      server.on('upgrade', (_request, upgraded) =>
        setTimeout(() => upgraded.end('HTTP/1.1 101 Switching\r\n\r\n'), 20),
      ),
    )
    const { socket, closed, received } = await say(HALF_HEAD)
    // An answer to a later connection shows that the server has read the half.
    await (await say(`${HALF_HEAD}Connection: close\r\n\r\n`)).closed

    socket.write(`${headers || 'Connection: close\r\n'}\r\n`)
    standStill(500)
    await closed

    expect(received()).toMatch(headers ? /^HTTP\/1\.1 101/ : /^HTTP\/1\.1 200/)
    await app.close()
  })

  // Guards the dump and the lock of a shutdown: they come after the last connection.
  it('do not hold up a shutdown', async () => {
    const { app, say } = await listen(300_000)
    const clients = await Promise.all(['', '', HALF_HEAD, HALF_BODY].map(say))
    // An answer to a later connection shows that the server has read the others.
    await (await say(`${HALF_HEAD}Connection: close\r\n\r\n`)).closed

    await app.close()

    await Promise.all(clients.map(({ closed }) => closed))
  })
})
