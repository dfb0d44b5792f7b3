import { isObject, readObject } from '@pairwire/basics/json'
import { NOTIFICATION_METHODS, type StreamKind } from '@pairwire/contract/methods'
import type { Fields } from './read-event.ts'

/** The kinds of event that the console counts, each with its own request. */
export type CountedKind = Exclude<StreamKind, 'latestBlock'>

/** What a subscription requests: its params as JSON, `{}` without any. */
export type Asked = Readonly<{ kind: CountedKind; params: string }>

/** Returns the kind of stream of a request, if it is one subscribe to counted events. */
export function subscribedKind(request: string): CountedKind | undefined {
  const { method, params }: Fields = readObject(request) ?? {}
  const isFit = params === undefined || params === null || isObject(params)
  return isFit ? KINDS.find((kind) => method === `${kind}Subscribe`) : undefined
}

/** Makes the request that continues a subscription after `cursor`; from now on if that is unknown, or it is early. */
export function resumedRequest(asked: Asked, cursor: string | undefined): string {
  const { kind, params } = asked
  const resumed = { ...JSON.parse(params), resume_from: isEarly(asked) ? undefined : cursor }
  return JSON.stringify({ id: KINDS.indexOf(kind) + 1, method: `${kind}Subscribe`, params: resumed })
}

/** Whether it requests unconfirmed events: those have no cursor. */
export function isEarly({ params }: Pick<Asked, 'params'>): boolean {
  return JSON.parse(params).commitment === 'processed'
}

const KINDS = (Object.keys(NOTIFICATION_METHODS) as StreamKind[]).filter((kind) => kind !== 'latestBlock')
