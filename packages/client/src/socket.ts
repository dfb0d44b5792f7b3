import type { Ending } from './errors.ts'
import type { Clock, WebSocketClass } from './platform.ts'
import { VERSION } from './version.ts'

/** One socket, from its opening to its end. */
export type OpenSocket = Readonly<{
  send(text: string): void
  /** Stops reading; undefined where the class cannot. */
  pause: (() => void) | undefined
  resume(): void
  /** Drops it, without further calls. */
  drop(): void
}>

/** Calls that a socket makes. Nothing follows `ended`. */
type SocketCalls = Readonly<{
  opened(): void
  text(text: string): void
  ended(ending: Ending): void
}>

/** The members of the classes: all have the first group, only `ws` the others. */
type AnySocket = {
  onopen: (() => void) | null
  onmessage: ((event: { data: unknown }) => void) | null
  onerror: ((event: { message?: string; error?: unknown } | undefined) => void) | null
  onclose: ((event: { code?: number; reason?: unknown } | undefined) => void) | null
  send(text: string): void
  close(code?: number): void
  on?(event: 'message', listener: (data: unknown, isBinary: boolean) => void): void
  on?(event: 'unexpected-response', listener: (request: unknown, response: RefusedAnswer) => void): void
  pause?(): void
  resume?(): void
  terminate?(): void
}

/** An HTTP response, as Node gives it. */
type RefusedAnswer = {
  statusCode?: number
  on(event: 'data', listener: (chunk: unknown) => void): void
  on(event: 'end', listener: () => void): void
}

/** Milliseconds that the other side has to answer a close. */
const CLOSE_LIMIT_MS = 2_000

/** Characters read of the sentence of a refusal. */
const SENTENCE_MAX = 500

/** Opens a socket. The key goes into the header where the class takes one. @throws what the class throws */
export function openSocket(
  Class: WebSocketClass,
  { url, key, clock }: Readonly<{ url: string; key: string; clock: Clock }>,
  calls: SocketCalls,
): OpenSocket {
  // Only the class of `ws` does. Bun's own class can pause, but takes its headers elsewhere.
  const takesHeaders = 'on' in Class.prototype
  // Every class has the standard's members; those of `ws` alone are checked.
  const socket = (
    takesHeaders
      ? new Class(addressOf(url), [], { headers: { 'X-API-KEY': key }, perMessageDeflate: false })
      : new Class(addressOf(url, key))
  ) as AnySocket
  let isOver = false
  let isPaused = false
  let cause: Error | undefined
  let forget = () => {}

  const end = (ending: Ending) => {
    forget()
    if (isOver) return
    isOver = true
    calls.ended(ending)
  }
  socket.onopen = () => !isOver && calls.opened()
  socket.onerror = (event) => {
    cause = withoutKey(event?.message, key)
  }
  socket.onclose = (event) =>
    end({ code: event?.code ?? 1006, reason: String(event?.reason ?? '') || (cause?.message ?? ''), cause })
  if (takesHeaders && socket.on) {
    // Avoids the event object that `onmessage` makes for each message.
    socket.on('message', (data, isBinary) => !isOver && !isBinary && calls.text(String(data)))
    socket.on('unexpected-response', (_, response) => {
      let reason = ''
      response.on('data', (chunk) => {
        if (reason.length < SENTENCE_MAX) reason += String(chunk)
      })
      response.on('end', () => {
        end({ code: 1006, status: response.statusCode ?? 0, reason: reason.slice(0, SENTENCE_MAX).trim() })
        socket.terminate?.()
      })
    })
  } else {
    socket.onmessage = ({ data }) => !isOver && typeof data === 'string' && calls.text(data)
  }

  return {
    send: (text) => socket.send(text),
    pause: socket.pause
      ? () => {
          isPaused = true
          socket.pause?.()
        }
      : undefined,
    resume() {
      isPaused = false
      socket.resume?.()
    },
    drop() {
      if (isOver) return
      isOver = true
      if (isPaused) {
        socket.terminate?.()
        return
      }
      forget = clock.after(CLOSE_LIMIT_MS, () => socket.terminate?.())
      socket.close(1000)
    },
  }
}

function addressOf(url: string, key?: string): string {
  const address = new URL(url)
  address.searchParams.set('client', `pairwire-js/${VERSION}`)
  address.searchParams.set('refusals', 'close')
  if (key !== undefined) address.searchParams.set('key', key)
  return address.href
}

/** Makes an error with the same message without the key: some libraries put the whole address into theirs. */
export function withoutKey(message: unknown, key: string): Error | undefined {
  if (typeof message !== 'string' || message === '') return undefined
  return new Error(
    key === '' ? message : message.replaceAll(key, '*').replaceAll(encodeURIComponent(key), '*'),
  )
}
