/** Methods that a client may send over the stream. */
export const REQUEST_METHODS = [
  'newPairSubscribe',
  'swapSubscribe',
  'latestBlockSubscribe',
  'newPairUnsubscribe',
  'swapUnsubscribe',
  'latestBlockUnsubscribe',
  'updateSubscriptionParams',
  'startSimulation',
  'ping',
  'heartbeat',
] as const

/** One of {@link REQUEST_METHODS}. */
export type RequestMethod = (typeof REQUEST_METHODS)[number]

/** Methods of the frames that carry an event. */
export const NOTIFICATION_METHODS = {
  newPair: 'newPairNotification',
  swap: 'swapNotification',
  latestBlock: 'latestBlockNotification',
} as const

/** The kinds of stream, one subscription of each at most on a connection. */
export type StreamKind = keyof typeof NOTIFICATION_METHODS

/** How sure the chain is of what a subscription is sent: the first where it does not say. */
export const COMMITMENTS = ['confirmed', 'processed'] as const

/** One of {@link COMMITMENTS}. */
export type Commitment = (typeof COMMITMENTS)[number]

/** Frame that says which transactions of a slot are taken back, to who was sent events of them early. */
export const SLOT_DROPPED_NOTIFICATION = 'slotDroppedNotification'

/** Frame that says to every subscription what could not be delivered. */
export const GAP_NOTIFICATION = 'gapNotification'

/** Frame that says of a new pair what became known of its token after it was sent. */
export const PAIR_UPDATE_NOTIFICATION = 'pairUpdateNotification'

/** Frame that answers what cannot be answered by id, shaped as a notification so that older clients ignore it. */
export const REQUEST_FAILED = 'requestFailed'

/** Last frame of a subscription that the gateway ends. */
export const SUBSCRIPTION_CLOSED = 'subscriptionClosed'
