import { eventsOf } from '@pairwire/bus/testing/chain-of-slots'
import type { NotificationEvent } from '@pairwire/contract'

/** Milliseconds of a slot: which slots there are is told by the clock. */
export const SLOT_MS = 400

/** The last events of a slot and its block: as many as some forty endpoints take while they fail. */
export function slotEvents(slot: number): readonly NotificationEvent[] {
  return eventsOf(slot).slice(-7)
}
