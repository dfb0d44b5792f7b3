import type { Clock } from './clock.ts'
import type { Ending } from './errors.ts'
import { VERSION } from './version.ts'

/** A websocket class: a browser's, Node's global one, or that of the `ws` package. */
// biome-ignore lint/suspicious/noExplicitAny: runtimes type its constructor differently
export type WebSocketClass = new (...args: any[]) => object

/** One socket, from its opening to its end. */
export type OpenSocket = Readonly<{
  send(text: string): void
  /** Stops reading until `resume`; absent where the class cannot. */
  pause?: (() => void) | undefined
  resume?: () => void
  /** Drops it, without further calls. */
  drop(): void
}>

/** Calls that a socket makes. Nothing follows `ended`. */
export type SocketCalls = Readonly<{
  opened(): void
  text(text: string): void
  ended(ending: Ending): void
}>

/** Opens a socket of a class. @throws what the class throws */
export type OpenSocketOf = (
  Class: WebSocketClass,
  to: Readonly<{ url: string; key: string; clock: Clock }>,
  calls: SocketCalls,
) => OpenSocket

/** The members that every class has. */
export type AnySocket = {
  onopen: (() => void) | null
  onmessage: ((event: { data: unknown }) => void) | null
  onerror: ((event: { message?: string } | undefined) => void) | null
  onclose: ((event: { code?: number; reason?: unknown } | undefined) => void) | null
  send(text: string): void
  close(code?: number): void
}

/** Opens a socket with the standard's members only; the key goes into the address. */
export const openSocket: OpenSocketOf = (Class, { url, key }, calls) => {
  const socket = new Class(addressOf(url, key)) as AnySocket
  listen(socket, key, calls)
  return { send: (text) => socket.send(text), drop: () => socket.close(1000) }
}

/** Passes on what a socket reports. */
export function listen(socket: AnySocket, key: string, { opened, text, ended }: SocketCalls): void {
  let cause: Error | undefined
  socket.onopen = opened
  socket.onmessage = ({ data }) => typeof data === 'string' && text(data)
  socket.onerror = (event) => {
    cause = withoutKey(event?.message, key)
  }
  socket.onclose = (event) =>
    ended({ code: event?.code ?? 1006, reason: String(event?.reason ?? '') || (cause?.message ?? ''), cause })
}

/** The address with the query words that name the client and choose how refusals arrive. */
export function addressOf(url: string, key?: string): string {
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
