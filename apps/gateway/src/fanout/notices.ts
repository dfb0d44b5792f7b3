import type { GapParams, PairUpdateMessage } from '@pairwire/contract'
import { wantsPairOf } from '@pairwire/filter'
import { gapNotice, type Notice, pairUpdateNotice, slotDroppedNotice } from '../protocol/answers.ts'
import type { TakenBack } from './early-ledger.ts'
import type { Member } from './hub-member.ts'

/** Messages for a member besides events. They do not count as delivered. */
export type Notices = (member: Member) => readonly Notice[]

/** Reports a gap to every subscription that is not over, whatever its filter. */
export function gapNotices(params: GapParams): Notices {
  return ({ held }) => [...held.values()].flatMap(({ id, isOver }) => (isOver ? [] : gapNotice(id, params)))
}

/** Reports which transactions that a member was sent early are taken back. */
export function takenBackNotices({ slot, events }: TakenBack): Notices {
  return ({ held, record }) =>
    [...(record?.signaturesOf(events) ?? [])].flatMap(([kind, signatures]) => {
      const subscription = held.get(kind)
      return subscription ? [slotDroppedNotice(subscription.id, slot, [...signatures])] : []
    })
}

/** Sends updates of the pairs that a member wanted. */
export function updateNotices(updates: readonly PairUpdateMessage[]): Notices {
  return ({ held }) => {
    const subscription = held.get('newPair')
    if (!subscription) return []
    const { id, interest } = subscription
    return updates
      .filter((pair) => wantsPairOf(interest, pair))
      .map(({ update }) => pairUpdateNotice(id, update))
  }
}
