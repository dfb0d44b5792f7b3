import { HISTORY_OFFERS, type HistoryOffer } from '@pairwire/contract/history-answers'
import { keep, readKept } from '../../components/kept.ts'

/** The shop's choice in the address, so that it can be shared and is there again after signing in. */
export const CHOICE_PARAMETER = 'd'

/** Where the last choice of this browser is kept: a mailed login link opens at an address of its own. */
const KEY = 'historical.choice'

/** The offer that `text` names; `undefined` where it names none. */
export function readOffer(text: string | null | undefined): HistoryOffer | undefined {
  return HISTORY_OFFERS.find(({ id }) => id === text)
}

/** The choice kept in this browser; `undefined` at the first visit. */
export function keptOffer(): HistoryOffer | undefined {
  return readOffer(readKept(KEY))
}

/** Keeps a choice for the next visit. */
export function keepOffer(offer: HistoryOffer): void {
  keep(KEY, offer.id)
}
