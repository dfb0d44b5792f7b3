import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { CloseReasonName } from '@pairwire/contract'

/** An upgrade that is not granted. */
export type Refusal = Readonly<{
  status: 401 | 403 | 404 | 429 | 503
  /** One sentence for people: the body of the answer, or the reason of the close. */
  sentence: string
  /** How a browser is told, which cannot read a failed upgrade; plain HTTP for everyone where absent. */
  close?: CloseReasonName
}>

/** Refuses an upgrade in plain HTTP and ends the socket. */
export function writeRefusal(socket: Duplex, { status, sentence }: Refusal): void {
  const body = `${sentence}\n`
  const retry = status === 429 || status === 503 ? ['Retry-After: 1'] : []
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Referrer-Policy: no-referrer',
    'Cache-Control: no-store',
    ...retry,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
