import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { keyNumber } from './fake-accounts.ts'

/** A raw websocket client that reads only what a test tells it to. */
export type SlowReader = Readonly<{
  /** Sends a text frame. */
  send(message: unknown): void
  ping(): void
  /** Closes with 1000. */
  close(): void
  /** Reads that many bytes, or fewer when no more come. */
  read(bytes: number): Promise<void>
  /** Reads until the close frame, or until the socket ends or breaks. */
  readAll(): Promise<void>
  /** What was read: texts, and the close frame once it came. */
  texts: readonly string[]
  closeCode(): number | undefined
  pongs(): number
  isEnded(): boolean
  destroy(): void
}>

/** Bytes that Node may read ahead of the test: the minimum. */
const READ_AHEAD_BYTES = 1

/** Turns of the loop without a byte after which none is in flight: the sender is in this process too. */
const MAX_IDLE_TURNS = 5

/** Connects with the key of that number and reads only the answer to the upgrade. */
export async function connectSlowReader(
  port: number,
  number: number,
  answersPings = true,
): Promise<SlowReader> {
  const socket = connect({ port, host: '127.0.0.1', readableHighWaterMark: READ_AHEAD_BYTES } as never)
  const texts: string[] = []
  let rest = Buffer.alloc(0)
  let closeCode: number | undefined
  let pongs = 0
  let ended = false
  socket.on('error', () => {})
  socket.on('end', () => {
    ended = true
  })
  socket.on('close', () => {
    ended = true
  })
  socket.write(
    `GET / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nX-API-KEY: ${keyNumber(number)}\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
  )
  let head = ''
  while (!head.includes('\r\n\r\n')) {
    await once(socket, 'readable')
    for (let byte = socket.read(1); byte; byte = head.includes('\r\n\r\n') ? null : socket.read(1))
      head += byte
  }
  if (!head.startsWith('HTTP/1.1 101')) throw new Error(head)

  const frame = (firstByte: number, payload: Buffer) => {
    const { length } = payload
    const size = length < 126 ? [0x80 | length] : [0x80 | 126, length >> 8, length & 255]
    return Buffer.concat([Buffer.of(firstByte, ...size, 0, 0, 0, 0), payload])
  }

  const takeFrames = () => {
    let at = 0
    for (;;) {
      const short = rest[at + 1]
      if (short === undefined || rest.length < at + 4) break
      const start = at + (short === 126 ? 4 : 2)
      const end = start + (short === 126 ? rest.readUInt16BE(at + 2) : short)
      if (rest.length < end) break
      const payload = rest.subarray(start, end)
      const opcode = rest[at]! & 15
      if (opcode === 1) texts.push(String(payload))
      else if (opcode === 9 && answersPings) socket.write(frame(0x8a, payload))
      else if (opcode === 10) pongs++
      else if (opcode === 8) closeCode = payload.readUInt16BE(0)
      else if (opcode !== 9) throw new Error(`A frame begins with ${rest[at]}.`)
      at = end
    }
    rest = rest.subarray(at)
  }

  const read = async (bytes: number) => {
    let left = bytes
    for (let idleTurns = 0; left > 0 && idleTurns < MAX_IDLE_TURNS; ) {
      const chunk: Buffer | null = socket.read(Math.min(left, socket.readableLength || 1))
      if (chunk) {
        idleTurns = 0
        left -= chunk.length
        rest = Buffer.concat([rest, chunk])
        takeFrames()
      } else {
        idleTurns++
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
  }

  return {
    send: (message) => socket.write(frame(0x81, Buffer.from(JSON.stringify(message)))),
    ping: () => socket.write(frame(0x89, Buffer.alloc(0))),
    close: () => socket.write(frame(0x88, Buffer.of(3, 232))),
    read,
    async readAll() {
      while (!ended && closeCode === undefined) await read(Number.POSITIVE_INFINITY)
    },
    texts,
    closeCode: () => closeCode,
    pongs: () => pongs,
    isEnded: () => ended,
    destroy: () => socket.destroy(),
  }
}
