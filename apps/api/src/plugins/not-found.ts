import { AppError, type ErrorType, LATER_PATHS, PATHS, WEBHOOK_PATHS } from '@pairwire/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Pages } from '../pages/page.ts'
import type { ApiParts } from '../parts.ts'
import { sendError } from './errors.ts'
import { sendFaceRefusal } from './faces.ts'
import type { RateLimits } from './rate-limit.ts'

/** Paths that the dashboard's pages never use; an unknown address below them answers 404 directly. */
const RESERVED = [
  '/assets',
  '/frame',
  '/docs',
  '/status',
  '/dev',
  '/sandbox',
  '/img',
  '/healthz',
  '/readyz',
  '/metrics',
]

/** Paths for programs: an unknown address below them answers JSON, whatever the client accepts. */
const CALLS = ['/api', '/v1', '/order', '/archive']

/** Whether the Accept header names pages, and not to refuse them by `q=0`. */
export const takesPages = ({ headers }: FastifyRequest) =>
  /text\/html(?!\s*;[^,]*q=0(\.0*)?\s*([,;]|$))/i.test(headers.accept ?? '')

type Face = Pick<ApiParts, 'publicUrl' | 'supportEmail'>

/** Characters of an address that a 404 repeats. */
const MAX_ASKED = 200

/**
 * Answers requests that no route handled: JSON below {@link CALLS}, a 404 below the other reserved paths, and for every other
 * page a redirect to `/404`.
 */
export function createNotFoundHandler(
  pages: Pages,
  limits: Pick<RateLimits, 'unknownPerAddress'>,
  face: Face,
) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    await limits.unknownPerAddress(request, reply)
    const path = pathOf(request)
    const reads = request.method === 'GET' || request.method === 'HEAD'

    if (isCall(path)) return refuseCall(path, request, reply, face)
    // On the host of the operator's room this page does not exist either: a redirect would lead to itself.
    if (!reads || path === '/404') return sendError(reply, new AppError('ERR_NOT_FOUND'))
    if (!RESERVED.some((reserved) => isBelow(path, reserved))) return sendToNotFound(path, reply)

    const wantsPage = takesPages(request) && !isBelow(path, '/assets')
    if (!wantsPage) return sendError(reply, new AppError('ERR_NOT_FOUND'))
    return pages.sendNotFound(reply, path.slice(0, MAX_ASKED))
  }
}

/** Answers addresses that cannot be decoded, which are outside all routes and their hooks. */
export function createUnreadableHandler(face: Face) {
  return (_error: unknown, request: FastifyRequest, reply: FastifyReply) => {
    const path = pathOf(request)
    const isPage = (request.method === 'GET' || request.method === 'HEAD') && !isCall(path)
    if (isPage) return void sendToNotFound(path, reply)
    return void refuse(path, 'ERR_VALIDATION', reply.header('x-content-type-options', 'nosniff'), face)
  }
}

/**
 * Redirects to /404, which shows the requested path. Its address has no room for that, so a cookie carries the path, without
 * the query, which may hold a secret. It lasts seconds, and no other page sees it.
 */
function sendToNotFound(path: string, reply: FastifyReply): FastifyReply {
  const asked = encodeURIComponent(path.slice(0, MAX_ASKED))
  return reply
    .header('set-cookie', `asked=${asked}; Path=/404; Max-Age=10; SameSite=Lax`)
    .redirect('/404', 302)
}

/** The requested path, without its query. */
function pathOf(request: FastifyRequest): string {
  return request.url.split('?', 1)[0] ?? '/'
}

function isCall(path: string): boolean {
  return CALLS.some((prefix) => isBelow(path, prefix))
}

function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`)
}

function refuseCall(path: string, request: FastifyRequest, reply: FastifyReply, face: Face): FastifyReply {
  const asked = path.replace(/\/+$/, '')
  const methods = Object.values({ ...PATHS, ...LATER_PATHS, ...WEBHOOK_PATHS })
    .filter((known) => isAt(asked, known.path) && known.method !== request.method)
    .map((known) => known.method)
  if (methods.length > 0) reply.header('allow', methods.join(', '))
  return refuse(path, methods.length > 0 ? 'ERR_METHOD_NOT_ALLOWED' : 'ERR_NOT_FOUND', reply, face)
}

function refuse(path: string, errorType: ErrorType, reply: FastifyReply, face: Face): FastifyReply {
  const refusal = new AppError(errorType)
  return isBelow(path, '/v1') ? sendFaceRefusal(reply, refusal, face) : sendError(reply, refusal)
}

/** Whether a path is that of a call, whose words after a colon stand for any. */
function isAt(path: string, known: string): boolean {
  const [words, knownWords] = [path.split('/'), known.split('/')]
  return (
    words.length === knownWords.length &&
    knownWords.every((word, at) => word.startsWith(':') || word === words[at])
  )
}
