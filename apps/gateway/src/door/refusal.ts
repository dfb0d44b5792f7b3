import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { CLOSE_REASONS, type CloseReasonName, KEY_MISSING } from '@pairwire/contract'
import { errorPage } from '../protocol/stream-fault.ts'

/** A refused upgrade. */
export type Refusal = Readonly<{
  status: 400 | 401 | 403 | 404 | 426 | 429 | 503
  /** One sentence for people: the body of the answer, or the reason of the close. */
  sentence: string
  /** The close for browsers, which cannot read a failed upgrade; plain HTTP for every client if absent. */
  close?: CloseReasonName
  /** Header lines for the status. */
  headers?: readonly string[]
}>

/** Refuses an upgrade in plain HTTP, with the address of its docs page, and ends the socket. */
export function writeRefusal(socket: Duplex, refusal: Refusal, docsUrl: string): void {
  const { status, sentence, headers = [] } = refusal
  const body = `${sentence}\n`
  const retry = status === 429 || status === 503 ? ['Retry-After: 1'] : []
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Content-Type: text/plain; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Referrer-Policy: no-referrer',
    'Cache-Control: no-store',
    `Link: <${explanationOf(refusal, docsUrl)}>; rel="help"`,
    ...retry,
    ...headers,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Returns the docs page of the close reason, or else the section that lists all refusals. */
function explanationOf({ close }: Refusal, docsUrl: string): string {
  return close ? errorPage(docsUrl, close) : `${docsUrl}/keys#refused`
}

/** Every refusal but that of a wrong path. @see https://www.rfc-editor.org/rfc/rfc6455#section-4.2 for two of them */
export const REFUSALS = {
  noHandshake: {
    status: 400,
    sentence: 'A websocket begins with GET, HTTP/1.1 and a Sec-WebSocket-Key.',
  },
  wrongVersion: {
    status: 426,
    sentence: 'This service speaks version 13 of the websocket protocol only.',
    headers: ['Sec-WebSocket-Version: 13', 'Upgrade: websocket', 'Connection: Upgrade'],
  },
  keyMissing: { status: 401, sentence: KEY_MISSING, close: 'keyUnknown' },
  keyUnknown: { status: 401, sentence: CLOSE_REASONS.keyUnknown.sentence, close: 'keyUnknown' },
  noPlan: { status: 403, sentence: CLOSE_REASONS.noPlan.sentence, close: 'noPlan' },
  accountSuspended: {
    status: 403,
    sentence: CLOSE_REASONS.accountSuspended.sentence,
    close: 'accountSuspended',
  },
  connectionLimit: {
    status: 429,
    sentence: CLOSE_REASONS.connectionLimit.sentence,
    close: 'connectionLimit',
  },
  tooFast: { status: 429, sentence: 'Too many new connections. Wait a second before the next.' },
  unavailable: { status: 503, sentence: 'Keys cannot be checked right now. Try again in a moment.' },
  uncounted: { status: 503, sentence: 'Connections cannot be counted right now. Try again in a moment.' },
  restarting: { status: 503, sentence: CLOSE_REASONS.restart.sentence },
} as const satisfies Record<string, Refusal>

/** Its name in {@link REFUSALS}. */
export function nameOfRefusal(refusal: Refusal): string {
  return Object.entries(REFUSALS).find(([, one]) => one === refusal)?.[0] ?? 'wrongPath'
}

/** Refuses an upgrade on any path other than `/`. */
export function wrongPath(docsUrl: string): Refusal {
  return { status: 404, sentence: `The stream is at the path / of this host. See ${docsUrl}` }
}
