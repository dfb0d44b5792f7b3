import { Link } from 'react-router'
import { Page } from '../components/page.tsx'
import { HistoryTabs } from '../features/history/history-tabs.tsx'

/** /dashboard/historical/orders. */
export default function HistoricalOrdersRoute() {
  return (
    <Page title="Historical data">
      <HistoryTabs />
      <p className="second">
        No orders yet. <Link to="/dashboard/historical">See the shop</Link>.
      </p>
    </Page>
  )
}
