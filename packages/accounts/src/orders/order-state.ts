/**
 * The life of an order of history.
 *
 *     awaiting_payment ──── charged ────▶ paid ◀──── whole ──── failed
 *            │                            ▲  └────── short ────────▲
 *            │ lapsed                     │
 *            ▼                            │
 *          lapsed ─────── charged ────────┘
 *
 *     refunded leads from everywhere to refunded, and restored back to paid.
 */
export const ORDER_STATES = ['awaiting_payment', 'paid', 'lapsed', 'failed', 'refunded'] as const
export type OrderState = (typeof ORDER_STATES)[number]

/**
 * What moves an order. `lapsed`: a day has passed without a payment. `short`, `whole`: hours of its window cannot be had,
 * or all are there. `refunded`: the whole of the money went back, by a refund or a chargeback. `restored`: a chargeback was
 * reversed.
 */
export type OrderInput = 'charged' | 'lapsed' | 'short' | 'whole' | 'refunded' | 'restored'

/** Every state with every input: the compiler demands each cell. */
const TABLE: Readonly<Record<OrderState, Readonly<Record<OrderInput, OrderState>>>> = {
  awaiting_payment: {
    charged: 'paid',
    lapsed: 'lapsed',
    short: 'awaiting_payment',
    whole: 'awaiting_payment',
    refunded: 'refunded',
    restored: 'awaiting_payment',
  },
  paid: {
    charged: 'paid',
    lapsed: 'paid',
    short: 'failed',
    whole: 'paid',
    refunded: 'refunded',
    restored: 'paid',
  },
  lapsed: {
    charged: 'paid',
    lapsed: 'lapsed',
    short: 'lapsed',
    whole: 'lapsed',
    refunded: 'refunded',
    restored: 'lapsed',
  },
  failed: {
    charged: 'failed',
    lapsed: 'failed',
    short: 'failed',
    whole: 'paid',
    refunded: 'refunded',
    restored: 'failed',
  },
  refunded: {
    charged: 'refunded',
    lapsed: 'refunded',
    short: 'refunded',
    whole: 'refunded',
    refunded: 'refunded',
    restored: 'paid',
  },
}

/** The state after `input`. */
export function nextOrderState(state: OrderState, input: OrderInput): OrderState {
  return TABLE[state][input]
}

/** Whether the money for an order of this state is with us. */
export function isPaidFor(state: OrderState): boolean {
  return state === 'paid' || state === 'failed'
}
