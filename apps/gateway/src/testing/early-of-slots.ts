import { eventsOf } from '@pairwire/bus/testing/chain-of-slots'
import { type EarlyMessage, formatSlot, type NotificationEvent } from '@pairwire/contract'

/** Slots by which execution runs ahead of confirmation. */
export const EARLY_LEAD = 2

/** One in every so many transactions of a slot is sent only by its block, and one is sent twice. */
const LOST_EVERY = 9
const TWICE_EVERY = 5
/** One in every so many slots has a first bank that dies, or a transaction that never reaches the chain. */
const DIES_EVERY = 4
const UNDONE_EVERY = 3

/** Returns what two banks of a slot execute ahead of confirmation: some never, some twice, some in vain. */
export function earlyOf(slot: number): EarlyMessage[] {
  const place = { slot: formatSlot({ run: 0, slot }), source: 0 }
  const executed = (event: NotificationEvent, signature: string, bank: number): EarlyMessage => {
    const params = { ...event.params, signature }
    const early = { ...event, params, unplaced: true, commitment: 'processed' }
    return { kind: 'executed', ...place, bank, signature, events: [early as NotificationEvent] }
  }
  const messages: EarlyMessage[] = []
  for (const [at, event] of eventsOf(slot).entries()) {
    if (event.kind === 'latestBlock' || (slot + at) % LOST_EVERY === 0) continue
    const { signature } = event.params
    messages.push(executed(event, signature, 1))
    if ((slot + at) % TWICE_EVERY === 0) messages.push(executed(event, signature, 2))
    if (at === 0 && slot % UNDONE_EVERY === 0) messages.push(executed(event, `undone-${slot}`, 1))
  }
  if (slot % DIES_EVERY === 0) messages.push({ kind: 'died', ...place, bank: 1 })
  return messages
}
