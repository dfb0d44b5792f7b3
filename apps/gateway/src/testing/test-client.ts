import type { ClientOptions } from 'ws'
import { WebSocket } from 'ws'

/** Milliseconds after which a test gives up on a frame; if all is well, nothing waits that long. */
const PATIENCE_MS = 20_000

/** A frame as a test reads it. */
// biome-ignore lint/suspicious/noExplicitAny: a test asserts the form of what it reads
export type Frame = any

/** A real websocket client that keeps what it gets. */
export type TestClient = {
  readonly socket: WebSocket
  /** Raw text of every frame so far. */
  readonly texts: string[]
  /** Sends text unchanged, and anything else as JSON. */
  send(message: unknown): void
  /** The next frame not taken yet. */
  next(): Promise<Frame>
  nextText(): Promise<string>
  /** Sends a message and takes the next frame. */
  ask(message: unknown): Promise<Frame>
  /** Returns all frames up to the answer to a ping sent now: after it, silence is proven. */
  untilPong(): Promise<Frame[]>
  closed: Promise<{ code: number; reason: string }>
}

/** Opens a client; rejects with the status and the body when the upgrade is refused. */
export function connectClient(url: string, options: ClientOptions = {}): Promise<TestClient> {
  const socket = new WebSocket(url, options)
  const texts: string[] = []
  const waiting: ((text: string) => void)[] = []
  let taken = 0

  socket.on('message', (data) => {
    texts.push(String(data))
    waiting.shift()?.(texts[taken++]!)
  })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: String(reason) }))
  })

  const nextText = () =>
    new Promise<string>((resolve, reject) => {
      if (taken < texts.length) {
        resolve(texts[taken++]!)
        return
      }
      const timer = setTimeout(() => reject(new Error('No frame came.')), PATIENCE_MS)
      waiting.push((text) => {
        clearTimeout(timer)
        resolve(text)
      })
    })

  const client: TestClient = {
    socket,
    texts,
    send: (message) => socket.send(typeof message === 'string' ? message : JSON.stringify(message)),
    nextText,
    next: async () => JSON.parse(await nextText()),
    async ask(message) {
      client.send(message)
      return client.next()
    },
    async untilPong() {
      const frames: Frame[] = []
      client.send({ method: 'ping', id: 'fence' })
      for (;;) {
        const frame = await client.next()
        if (frame.id === 'fence') return frames
        frames.push(frame)
      }
    },
    closed,
  }

  return new Promise((resolve, reject) => {
    socket.on('open', () => resolve(client))
    socket.on('error', reject)
    socket.on('unexpected-response', (_request, response) => {
      let body = ''
      response.on('data', (chunk) => {
        body += chunk
      })
      response.on('end', () =>
        reject(
          Object.assign(new Error(`Refused with ${response.statusCode}.`), {
            status: response.statusCode,
            headers: response.headers,
            body,
          }),
        ),
      )
    })
  })
}
