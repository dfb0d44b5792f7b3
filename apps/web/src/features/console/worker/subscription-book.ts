import { readObject } from '@pairwire/basics/json'
import { SUBSCRIPTION_CLOSED } from '@pairwire/contract/methods'
import { type ChartBuckets, createChartBuckets } from '../feed/chart-buckets.ts'
import { type Fields, fieldsOf } from '../feed/read-event.ts'
import { type Asked, type CountedKind, isEarly, subscribedKind } from '../feed/resumed-request.ts'
import type { OpenSubscription } from '../feed/worker-messages.ts'

/** Unanswered requests remembered; the oldest is dropped. */
const MOST_PENDING = 100

type Open = {
  id: number
  kind: CountedKind
  params: string
  received: number
  openedAt: number
  buckets: ChartBuckets
}

/** A request that changes the book; `opens` for a subscribe. */
type Pending = Readonly<{
  id: string | undefined
  kind: CountedKind | ''
  opens: Asked | undefined
  act: (result: unknown, now: number) => void
}>

/** Result of {@link createSubscriptionBook}. */
export type SubscriptionBook = ReturnType<typeof createSubscriptionBook>

/**
 * Tracks which subscriptions are open on the connection, from requests and answers, and counts their events. Times are
 * Unix milliseconds and are passed in.
 *
 *     sent --answered with subscription_id--> open --unsubscribe answered, subscriptionClosed--> gone
 */
export function createSubscriptionBook() {
  const open = new Map<number, Open>()
  /** Subscriptions that the server has closed, each with its sentence. */
  let closed: (Asked & { reason: string })[] = []
  let pending: Pending[] = []

  return {
    /** Records a sent request. */
    sent(text: string): void {
      const request = readObject(text)
      if (!request) return
      const { id, method, params } = request
      const kind = subscribedKind(text)
      const opens = kind && { kind, params: JSON.stringify(fieldsOf(params)) }
      const act = actOf(opens, String(method), fieldsOf(params))
      const about = kind ?? open.get(Number(fieldsOf(params).subscription_id))?.kind ?? ''
      pending.push({ id: id === undefined ? undefined : JSON.stringify(id), kind: about, opens, act })
      if (pending.length > MOST_PENDING) pending.shift()
    },
    /**
     * Records a frame that is no event.
     *
     * @returns for an answer whether it accepts, and the requested kind of stream; empty if there was none
     */
    heard(text: string, now: number): Readonly<{ isAccepted: boolean; kind: CountedKind | '' }> | undefined {
      const frame = readObject(text)
      if (!frame) return
      if (frame.method === SUBSCRIPTION_CLOSED) {
        const id = Number(frame.subscription_id)
        const ended = open.get(id)
        if (ended) closed.push({ kind: ended.kind, params: ended.params, reason: String(frame.reason) })
        open.delete(id)
        return
      }
      if (!('result' in frame) && !('error' in frame)) return
      const id = frame.id === undefined ? undefined : JSON.stringify(frame.id)
      const at = pending.findIndex((request) => request.id === id)
      const [answered] = at < 0 ? [] : pending.splice(at, 1)
      const isAccepted = 'result' in frame
      if (isAccepted) answered?.act(frame.result, now)
      return { isAccepted, kind: answered?.kind ?? '' }
    },
    /** Records the frame of an event. */
    counted(kind: CountedKind, text: string, now: number): void {
      const subscription =
        open.get(subscriptionIdOf(text)) ?? [...open.values()].find((one) => one.kind === kind)
      if (!subscription) return
      subscription.received++
      subscription.buckets.add(0, now)
    },
    /** In order of opening. */
    read: (now: number): OpenSubscription[] =>
      [...open.values()].map(({ id, kind, params, received, openedAt, buckets }) => {
        return { id, kind, params, received, perSecond: buckets.perSecond(now, openedAt) }
      }),
    /** The subscriptions at the connection's end with `reason`: open, unanswered, or closed by that end. */
    standing(reason: string): readonly Asked[] {
      const asked = pending.flatMap(({ opens }) => opens ?? [])
      const ended = closed.filter((one) => {
        const [sentence = '', place] = one.reason.split(/ ?resume_from: /)
        return place !== undefined || (sentence !== '' && reason.startsWith(sentence))
      })
      return [...open.values(), ...asked, ...ended].filter(
        (one, at, all) => all.findIndex((other) => isAlike(one, other)) === at,
      )
    },
    /** The connection has ended. */
    forget(): void {
      open.clear()
      closed = []
      pending = []
    },
  }

  function actOf(opens: Asked | undefined, method: string, params: Fields): Pending['act'] {
    if (opens) {
      return (result, now) => {
        const id = Number(fieldsOf(result).subscription_id)
        if (!Number.isSafeInteger(id)) return
        open.set(id, {
          id,
          ...opens,
          received: 0,
          openedAt: now,
          buckets: createChartBuckets(),
        })
      }
    }
    const id = Number(params.subscription_id)
    if (method.endsWith('Unsubscribe')) return () => void open.delete(id)
    if (method !== 'updateSubscriptionParams') return () => {}
    return () => {
      const subscription = open.get(id)
      if (!subscription) return
      const { commitment } = JSON.parse(subscription.params)
      subscription.params = JSON.stringify({ ...fieldsOf(params.params ?? params.update), commitment })
    }
  }
}

/** Whether both have the same kind and commitment, of which a connection has one. */
function isAlike(one: Asked, other: Asked): boolean {
  return one.kind === other.kind && isEarly(one) === isEarly(other)
}

const ID = '"subscription_id":'

/** Finds the id in an event's frame. A quote in a string is always escaped, so the mark cannot occur in a name. */
function subscriptionIdOf(text: string): number {
  const at = text.indexOf(ID)
  return at < 0 ? Number.NaN : Number.parseInt(text.slice(at + ID.length, at + ID.length + 16), 10)
}
