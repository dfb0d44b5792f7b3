import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  AppError,
  CLOSE_REASONS,
  type ErrorType,
  type FaceRefusal,
  faceStatus,
  SUPPORT_EMAIL,
} from '@pairwire/contract'
import { StreamFault } from '@pairwire/filter'
import { sseCodec } from '../codecs/line-codecs.ts'
import { nameOfRefusal, type Refusal } from '../door/refusal.ts'
import { errorPage } from '../protocol/stream-fault.ts'

/** Headers of every answer of the face. Keys come in headers or addresses, never in cookies, so any page may read it. */
export const FACE_HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Allow, Link, Retry-After',
  'cache-control': 'no-store',
  'cross-origin-resource-policy': 'cross-origin',
  'referrer-policy': 'no-referrer',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
}

/** The error type of a refused connection, by its name; those without one say that the service is away. */
const TYPES: Readonly<Record<string, ErrorType>> = {
  keyMissing: 'KEY_UNKNOWN',
  keyUnknown: 'KEY_UNKNOWN',
  noPlan: 'NO_PLAN',
  accountSuspended: 'ACCOUNT_SUSPENDED',
  connectionLimit: 'CONNECTION_LIMIT',
  tooFast: 'ERR_RATE_LIMITED',
}

/**
 * Answers a refused request by its status; a browser that can only be kept by a stream gets one that ends at once.
 *
 * @returns the status that says why
 */
export function writeStreamRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  refused: Refusal | StreamFault | AppError,
  { docsUrl, supportEmail }: Readonly<{ docsUrl: string; supportEmail: string }>,
): number {
  const refusal = refused instanceof Error ? refused : new AppError(typeOf(refused), refused.sentence)
  const isRate = refusal.errorType === 'TOO_MANY_REQUESTS'
  const errorType = isRate ? 'ERR_RATE_LIMITED' : refusal.errorType
  const errorMessage = refusal.message.replace(SUPPORT_EMAIL, supportEmail)
  const status = faceStatus(errorType)
  const isTemporary = status === 429 || status === 503
  if (isTemporary && isEventSource(request)) {
    const { code } = CLOSE_REASONS[errorType === 'CONNECTION_LIMIT' ? 'connectionLimit' : 'restart']
    response.writeHead(200, { ...FACE_HEADERS, 'content-type': 'text/event-stream' })
    response.end(`retry: 5000\n\n${sseCodec.closing(code, errorMessage)}`)
    return status
  }
  const docs = errorPage(docsUrl, errorType)
  const oldest = refusal instanceof StreamFault ? refusal.data : {}
  const body = JSON.stringify({ errorType, errorMessage, docs, ...oldest } satisfies FaceRefusal)
  response.writeHead(status, {
    ...FACE_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    link: `<${docs}>; rel="help"`,
    ...(isTemporary && { 'retry-after': '1' }),
  })
  response.end(request.method === 'HEAD' ? undefined : body)
  return status
}

function typeOf(refusal: Refusal): ErrorType {
  return TYPES[nameOfRefusal(refusal)] ?? 'ERR_UNAVAILABLE'
}

/** `EventSource` stops for good at any status but 200, and its page cannot read which one it was. */
function isEventSource({ headers }: IncomingMessage): boolean {
  return (headers.accept ?? '').includes('text/event-stream') && 'sec-fetch-mode' in headers
}
