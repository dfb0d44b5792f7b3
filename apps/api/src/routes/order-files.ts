import type { HistoryOrder, SampleOrder } from '@pairwire/accounts'
import {
  AppError,
  fileOf,
  HOUR_MS,
  hourName,
  hourStart,
  type Manifest,
  type SourceKind,
  timeText,
} from '@pairwire/contract'
import type { FastifyReply, FastifyRequest } from 'fastify'
import * as z from 'zod'
import { listHours } from '../history/list-hours.ts'
import { orderRefusal } from '../history/order-refusal.ts'
import { reach } from '../history/reach.ts'
import { sizesOf } from '../history/sizes.ts'
import type { ApiApp, RouteParts } from './api-route.ts'

/** Names of hours in one request: a month and a day. */
const METADATA_MAX = 750

const MetadataBody = z.object({
  files: z
    .array(z.string().refine((name) => hourStart(name) !== undefined))
    .min(1)
    .max(METADATA_MAX),
})

/** GET /order/{id} and POST /archive/metadata, with an API key: the calls of the command-line tool before it downloads. */
export function addOrderFileRoutes(app: ApiApp, parts: Omit<RouteParts, 'sessions'>): void {
  const { accounts, archive, sourceKind, limits } = parts

  /** The order of this number, for the account with the request's key; undefined if it has none. */
  const findOrder = async (request: FastifyRequest, reply: FastifyReply, orderId: number) => {
    const key = request.headers['x-api-key']
    const found = await accounts.findOrderOfKey(typeof key === 'string' ? key : '', orderId)
    if (found.outcome === 'unknown_key') {
      await limits.unknownPerAddress(request, reply)
      throw new AppError('KEY_UNKNOWN', key ? undefined : 'Send your API key in the header X-API-KEY.')
    }
    request.accountId = found.outcome === 'found' ? found.order.accountId : found.accountId
    await limits.perAccount(request, reply)
    return found.outcome === 'found' ? found.order : undefined
  }

  app.get<{ Params: { id: string } }>('/order/:id', async (request, reply) => {
    const { id } = request.params
    const order = await findOrder(request, reply, /^\d{1,9}$/.test(id) ? Number(id) : 0)
    if (!order) throw new AppError('ERR_NOT_FOUND', 'This account has no order of this number.')
    const refusal = orderRefusal(order)
    if (refusal) throw refusal

    const { source, from, to } = await windowOf(order, parts)
    const hours = await listHours(archive, source, from, to)
    return reply.header('cache-control', 'no-store').send(toAnswer(order, from, hours))
  })

  app.post('/archive/metadata', async (request, reply) => {
    // Every account has this one, so it can be used to check a key.
    await findOrder(request, reply, 1)
    const { success, data } = MetadataBody.safeParse(request.body)
    if (!success) {
      const sentence = `Send {"files":["20261123-130000", …]} with 1 to ${METADATA_MAX} names of hours.`
      throw new AppError('ERR_VALIDATION', sentence)
    }
    const starts = data.files.map((name) => hourStart(name)!)
    const [from, to] = [Math.min(...starts), Math.max(...starts) + HOUR_MS]
    const byName = new Map((await listHours(archive, sourceKind, from, to)).map((hour) => [hour.hour, hour]))
    return reply.header('cache-control', 'no-store').send(data.files.map((name) => toSizes(byName.get(name))))
  })
}

/** The hours of an order. @throws ERR_NOT_FOUND for the sample while there is none */
export async function windowOf(
  order: HistoryOrder | SampleOrder,
  { archive, sourceKind: source }: Pick<RouteParts, 'archive' | 'sourceKind'>,
): Promise<Readonly<{ source: SourceKind; from: number; to: number }>> {
  if (order.status !== 'sample') {
    return { source: order.source, from: order.from.getTime(), to: order.to.getTime() }
  }
  const sample = archive && (await reach(archive.findSample(source)))
  if (!sample) throw new AppError('ERR_NOT_FOUND', 'There is no hour to sample yet.')
  const from = hourStart(sample.hour)!
  return { source, from, to: from + HOUR_MS }
}

/** The tool downloads each hour up to `archive_data_to`, and fails if one is missing. Both of its releases are served. */
function toAnswer(order: HistoryOrder | SampleOrder, from: number, hours: readonly Manifest[]) {
  const there = new Set(hours.map(({ hour }) => hour))
  let to = from
  while (there.has(hourName(to))) to += HOUR_MS
  const [dataFrom, dataTo] = [timeText(from), timeText(to)]
  return {
    order_id: order.id,
    status: order.status,
    download_token: order.downloadToken,
    archive_data_from: dataFrom,
    archive_data_to: dataTo,
    expires_at: order.status === 'sample' ? null : (order.expiresAt?.toISOString() ?? null),
    files: (to - from) / HOUR_MS,
    size: sizesOf(hours.filter(({ hour }) => hourStart(hour)! < to)).zipBytes,
    DownloadToken: order.downloadToken,
    ArchiveDataFrom: dataFrom,
    ArchiveDataTo: dataTo,
  }
}

function toSizes(manifest: Manifest | undefined) {
  const { swaps, pairs } = manifest?.counts ?? { swaps: 0, pairs: 0 }
  const size = manifest ? fileOf(manifest, 'zip').bytes : 0
  return { swaps, pairs, size, newpairs: pairs, filesize: size }
}
