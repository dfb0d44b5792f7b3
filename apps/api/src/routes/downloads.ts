import { setTimeout } from 'node:timers/promises'
import { customersFileName, readCustomersFileName } from '@pairwire/archive'
import { AppError, fileOf, HOUR_FILES, HOUR_MS, type HourFileKind, hourStart } from '@pairwire/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { listHours } from '../history/list-hours.ts'
import { orderRefusal } from '../history/order-refusal.ts'
import { reach } from '../history/reach.ts'
import { manifestFile, sendFile } from '../history/send-file.ts'
import type { ApiApp, RouteParts } from './api-route.ts'
import { windowOf } from './order-files.ts'

/** Concurrent downloads per token and api process. */
const DOWNLOADS_AT_ONCE = 10

/** How often one beyond those looks for a place, every 50 ms: a download that is cut is noticed a moment later. */
const LOOKS = 20

/** The path of downloads. The request log omits it, since a large file may take long. */
export const DOWNLOADS = '/archive/download'

/** The query of a download. */
type Asked = { token?: unknown; files?: unknown }

/** Routes under /archive: files of an order's hours, with its token; lists of them; manifests for everybody. */
export function addDownloadRoutes(app: ApiApp, parts: Omit<RouteParts, 'sessions'>): void {
  const { accounts, archive, sourceKind, publicUrl, limits, log } = parts
  const running = new Map<string, Set<FastifyReply>>()

  /** @throws PAYMENT_REQUIRED unless the request has the token of an open order */
  const orderOf = async (request: FastifyRequest, reply: FastifyReply) => {
    const { token } = request.query as Asked
    const order = await accounts.findOrderByToken(typeof token === 'string' ? token : '')
    if (!order) await limits.unknownPerAddress(request, reply)
    const refusal = orderRefusal(order)
    if (refusal || !order) throw refusal
    return { order, token: String(token), ...(await windowOf(order, parts)) }
  }

  app.route<{ Params: { name: string } }>({
    method: ['GET', 'HEAD'],
    url: `${DOWNLOADS}/:name`,
    handler: async (request, reply) => {
      const file = readCustomersFileName(request.params.name)
      if (!file) throw new AppError('ERR_NOT_FOUND')
      const { order, token, source, from, to } = await orderOf(request, reply)
      const at = hourStart(file.hour)!
      if (at < from || at >= to) throw new AppError('HOUR_NOT_IN_ORDER')
      const [manifest] = await listHours(archive, source, at, at + HOUR_MS)
      if (!manifest || !archive) throw new AppError('HOUR_MISSING')

      const { kind } = file
      const isCounted = order.status !== 'sample' && kind === 'zip' && request.method === 'GET'
      const note = () => {
        if (!isCounted) return
        accounts.noteDownloaded(order.id, file.hour).catch(() => log.warn('A download could not be noted.'))
      }
      if (kind === 'json') return sendFile(request, reply, manifestFile(manifest))

      let free = (): unknown => undefined
      if (request.method === 'GET') {
        const url = await reach(archive.signedUrl(manifest, kind))
        if (url) {
          note()
          return reply.redirect(url, 302)
        }
        free = await takeSlot(running, token, reply)
      }
      const { bytes, sha256 } = fileOf(manifest, kind)
      return sendFile(request, reply, {
        name: customersFileName(file.hour, kind),
        bytes,
        sha256,
        open: (range) => reach(archive.open(manifest, kind, range)),
        beforeLastByte: free,
        onLastByte: note,
      })
    },
  })

  for (const list of ['urls', 'SHA256SUMS'] as const) {
    app.get<{ Querystring: Asked }>(`${DOWNLOADS}/${list}`, async (request, reply) => {
      const kinds = readKinds(request.query.files)
      const { token, source, from, to } = await orderOf(request, reply)
      const lines = (await listHours(archive, source, from, to)).flatMap((manifest) =>
        kinds.map((kind) => {
          const name = customersFileName(manifest.hour, kind)
          return list === 'urls'
            ? `${publicUrl}${DOWNLOADS}/${kind === 'zip' ? manifest.hour : name}?token=${token}\n`
            : `${fileOf(manifest, kind).sha256}  ${name}\n`
        }),
      )
      return reply.type('text/plain; charset=utf-8').send(lines.join(''))
    })
  }

  app.get<{ Params: { hour: string } }>('/archive/manifest/:hour', async (request, reply) => {
    const at = hourStart(request.params.hour)
    const [manifest] = at === undefined ? [] : await listHours(archive, sourceKind, at, at + HOUR_MS)
    if (!manifest) throw new AppError('HOUR_MISSING')
    return reply.header('cache-control', 'no-cache').send(manifest)
  })

  // Browsers send a preflight before a range request to another site.
  app.options(`${DOWNLOADS}/:name`, async (_request, reply) =>
    reply
      .code(204)
      .headers({
        'access-control-allow-methods': 'GET, HEAD',
        'access-control-allow-headers': 'Range, If-Range, If-None-Match',
      })
      .send(),
  )
}

/** Counts a download of a token until its client leaves, maybe while it waits here, or its answer ends. @throws ERR_RATE_LIMITED beyond the most */
async function takeSlot(
  running: Map<string, Set<FastifyReply>>,
  token: string,
  reply: FastifyReply,
): Promise<() => unknown> {
  const isFull = () => (running.get(token)?.size ?? 0) >= DOWNLOADS_AT_ONCE
  for (let look = 0; isFull() && look < LOOKS; look++) await setTimeout(50)
  if (isFull()) {
    const sentence = `${DOWNLOADS_AT_ONCE} downloads of this order are running. Wait for one of them.`
    throw new AppError('ERR_RATE_LIMITED', sentence)
  }
  const slots = running.get(token) ?? new Set()
  if (!reply.raw.destroyed) running.set(token, slots.add(reply))
  const free = () => slots.delete(reply) && slots.size === 0 && running.delete(token)
  reply.raw.once('close', free)
  return free
}

/** @throws ERR_VALIDATION for a word that names no files */
function readKinds(files: unknown): readonly HourFileKind[] {
  if (files === 'all') return HOUR_FILES
  const kind = files === undefined ? 'zip' : HOUR_FILES.find((one) => one === files)
  if (!kind) throw new AppError('ERR_VALIDATION', `files is one of ${HOUR_FILES.join(', ')} and all.`)
  return [kind]
}
