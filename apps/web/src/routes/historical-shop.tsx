import { HISTORY_OFFERS } from '@pairwire/contract/plans'
import { useConfig } from '../api/config-store.ts'
import { Page } from '../components/page.tsx'
import { HistoryTabs } from '../features/history/history-tabs.tsx'
import { HourField } from '../features/history/hour-field.tsx'

/** /dashboard/historical: what a stretch of history costs. */
export default function HistoricalShopRoute() {
  const { supportEmail } = useConfig()
  return (
    <Page title="Historical data">
      <HistoryTabs />
      <ul className="offers">
        {HISTORY_OFFERS.map(({ id, label, hours, usd }) => (
          <li className="panel offer" key={id}>
            <h2 className="offer-label">{label}</h2>
            <HourField hours={hours} />
            <p className="offer-price">
              <b>{usd}</b> <span className="second">USD</span>
              <span className="num second">${(usd / hours).toFixed(2)} per hour</span>
            </p>
          </li>
        ))}
      </ul>
      <p className="second small">
        Each square is one hour of the last 30 days, newest at the bottom right. To order, write to{' '}
        <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
      </p>
    </Page>
  )
}
