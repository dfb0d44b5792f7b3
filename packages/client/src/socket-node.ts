import type { IncomingMessage } from 'node:http'
import type { Ending } from './errors.ts'
import { type AnySocket, addressOf, listen, type OpenSocketOf } from './socket.ts'

/** The further members of `ws`; Bun's own class has the last three too. */
type NodeSocket = AnySocket & {
  on?(event: 'message', listener: (data: unknown, isBinary: boolean) => void): void
  on?(event: 'unexpected-response', listener: (request: unknown, response: IncomingMessage) => void): void
  pause?(): void
  resume?(): void
  terminate?(): void
}

/** Milliseconds that the other side has to answer a close. */
const CLOSE_LIMIT_MS = 2_000

/** Characters read of the sentence of a refusal. */
const SENTENCE_MAX = 500

/** Opens a socket with what its class offers. The key goes into the header where the class takes one. */
export const openNodeSocket: OpenSocketOf = (Class, { url, key, clock }, calls) => {
  // Only the class of `ws` does. Bun's own class can pause, but takes its headers elsewhere.
  const takesHeaders = 'on' in Class.prototype
  // Every class has the standard's members; the others are checked.
  const socket = (
    takesHeaders
      ? new Class(addressOf(url), [], { headers: { 'X-API-KEY': key }, perMessageDeflate: false })
      : new Class(addressOf(url, key))
  ) as NodeSocket
  let isOver = false
  let isPaused = false
  let forget = () => {}

  const ended = (ending: Ending) => {
    forget()
    if (isOver) return
    isOver = true
    calls.ended(ending)
  }
  listen(socket, key, { ...calls, ended })
  if (takesHeaders && socket.on) {
    // Avoids the event object that `onmessage` makes for each message.
    socket.onmessage = null
    socket.on('message', (data, isBinary) => !isBinary && calls.text(String(data)))
    socket.on('unexpected-response', (_, response) => {
      let reason = ''
      response.on('data', (chunk) => {
        if (reason.length < SENTENCE_MAX) reason += String(chunk)
      })
      response.on('end', () => {
        ended({ code: response.statusCode ?? 1006, reason: reason.slice(0, SENTENCE_MAX).trim() })
        socket.terminate?.()
      })
    })
  }

  return {
    send: (text) => socket.send(text),
    pause:
      socket.pause &&
      (() => {
        isPaused = true
        socket.pause?.()
      }),
    resume() {
      isPaused = false
      socket.resume?.()
    },
    drop() {
      if (isOver) return
      isOver = true
      if (isPaused) socket.terminate?.()
      else {
        forget = clock.after(CLOSE_LIMIT_MS, () => socket.terminate?.())
        socket.close(1000)
      }
    },
  }
}
