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

export type RequestMethod = (typeof REQUEST_METHODS)[number]

/** Methods of the frames that carry an event. */
export const NOTIFICATION_METHODS = {
  newPair: 'newPairNotification',
  swap: 'swapNotification',
  latestBlock: 'latestBlockNotification',
} as const

/** The kinds of stream; a connection has at most one subscription of each. */
export type StreamKind = keyof typeof NOTIFICATION_METHODS

/** How sure the chain is of a subscription's events; the first is the default. */
export const COMMITMENTS = ['confirmed', 'processed'] as const

export type Commitment = (typeof COMMITMENTS)[number]

/** Frame that names transactions of a slot that are taken back, to subscriptions that got their events early. */
export const SLOT_DROPPED_NOTIFICATION = 'slotDroppedNotification'

/** Frame that tells every subscription what could not be delivered. */
export const GAP_NOTIFICATION = 'gapNotification'

/** Frame with details of a new pair's token that became known after it was sent. */
export const PAIR_UPDATE_NOTIFICATION = 'pairUpdateNotification'

/** Frame that answers a request without a readable id, shaped as a notification so that older clients ignore it. */
export const REQUEST_FAILED = 'requestFailed'

/** Last frame of a subscription that the gateway ends. */
export const SUBSCRIPTION_CLOSED = 'subscriptionClosed'
