import * as z from 'zod'
import { NewPairFacts, SwapFacts } from './events/facts.ts'
import { GapParams, LatestBlockParams, NewPairParams, PairUpdateParams, SwapParams } from './events.ts'
import { REQUEST_METHODS } from './methods.ts'

/** A request's envelope. `jsonrpc`, `id` and `params` may be absent, `params` null; unknown members are ignored. */
export const StreamRequest = z.object({
  id: z.unknown().optional(),
  method: z.string(),
  params: z.record(z.string(), z.unknown()).nullish(),
})
export type StreamRequest = z.infer<typeof StreamRequest>

/** The methods that a request may name. */
export const RequestMethodName = z.enum(REQUEST_METHODS)

const Id = z.number().int().positive()

/** A successful answer: to a subscribe, to an unsubscribe or update, to a ping, or to a heartbeat. */
export const StreamResult = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.unknown().optional(),
  result: z.union([
    z.object({
      subscription_id: Id,
      replay: z.object({ from: z.string(), to: z.string(), speed: z.number() }).optional(),
      simulated: z.literal(true).optional(),
    }),
    z.literal(true),
    z.literal('pong'),
    z.object({ message: z.literal('pong') }),
  ]),
})

/** A failed answer. `data.docs` is the address of the page that explains it. */
export const StreamError = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.unknown(),
  error: z.object({
    code: z.number().int(),
    message: z.string(),
    /** `oldest`: the oldest cursor that can be resumed from, if the cursor is the fault; null while there is none. */
    data: z.object({ errorType: z.string(), docs: z.string(), oldest: z.string().nullable().optional() }),
  }),
})

/** The answer to a request without a readable id. */
export const RequestFailed = z.object({
  method: z.literal('requestFailed'),
  params: z.object({ code: z.number().int(), message: z.string() }),
})

/** Last frame of a subscription that the gateway ends. */
export const SubscriptionClosed = z.object({
  subscription_id: Id,
  method: z.literal('subscriptionClosed'),
  reason: z.string(),
  /** Present if only the subscription ends and the connection stays. */
  errorType: z.string().optional(),
})

/** Last message of a stream over HTTP that the gateway ends. */
export const ConnectionClosed = z.object({
  method: z.literal('connectionClosed'),
  /** The close code of a websocket that ends for the same reason. */
  code: z.number().int(),
  reason: z.string(),
})
export type ConnectionClosed = z.infer<typeof ConnectionClosed>

/** Unix milliseconds at which the service received the event and sent it, if the client requested timestamps. */
const times = { receivedAt: z.number().int().optional(), sentAt: z.number().int().optional() }

const notification = <Name extends string, Params extends z.ZodType, Shape extends z.ZodRawShape>(
  method: Name,
  params: Params,
  facts: Shape,
) =>
  z.object({
    subscription_id: Id,
    method: z.literal(method),
    params,
    /** Absent if events come in order of arrival, without a position to resume from. */
    cursor: z.string().optional(),
    /** Present on events that are executed but not confirmed; such frames have no cursor. */
    commitment: z.literal('processed').optional(),
    /** Present on replayed events. */
    replay: z.literal(true).optional(),
    ...facts,
    ...times,
  })

/** A frame that carries an event. */
export const Notification = z.discriminatedUnion('method', [
  // Facts are present if the client requested them.
  notification('newPairNotification', NewPairParams, { facts: NewPairFacts.optional() }),
  notification('swapNotification', SwapParams, { facts: SwapFacts.optional() }),
  notification('latestBlockNotification', LatestBlockParams, {}),
])
export type Notification = z.infer<typeof Notification>

/** What could not be delivered; `too_old` only over HTTP and in webhooks. Older clients ignore an id within `params`. */
export const GapNotification = z.object({
  method: z.literal('gapNotification'),
  replay: z.literal(true).optional(),
  params: GapParams.extend({ subscription_id: Id, cause: GapParams.shape.cause.or(z.literal('too_old')) }),
})
export type GapNotification = z.infer<typeof GapNotification>

/** Details of a new pair's token that became known within a minute of its notification. Not counted, kept or replayed. */
export const PairUpdateNotification = z.object({
  method: z.literal('pairUpdateNotification'),
  params: PairUpdateParams.extend({ subscription_id: Id }),
})
export type PairUpdateNotification = z.infer<typeof PairUpdateNotification>

/**
 * Transactions whose events were sent to a subscription of commitment `processed` but that are not on the chain: their slot
 * died, or has others. The same signature may appear again, in this slot or in another one.
 */
export const SlotDroppedNotification = z.object({
  method: z.literal('slotDroppedNotification'),
  params: z.object({ subscription_id: Id, slot: z.number().int(), signatures: z.array(z.string()) }),
})
export type SlotDroppedNotification = z.infer<typeof SlotDroppedNotification>

/** Any frame that the gateway sends. */
export const StreamFrame = z.union([
  Notification,
  GapNotification,
  PairUpdateNotification,
  SlotDroppedNotification,
  SubscriptionClosed,
  ConnectionClosed,
  RequestFailed,
  StreamError,
  StreamResult,
])
export type StreamFrame = z.infer<typeof StreamFrame>
