import { HISTORY_OFFERS, type HistoryOffer } from '@pairwire/contract/history-answers'
import { keep, readKept } from '../../components/kept.ts'

/** The shop's choice in the address, so that it can be shared and survives signing in. */
export const CHOICE_PARAMETER = 'd'

/** Storage key of this browser's last choice: a mailed login link opens at its own address. */
const KEY = 'historical.choice'

/** Reads the offer that `text` names; `undefined` if none. */
export function readOffer(text: string | null | undefined): HistoryOffer | undefined {
  return HISTORY_OFFERS.find(({ id }) => id === text)
}

/** Reads the choice stored in this browser; `undefined` at the first visit. */
export function keptOffer(): HistoryOffer | undefined {
  return readOffer(readKept(KEY))
}

/** Stores a choice for the next visit. */
export function keepOffer(offer: HistoryOffer): void {
  keep(KEY, offer.id)
}
