import { HISTORY_OFFERS, type HistoryOffer } from '@pairwire/contract/plans'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { Page } from '../components/page.tsx'
import { HistoryTabs } from '../features/history/history-tabs.tsx'
import { OfferCard } from '../features/history/offer-card.tsx'
import { CHOICE_PARAMETER, keepOffer, keptOffer, readOffer } from '../features/history/offer-choice.ts'
import { OfferSummary } from '../features/history/offer-summary.tsx'

/** /dashboard/historical: four lengths of history and what each costs. */
export default function HistoricalShopRoute() {
  const [search, setSearch] = useSearchParams()
  const [kept, setKept] = useState(keptOffer)
  const chosen = readOffer(search.get(CHOICE_PARAMETER)) ?? kept

  const choose = (offer: HistoryOffer) => {
    keepOffer(offer)
    setKept(offer)
    setSearch(
      (before) => {
        before.set(CHOICE_PARAMETER, offer.id)
        return before
      },
      { replace: true },
    )
  }

  return (
    <Page title="Historical data">
      <HistoryTabs />
      <fieldset className="offers-group">
        <legend className="unseen">Duration</legend>
        <div className="offers">
          {HISTORY_OFFERS.map((offer) => (
            <OfferCard
              key={offer.id}
              offer={offer}
              chosen={offer === chosen}
              onChoose={() => choose(offer)}
            />
          ))}
        </div>
      </fieldset>
      <OfferSummary offer={chosen} />
      <p className="second small">Each square is one hour of the last 30 days, newest at the bottom right.</p>
    </Page>
  )
}
