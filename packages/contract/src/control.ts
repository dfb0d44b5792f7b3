import * as z from 'zod'
import { PairUpdateParams } from './events.ts'

/** A message that concerns all connections of an account. */
const AccountMessage = z.object({
  /**
   * `keyReset`: connections opened with the old key end (4001). `disconnect`: all connections end (4009).
   * `planChanged`: key and plan are read again; without an active plan connections end (4003).
   * `accountDeleted`: as keyReset.
   */
  type: z.enum(['keyReset', 'disconnect', 'planChanged', 'accountDeleted']),
  accountId: z.string(),
})

/** Endpoints of the account's webhooks were changed: their process reads them again. */
const WebhooksMessage = z.object({ type: z.literal('webhooksChanged'), accountId: z.string() })

/** Ends one connection of the account (4009); a gateway that does not hold it does nothing. */
const CloseConnectionMessage = z.object({
  type: z.literal('closeConnection'),
  accountId: z.string(),
  connectionId: z.string(),
})

/** Details of a new pair's token, learned after its event was published. */
const PairUpdateMessage = z.object({
  type: z.literal('pairUpdate'),
  /** Cursor of the pair's event: no client is updated before that was sent. */
  cursor: z.string(),
  /** The filter members that select subscriptions: those that wanted the pair. */
  sourceExchange: z.string(),
  migration: z.string().nullable().optional(),
  creator: z.string().nullable().optional(),
  update: PairUpdateParams,
})
export type PairUpdateMessage = Readonly<z.infer<typeof PairUpdateMessage>>

/** Requests counted against rates at one gateway since its last message: the others deduct them from theirs. */
const SpentMessage = z.object({
  type: z.literal('spent'),
  /** The gateway that reports it. */
  gatewayId: z.string(),
  /** By account, or for `connects` by the gateway's hash of the key. */
  spent: z.record(
    z.string(),
    z.object({
      requests: z.number().nonnegative(),
      requestBytes: z.number().nonnegative(),
      resumes: z.number().nonnegative(),
      connects: z.number().nonnegative(),
      /** Events of a plan's cap, not a rate; negative if more were returned. Absent from older gateways. */
      swaps: z.number().default(0),
    }),
  ),
})
export type SpentMessage = Readonly<z.infer<typeof SpentMessage>>

/** A message to every gateway and api over the bus. It is not an event, and not kept for resuming. */
export const ControlMessage = z.discriminatedUnion('type', [
  AccountMessage,
  WebhooksMessage,
  CloseConnectionMessage,
  PairUpdateMessage,
  SpentMessage,
])
export type ControlMessage = Readonly<z.infer<typeof ControlMessage>>
