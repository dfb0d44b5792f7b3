import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Log } from '@pairwire/basics'
import { AppError, planById, type StreamKind } from '@pairwire/contract'
import { assertPlanAllows, StreamFault } from '@pairwire/filter'
import { swapsUsedUp } from '../connection/connection-subscriptions.ts'
import type { Connections } from '../connection/connections.ts'
import type { Admission } from '../door/admission.ts'
import type { Refusal } from '../door/refusal.ts'
import { readUpgradeRequest } from '../door/upgrade-request.ts'
import type { GatewayLimits } from '../limits.ts'
import { StreamAwayError } from '../protocol/stream-fault.ts'
import type { Resuming, Start } from '../resume/resuming.ts'
import { AnswerLine } from './answer-line.ts'
import { FACE_HEADERS, writeStreamRefusal } from './stream-refusal.ts'
import { readStreamRequest, STREAM_PATHS, type StreamWish } from './stream-request.ts'

/** What the door needs. */
type StreamDoorParts = Readonly<{
  admission: Admission
  connections: Pick<Connections, 'open'>
  resuming: Resuming
  limits: GatewayLimits
  log: Log
  docsUrl: string
  supportEmail: string
  servesEarly: boolean
  clientAddress(request: IncomingMessage): string
  countRefused(status: number): void
}>

/** Where this face begins. */
const FACE = '/v1/stream'

const METHODS = ['GET', 'HEAD', 'POST', 'OPTIONS']

/** Characters of an address line's target. */
const TARGET_MAX = 16 * 1024

const PREFLIGHT = {
  'access-control-allow-methods': METHODS.join(', '),
  'access-control-allow-headers':
    'Accept, Authorization, Cache-Control, Content-Type, Last-Event-ID, X-API-KEY',
  'access-control-max-age': '86400',
}

/** Nothing comes from the client any more. */
const NO_INLET = { discard: () => {}, stop: () => {}, holdsUnread: () => false }

const NOW: Start = { after: undefined, lostFrom: undefined }

/** The door of streams over HTTP: a request is a subscribe, and its answer the stream. */
export class StreamDoor {
  readonly #parts: StreamDoorParts

  constructor(parts: StreamDoorParts) {
    this.#parts = parts
  }

  /** Answers a request below its path; false for any other. Never throws. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const path = readUpgradeRequest(request).path?.replace(/\/$/, '') ?? ''
    if (path !== FACE && !path.startsWith(`${FACE}/`)) return false
    this.#answer(request, response, STREAM_PATHS[path]).then(
      (refusal) => refusal && this.#refuse(request, response, refusal),
      (error: unknown) => this.#fail(request, response, error),
    )
    return true
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    kind: StreamKind | undefined,
  ): Promise<Refusal | undefined> {
    const { admission, connections, clientAddress } = this.#parts
    const { method = '', url = '', headers } = request
    if (!kind) throw new AppError('ERR_NOT_FOUND')
    if (method === 'OPTIONS') {
      response.writeHead(204, { ...FACE_HEADERS, ...PREFLIGHT }).end()
      return undefined
    }
    if (!METHODS.includes(method)) {
      response.setHeader('allow', METHODS.join(', '))
      throw new AppError('ERR_METHOD_NOT_ALLOWED')
    }
    if (url.length > TARGET_MAX) throw new AppError('ERR_ADDRESS_TOO_LONG')
    const { socket } = response
    // An earlier request on this connection has not been answered.
    if (!socket) throw new AppError('ERR_VALIDATION', 'Open a stream on a connection of its own.')
    const address = clientAddress(request)
    const refusal = admission.refusalOf(address)
    if (refusal) return refusal

    const { key, client } = readUpgradeRequest(request)
    if (key === undefined && headers.authorization !== undefined) {
      throw new AppError(
        'KEY_UNKNOWN',
        'A session opens no stream. Send your API key: 32 characters, as X-API-KEY or as bearer.',
      )
    }
    const wish = await readStreamRequest(request, kind, this.#parts).catch(faultOf)
    let start = NOW
    return admission.admit({
      key,
      ...successorOf(wish, method),
      isGone: () => socket.destroyed,
      prepare: async ({ accountId, planId }) => {
        // After the key: it comes first in every other refusal too.
        if (wish instanceof StreamFault) throw wish
        const plan = planById(planId)
        if (plan) assertPlanAllows(wish.interest, plan)
        start = await this.#startOf(accountId, wish)
      },
      join: (id, seat) => {
        if (wish instanceof StreamFault) throw wish
        if (wish.interest.kind === 'swap' && seat.areSwapsUsedUp()) throw swapsUsedUp(seat.plan)
        assertPlanAllows(wish.interest, seat.plan)
        const head = { ...FACE_HEADERS, 'content-type': wish.codec.mediaType }
        if (method === 'HEAD') {
          response.writeHead(200, head).end()
          return false
        }
        // From here on the body is the outbox's: nothing stands between it and the socket.
        socket.write(headText(head) + wish.codec.begin)
        connections.open({
          ...{ id, seat, socket, address, client, codec: wish.codec, wanted: { ...wish, start } },
          line: new AnswerLine(socket),
          openInlet: () => NO_INLET,
        })
        return true
      },
    })
  }

  /** @throws StreamFault when a place that may be refused is not there */
  async #startOf(accountId: string, { resume }: StreamWish): Promise<Start> {
    const { resuming } = this.#parts
    if (!resume) return NOW
    resuming.assertMayResume(accountId)
    if (!resume.isRefusable) return resuming.findAnyhow(resume.cursor)
    await resuming.find(resume.cursor)
    return { after: resume.cursor, lostFrom: undefined }
  }

  #fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    if (request.socket.destroyed) return
    if (error instanceof StreamFault || error instanceof AppError) {
      this.#refuse(request, response, error)
      return
    }
    if (error instanceof StreamAwayError) {
      this.#refuse(request, response, new AppError('ERR_UNAVAILABLE'))
      return
    }
    this.#parts.log.error('A stream over HTTP failed inside the gateway.', { error })
    if (response.socket) this.#refuse(request, response, new AppError('ERR_UNKNOWN'))
    else request.socket.destroy()
  }

  #refuse(
    request: IncomingMessage,
    response: ServerResponse,
    refusal: Refusal | StreamFault | AppError,
  ): void {
    this.#parts.countRefused(writeStreamRefusal(request, response, refusal, this.#parts))
  }
}

function faultOf(error: unknown): StreamFault {
  if (error instanceof StreamFault) return error
  throw error
}

/** A client that comes back takes the place of its own connection, whose network may be gone. */
function successorOf(wish: StreamWish | StreamFault, method: string) {
  if (wish instanceof StreamFault || !wish.resume || wish.resume.isRefusable || method === 'HEAD') return {}
  return { successor: { stream: wish.stream, cursor: wish.resume.cursor } }
}

/** The body has no length: it ends with the connection. */
function headText(headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ ...headers, connection: 'close', date: new Date().toUTCString() })
  return ['HTTP/1.1 200 OK', ...lines.map(([name, value]) => `${name}: ${value}`), '', ''].join('\r\n')
}
