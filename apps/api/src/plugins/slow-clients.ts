import { type ServerOptions, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ERROR_TYPES, type ErrorType } from '@pairwire/contract'
import { ifStillLate, noteRequests } from '@pairwire/process'
import type { FastifyInstance } from 'fastify'
import { errorText } from './errors.ts'

/** Bytes of a request's head: addresses of streams have up to 16 KiB. */
const HEAD_MAX_BYTES = 32 * 1024

/** Milliseconds between two checks for late requests, which is the most that a disconnect is delayed. */
const LOOK_EVERY_MS = 500

/** Milliseconds of a shutdown for the calls in progress. */
const CLOSE_WITHIN_MS = 1_000

/** Limits on connections that send nothing, or half a request. */
export function slowClientLimits(requestTimeoutMs: number) {
  return {
    requestTimeout: requestTimeoutMs,
    http: {
      requestTimeout: requestTimeoutMs,
      headersTimeout: requestTimeoutMs,
      maxHeaderSize: HEAD_MAX_BYTES,
      connectionsCheckingInterval: Math.min(LOOK_EVERY_MS, requestTimeoutMs / 4),
    } satisfies ServerOptions,
  }
}

/** Bytes that a socket had written when its last answer was complete. */
const answeredBytes = new WeakMap<Socket, number>()

/** Answers bytes that are not HTTP, and requests that did not arrive completely in time. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') ifStillLate(socket, () => refuse('ERR_TIMEOUT', socket))
  else refuse(error.code === 'HPE_HEADER_OVERFLOW' ? 'ERR_ADDRESS_TOO_LONG' : 'ERR_VALIDATION', socket)
}

function refuse(errorType: ErrorType, socket: Socket): void {
  // After half of an answer, another one would be read as its other half.
  if (!socket.writable || socket.bytesWritten > (answeredBytes.get(socket) ?? 0)) return void socket.destroy()

  const body = errorText(errorType)
  socket.write(
    `HTTP/1.1 ${ERROR_TYPES[errorType].status} ${STATUS_CODES[ERROR_TYPES[errorType].status]}\r\n` +
      `Content-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\n` +
      `Connection: close\r\n\r\n${body}`,
  )
  // A client that does not close in turn must not keep the socket.
  socket.destroySoon()
}

/** Tracks complete requests and answers, and ends a shutdown that clients would delay forever. */
export function outlastSlowClients(app: FastifyInstance): void {
  app.addHook('onListen', async () => noteRequests(app.server))
  app.addHook('onResponse', async ({ socket }) => {
    answeredBytes.set(socket, socket.bytesWritten)
  })
  app.addHook('preClose', async () => {
    // A normal close ends idle connections: not those that have sent nothing yet, or half of a request.
    const timer = setTimeout(() => app.server.closeAllConnections(), CLOSE_WITHIN_MS)
    app.server.once('close', () => clearTimeout(timer))
  })
}
