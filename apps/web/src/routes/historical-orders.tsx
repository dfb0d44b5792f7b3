import { Link, useLocation } from 'react-router'
import { Page } from '../components/page.tsx'
import { HistoryTabs } from '../features/history/history-tabs.tsx'

/** /dashboard/historical/orders. */
export default function HistoricalOrdersRoute() {
  const { search } = useLocation()
  return (
    <Page title="Historical data" windowTitle="Orders">
      <HistoryTabs />
      <p className="second">
        No orders yet. <Link to={{ pathname: '/dashboard/historical', search }}>See the shop</Link>.
      </p>
    </Page>
  )
}
