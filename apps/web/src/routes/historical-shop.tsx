import { HISTORY_OFFERS, type HistoryOffer } from '@pairwire/contract/history-answers'
import { useState } from 'react'
import { useSearchParams } from 'react-router'
import { ErrorPanel } from '../components/error-panel.tsx'
import { lazyPart } from '../components/lazy-part.tsx'
import { Page } from '../components/page.tsx'
import { TableSwitch } from '../components/table-switch.tsx'
import { HistoryTabs } from '../features/history/history-tabs.tsx'
import { OfferCard } from '../features/history/offer-card.tsx'
import { CHOICE_PARAMETER, keepOffer, readOffer } from '../features/history/offer-choice.ts'
import { OfferSummary } from '../features/history/offer-summary.tsx'
import { useHistory } from '../features/history/use-history.ts'

const hourTable = lazyPart(() => import('../features/history/hour-table.tsx'))

/** /dashboard/historical: four lengths of history and the price of each. */
export default function HistoricalShopRoute() {
  const [search, setSearch] = useSearchParams()
  const chosen = readOffer(search.get(CHOICE_PARAMETER))

  const to = search.get('to') || undefined
  const history = useHistory(to)
  const isRefused = history.error?.errorType === 'ERR_VALIDATION'
  const [isTable, setTable] = useState(false)

  const setParameter = (name: string, value?: string) => {
    if (value) search.set(name, value)
    else search.delete(name)
    setSearch(search, { replace: true })
  }
  const choose = (offer: HistoryOffer) => {
    keepOffer(offer)
    setParameter(CHOICE_PARAMETER, offer.id)
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
              hours={history.data?.hours}
              chosen={offer === chosen}
              onChoose={() => choose(offer)}
            />
          ))}
        </div>
      </fieldset>
      {history.error ? (
        <ErrorPanel
          title={history.error.message}
          action={isRefused ? 'Show the newest hours' : 'Try again'}
          busy={history.isFetching}
          onAction={() => (isRefused ? setParameter('to') : history.refetch())}
        />
      ) : null}
      <OfferSummary
        offer={chosen}
        history={history.data}
        to={to ?? history.data?.to}
        settled={!history.isPlaceholderData}
        onEnd={(hour) => setParameter('to', hour)}
      />
      <p className="second small">
        Each square is an hour of the last 30 days, newest at the bottom right. Stronger ones were busier,
        outlined ones are missing, dotted ones incomplete.
      </p>
      {history.data ? (
        <>
          <TableSwitch isTable={isTable} onPress={() => setTable(!isTable)} />
          {isTable ? <hourTable.Part hours={history.data.hours} /> : null}
        </>
      ) : null}
    </Page>
  )
}
