import { type AddressInfo, createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { type Closing, createLine, type Line, type LineOptions } from './line.ts'

describe('line', () => {
  let server: WebSocketServer
  let url: string
  const lines: Line[] = []

  beforeEach(async () => {
    server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
    await new Promise((resolve) => server.once('listening', resolve))
    url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })
  afterEach(async () => {
    for (const line of lines.splice(0)) line.close()
    for (const client of server.clients) client.terminate()
    await new Promise((resolve) => server.close(resolve))
  })

  it('connects to the address with the key as its query', async () => {
    const asked = new Promise((resolve) => server.once('connection', (_, request) => resolve(request.url)))

    aLine().open(url, 'a key&more')

    expect(await asked).toBe('/?key=a+key%26more')
  })

  it('sends text byte for byte', async () => {
    const texts = ['  {"a":1}  \n', '', 'not json', '\u0000é🙂']
    const heard = new Promise((resolve) => {
      const got: string[] = []
      server.once('connection', (socket) =>
        socket.on('message', (data) => got.push(String(data)) === texts.length && resolve(got)),
      )
    })
    const line = aLine()
    line.subscribe({
      opened: () => {
        for (const text of texts) line.send(text)
      },
    })

    line.open(url, 'k')

    expect(await heard).toEqual(texts)
  })

  it('passes on each text as it came, and parsed when a listener asks for frames', async () => {
    const texts = ['{"id":1,"result":true}', 'no json', '[1]', '{"big":12345678901234567890}']
    server.once('connection', (socket) => {
      for (const text of texts) socket.send(text)
    })
    const heard: string[] = []
    const frames: unknown[] = []
    const line = aLine()
    const done = new Promise<void>((resolve) => {
      line.subscribe({
        text: (text) => heard.push(text),
        frame: (frame, text) => {
          frames.push(frame)
          if (text === texts[3]) resolve()
        },
      })
    })

    line.open(url, 'k')
    await done

    expect(heard).toEqual(texts)
    expect(frames[0]).toEqual({ id: 1, result: true })
    expect(frames).toHaveLength(2)
  })

  it('reports how the other side closed, and does not reconnect', async () => {
    let connections = 0
    server.on('connection', (socket) => {
      connections++
      socket.close(4001, 'This API key is not known, or it was reset.')
    })
    const line = aLine()
    const closing = closed(line)

    line.open(url, 'k')

    expect(await closing).toEqual({ code: 4001, reason: 'This API key is not known, or it was reset.' })
    expect(line.state).toBe('idle')
    expect(connections).toBe(1)
  })

  it('reports a failure before the close when nothing listens there', async () => {
    const told: string[] = []
    const line = aLine()
    line.subscribe({ failed: () => told.push('failed'), closed: () => told.push('closed') })
    const closing = closed(line)

    line.open('ws://127.0.0.1:9/', 'k')
    await closing

    expect(told).toEqual(['failed', 'closed'])
  })

  it('gives up on a connection that is never answered', async () => {
    const silent = createServer()
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const line = aLine({ openLimitMs: 30 })
    const closing = closed(line)

    line.open(`ws://127.0.0.1:${(silent.address() as AddressInfo).port}/`, 'k')

    expect(await closing).toEqual({ code: 1006, reason: 'No answer in time.' })
    silent.close()
  })

  it('closes when asked to, while open and while connecting', async () => {
    const line = aLine()
    const opened = new Promise<void>((resolve) => line.subscribe({ opened: resolve }))
    line.open(url, 'k')
    await opened

    const first = closed(line)
    line.close()
    expect((await first).code).toBe(1000)

    const second = closed(line)
    line.open(url, 'k')
    line.close()
    expect((await second).code).toBe(1006)
  })

  it('keeps nothing for later: sending while closed returns false', () => {
    expect(aLine().send('{}')).toBe(false)
  })

  it('refuses to open twice', () => {
    const line = aLine()
    line.open(url, 'k')

    expect(() => line.open(url, 'k')).toThrow('already open')
  })

  function aLine(options: LineOptions = {}): Line {
    const line = createLine({ WebSocket, ...options })
    lines.push(line)
    return line
  }
})

function closed(line: Line): Promise<Closing> {
  return new Promise((resolve) => {
    const off = line.subscribe({
      closed: (closing) => {
        off()
        resolve(closing)
      },
    })
  })
}
