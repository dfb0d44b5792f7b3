import { NOTIFICATION_METHODS, type StreamKind } from '@pairwire/contract/methods'
import { type Fields, fieldsIn, isFields } from '../rows/read-event.ts'

/** The kinds of event that the console counts, each asked for by a request of its own. */
export type CountedKind = Exclude<StreamKind, 'latestBlock'>

/** What a subscription asks for: its params as JSON, `{}` without any. */
export type Asked = Readonly<{ kind: CountedKind; params: string }>

/** The kind of stream that a request subscribes to, if it is one subscribe whose events are counted. */
export function subscribedKind(request: string): CountedKind | undefined {
  const { method, params }: Fields = fieldsIn(request) ?? {}
  const isFit = params === undefined || params === null || isFields(params)
  return isFit ? KINDS.find((kind) => method === `${kind}Subscribe`) : undefined
}

/** The request that continues a subscription behind `cursor`; from now on where that is not known, or it is early. */
export function resumedRequest(asked: Asked, cursor: string | undefined): string {
  const { kind, params } = asked
  const resumed = { ...JSON.parse(params), resume_from: isEarly(asked) ? undefined : cursor }
  return JSON.stringify({ id: KINDS.indexOf(kind) + 1, method: `${kind}Subscribe`, params: resumed })
}

/** Whether it asks for events before they are confirmed: those have no place. */
export function isEarly({ params }: Pick<Asked, 'params'>): boolean {
  return JSON.parse(params).commitment === 'processed'
}

const KINDS = (Object.keys(NOTIFICATION_METHODS) as StreamKind[]).filter((kind) => kind !== 'latestBlock')
