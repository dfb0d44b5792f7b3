import type { ORDER_STATES } from '../database/schema.ts'

/**
 * The life of an order of history.
 *
 *     awaiting_payment ──── charged ────▶ paid ◀──── whole ──── failed
 *            │                            ▲  └────── short ────────▲
 *            │ lapsed                     │
 *            ▼                            │
 *          lapsed ─────── charged ────────┘
 *
 *     refunded leads from every state to refunded, and restored back to paid.
 */
export type OrderState = (typeof ORDER_STATES)[number]

/** Inputs that change the state of an order. */
const INPUTS = [
  /** Its payment arrived. */
  'charged',
  /** A day has passed without a payment. */
  'lapsed',
  /** Hours of its window cannot be delivered. */
  'short',
  /** All of its hours exist. */
  'whole',
  /** The whole payment was returned, by a refund or a chargeback. */
  'refunded',
  /** A chargeback was reversed. */
  'restored',
] as const
export type OrderInput = (typeof INPUTS)[number]

/** The state after each of {@link INPUTS}. */
type Row<Inputs extends readonly unknown[]> = { readonly [At in keyof Inputs]: OrderState }

/** Every state with every input: the compiler demands each cell. */
const TABLE: Readonly<Record<OrderState, Row<typeof INPUTS>>> = {
  awaiting_payment: [
    'paid',
    'lapsed',
    'awaiting_payment',
    'awaiting_payment',
    'refunded',
    'awaiting_payment',
  ],
  paid: ['paid', 'paid', 'failed', 'paid', 'refunded', 'paid'],
  lapsed: ['paid', 'lapsed', 'lapsed', 'lapsed', 'refunded', 'lapsed'],
  failed: ['failed', 'failed', 'failed', 'paid', 'refunded', 'failed'],
  refunded: ['refunded', 'refunded', 'refunded', 'refunded', 'refunded', 'paid'],
}

/** The state after `input`. */
export function nextOrderState(state: OrderState, input: OrderInput): OrderState {
  return TABLE[state][INPUTS.indexOf(input)]!
}

/** Whether we hold the money for an order in this state. */
export function isPaidFor(state: OrderState): boolean {
  return state === 'paid' || state === 'failed'
}
