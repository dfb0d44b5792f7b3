import type { Order } from '@pairwire/contract/history-answers'
import type { BadgeTone } from '../../components/badge.tsx'
import type { IconName } from '../../components/icon.tsx'

/** Returns the state of an order in a word, and its colour. */
export function orderLook({
  status,
  hours,
  readyHours,
}: Pick<Order, 'status' | 'hours' | 'readyHours'>): Look {
  if (status !== 'paid') return LOOKS[status]
  if (readyHours >= hours) return READY
  return { words: `Preparing ${Math.floor((readyHours / hours) * 100)} %`, tone: 'info', icon: 'clock' }
}

type Look = Readonly<{ words: string; tone: BadgeTone; icon?: IconName }>

const READY: Look = { words: 'Ready', tone: 'success', icon: 'check' }

/** Every state except `paid`, which is ready or in preparation, depending on its hours. */
const LOOKS: Readonly<Record<Exclude<Order['status'], 'paid'>, Look>> = {
  sample: READY,
  awaiting_payment: { words: 'Waiting for payment', tone: 'warning', icon: 'clock' },
  lapsed: { words: 'Not paid', tone: 'quiet' },
  failed: { words: 'Failed', tone: 'danger', icon: 'warning' },
  refunded: { words: 'Refunded', tone: 'quiet' },
  expired: { words: 'Expired', tone: 'quiet' },
}
