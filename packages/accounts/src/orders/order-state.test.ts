import { describe, expect, it } from 'vitest'
import { ORDER_STATES } from '../database/schema.ts'
import { isPaidFor, nextOrderState, type OrderInput, type OrderState } from './order-state.ts'

/** The expected state of each cell of the table; `stays` for no change. */
const CELLS: Readonly<Record<OrderState, Readonly<Record<OrderInput, OrderState | 'stays'>>>> = {
  awaiting_payment: {
    charged: 'paid',
    lapsed: 'lapsed',
    short: 'stays',
    whole: 'stays',
    refunded: 'refunded',
    restored: 'stays',
  },
  paid: {
    charged: 'stays',
    lapsed: 'stays',
    short: 'failed',
    whole: 'stays',
    refunded: 'refunded',
    restored: 'stays',
  },
  lapsed: {
    charged: 'paid',
    lapsed: 'stays',
    short: 'stays',
    whole: 'stays',
    refunded: 'refunded',
    restored: 'stays',
  },
  failed: {
    charged: 'stays',
    lapsed: 'stays',
    short: 'stays',
    whole: 'paid',
    refunded: 'refunded',
    restored: 'stays',
  },
  refunded: {
    charged: 'stays',
    lapsed: 'stays',
    short: 'stays',
    whole: 'stays',
    refunded: 'stays',
    restored: 'paid',
  },
}

describe('the table of order states', () => {
  for (const state of ORDER_STATES) {
    for (const input of Object.keys(CELLS[state]) as OrderInput[]) {
      const wanted = CELLS[state][input]

      it(`${state} with ${input} leads to ${wanted === 'stays' ? state : wanted}`, () => {
        expect(nextOrderState(state, input)).toBe(wanted === 'stays' ? state : wanted)
      })
    }
  }

  it('counts the money of paid and failed orders as ours', () => {
    expect(ORDER_STATES.filter(isPaidFor)).toEqual(['paid', 'failed'])
  })
})
