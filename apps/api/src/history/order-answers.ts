import type { HistoryOrder, SampleOrder } from '@pairwire/accounts'
import type { Archive } from '@pairwire/archive'
import {
  HOUR_MS,
  type Manifest,
  type Order,
  type OrderWithFiles,
  type SourceKind,
  timeText,
} from '@pairwire/contract'
import { listHours } from './list-hours.ts'
import { reach } from './reach.ts'
import { sizesOf } from './sizes.ts'

/** Orders as their owners see them, with their hours. Each call rejects with ERR_UNAVAILABLE while the archive is away. */
export type OrderAnswers = Readonly<{
  all(orders: readonly HistoryOrder[]): Promise<Order[]>
  withFiles(order: HistoryOrder): Promise<OrderWithFiles>
  /** Undefined while there is no sample hour. */
  sample(order: SampleOrder): Promise<OrderWithFiles | undefined>
}>

/** @param archive undefined if no hours are archived: then every hour is missing */
export function createOrderAnswers(archive: Archive | undefined, source: SourceKind): OrderAnswers {
  const manifestsOf = ({ source, from, to }: Pick<HistoryOrder, 'source' | 'from' | 'to'>) =>
    listHours(archive, source, from.getTime(), to.getTime())

  return {
    async all(orders) {
      // Several orders of one window are read once.
      const windows = new Map<string, Promise<readonly Manifest[]>>()
      const find = (order: HistoryOrder) => {
        const name = `${order.source} ${order.from.getTime()} ${order.to.getTime()}`
        const found = windows.get(name) ?? manifestsOf(order)
        windows.set(name, found)
        return found
      }
      return Promise.all(orders.map(async (order) => toAnswer(order, await find(order))))
    },
    async withFiles(order) {
      const manifests = await manifestsOf(order)
      return { ...toAnswer(order, manifests), files: toFiles(manifests) }
    },
    async sample({ id, status, downloadToken }) {
      const manifest = await reach(archive?.findSample(source) ?? Promise.resolve(undefined))
      if (!manifest) return undefined
      const { from, to, madeAt: createdAt } = manifest
      return {
        ...{ id, offer: 'hour', from, to, usd: 0, status, createdAt, paidAt: null, expiresAt: null },
        ...{ hours: 1, readyHours: 1, downloadedHours: 0, incompleteHours: 0 },
        ...{ ...sizesOf([manifest]), downloadToken, files: toFiles([manifest]) },
      }
    },
  }
}

function toAnswer(order: HistoryOrder, manifests: readonly Manifest[]): Order {
  const { id, offer, from, to, usd, status, createdAt, paidAt, expiresAt, downloadedHours, downloadToken } =
    order
  return {
    ...{ id, offer, from: timeText(from.getTime()), to: timeText(to.getTime()), usd, status },
    createdAt: createdAt.toISOString(),
    paidAt: paidAt?.toISOString() ?? null,
    expiresAt: expiresAt?.toISOString() ?? null,
    hours: (to.getTime() - from.getTime()) / HOUR_MS,
    readyHours: manifests.length,
    downloadedHours,
    incompleteHours: manifests.filter(({ complete }) => !complete).length,
    ...sizesOf(manifests),
    downloadToken,
  }
}

function toFiles(manifests: readonly Manifest[]): OrderWithFiles['files'] {
  return manifests.map(({ hour, complete, files }) => ({ hour, complete, files }))
}
