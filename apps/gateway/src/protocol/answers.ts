import {
  GAP_NOTIFICATION,
  type GapNotification,
  PAIR_UPDATE_NOTIFICATION,
  type PairUpdateParams,
  REQUEST_FAILED,
  SLOT_DROPPED_NOTIFICATION,
  type StreamErrorType,
  SUBSCRIPTION_CLOSED,
} from '@pairwire/contract'
import type { StreamFault } from '@pairwire/filter'
import { errorPage } from './stream-fault.ts'

/** Why a subscription ends while its connection stays open. */
export type ClosedErrorType = StreamErrorType | 'REPLAY_ENDED'

/** A message beside events. Its `subscription_id` is at the top, or in `params`. */
export type Notice = Readonly<Record<string, unknown>> & Readonly<{ method: string }>

/** The answer to a successful request. `id` is the source text of the request's id. */
export function resultAnswer(id: string | undefined, result: unknown): string {
  const idMember = id === undefined ? '' : `,"id":${id}`
  return `{"jsonrpc":"2.0"${idMember},"result":${JSON.stringify(result)}}`
}

/** The answer to a request that was refused. */
export function errorAnswer(id: string, fault: StreamFault, docsUrl: string): string {
  const { code, message, errorType, data } = fault
  const error = { code, message, data: { errorType, docs: errorPage(docsUrl, errorType), ...data } }
  return `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`
}

/** The notification for a frame that cannot be answered by id. */
export function failureNotice({ code, message }: StreamFault): string {
  return JSON.stringify({ method: REQUEST_FAILED, params: { code, message } })
}

/** A gap; `too_old`: what lies before a place that a client without answers could not be refused. */
type Gap = Omit<GapNotification['params'], 'subscription_id'>

/** The notice of a gap; `isPlayback` if the replayed stream itself lacks it. */
export function gapNotice(subscriptionId: number, params: Gap, isPlayback = false): Notice {
  const label = isPlayback ? { replay: true } : undefined
  return { ...{ method: GAP_NOTIFICATION, ...label }, params: { subscription_id: subscriptionId, ...params } }
}

/** The notice of new details of a pair that the subscription was sent. */
export function pairUpdateNotice(subscriptionId: number, params: PairUpdateParams): Notice {
  return { method: PAIR_UPDATE_NOTIFICATION, params: { subscription_id: subscriptionId, ...params } }
}

/** The notice of transactions of a slot that are taken back after the subscription was sent their events. */
export function slotDroppedNotice(
  subscriptionId: number,
  slot: number,
  signatures: readonly string[],
): Notice {
  return { method: SLOT_DROPPED_NOTIFICATION, params: { subscription_id: subscriptionId, slot, signatures } }
}

/** The last frame of a subscription that the gateway ends; `errorType` if the connection stays open. */
export function closedNotice(subscriptionId: number, reason: string, errorType?: ClosedErrorType): Notice {
  return { subscription_id: subscriptionId, method: SUBSCRIPTION_CLOSED, reason, errorType }
}
