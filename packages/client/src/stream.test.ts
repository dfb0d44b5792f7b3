import { type AddressInfo, createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { type Closing, createStream, type Stream, type StreamOptions } from './stream.ts'

describe('stream', () => {
  let server: WebSocketServer
  let url: string
  const streams: Stream[] = []

  beforeEach(async () => {
    server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
    await new Promise((resolve) => server.once('listening', resolve))
    url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`
  })
  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.close()
    for (const client of server.clients) client.terminate()
    await new Promise((resolve) => server.close(resolve))
  })

  it('asks for the address with the key as its query', async () => {
    const asked = new Promise((resolve) => server.once('connection', (_, request) => resolve(request.url)))

    aStream().open(url, 'a key&more')

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
    const stream = aStream()
    stream.subscribe({
      opened: () => {
        for (const text of texts) stream.send(text)
      },
    })

    stream.open(url, 'k')

    expect(await heard).toEqual(texts)
  })

  it('hands on each text as it came, and read when a listener asks for frames', async () => {
    const texts = ['{"id":1,"result":true}', 'no json', '[1]', '{"big":12345678901234567890}']
    server.once('connection', (socket) => {
      for (const text of texts) socket.send(text)
    })
    const heard: string[] = []
    const frames: unknown[] = []
    const stream = aStream()
    const done = new Promise<void>((resolve) => {
      stream.subscribe({
        text: (text) => heard.push(text),
        frame: (frame, text) => {
          frames.push(frame)
          if (text === texts[3]) resolve()
        },
      })
    })

    stream.open(url, 'k')
    await done

    expect(heard).toEqual(texts)
    expect(frames[0]).toEqual({ id: 1, result: true })
    expect(frames).toHaveLength(2)
  })

  it('tells how the other side closed, and does not come back', async () => {
    let connections = 0
    server.on('connection', (socket) => {
      connections++
      socket.close(4001, 'This API key is not known, or it was reset.')
    })
    const stream = aStream()
    const closing = closed(stream)

    stream.open(url, 'k')

    expect(await closing).toEqual({ code: 4001, reason: 'This API key is not known, or it was reset.' })
    expect(stream.state).toBe('idle')
    expect(connections).toBe(1)
  })

  it('tells of a failure before the close when nobody listens there', async () => {
    const told: string[] = []
    const stream = aStream()
    stream.subscribe({ failed: () => told.push('failed'), closed: () => told.push('closed') })
    const closing = closed(stream)

    stream.open('ws://127.0.0.1:9/', 'k')
    await closing

    expect(told).toEqual(['failed', 'closed'])
  })

  it('gives up on a connection that is never answered', async () => {
    const silent = createServer()
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const stream = aStream({ openLimitMs: 30 })
    const closing = closed(stream)

    stream.open(`ws://127.0.0.1:${(silent.address() as AddressInfo).port}/`, 'k')

    expect(await closing).toEqual({ code: 1006, reason: 'No answer in time.' })
    silent.close()
  })

  it('closes when asked to, while open and while connecting', async () => {
    const stream = aStream()
    const opened = new Promise<void>((resolve) => stream.subscribe({ opened: resolve }))
    stream.open(url, 'k')
    await opened

    const first = closed(stream)
    stream.close()
    expect((await first).code).toBe(1000)

    const second = closed(stream)
    stream.open(url, 'k')
    stream.close()
    expect((await second).code).toBe(1006)
  })

  it('keeps nothing for later: sending while closed says so', () => {
    expect(aStream().send('{}')).toBe(false)
  })

  it('refuses to open twice', () => {
    const stream = aStream()
    stream.open(url, 'k')

    expect(() => stream.open(url, 'k')).toThrow('already open')
  })

  function aStream(options: StreamOptions = {}): Stream {
    const stream = createStream({ WebSocket, ...options })
    streams.push(stream)
    return stream
  }
})

function closed(stream: Stream): Promise<Closing> {
  return new Promise((resolve) => {
    const off = stream.subscribe({
      closed: (closing) => {
        off()
        resolve(closing)
      },
    })
  })
}
