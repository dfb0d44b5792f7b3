import { HISTORY_OFFERS, type HistoryOffer } from '@pairwire/contract/history-answers'
import { keep, readKept } from '../../components/kept.ts'

/** The shop's choice in the address, so that it can be shared and survives signing in. */
export const CHOICE_PARAMETER = 'd'

/** Storage key of this browser's last choice: a mailed login link opens at its own address. */
const KEY = 'historical.choice'

/** Finds the offer that `text` names, or the choice stored in this browser; `undefined` if neither. */
export function readOffer(text: string | null): HistoryOffer | undefined {
  const named = (name: string | null | undefined) => HISTORY_OFFERS.find(({ id }) => id === name)
  return named(text) ?? named(readKept(KEY))
}

/** Stores a choice for the next visit. */
export function keepOffer(offer: HistoryOffer): void {
  keep(KEY, offer.id)
}
