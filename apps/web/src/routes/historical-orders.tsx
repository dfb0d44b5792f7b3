import { SAMPLE_ORDER } from '@pairwire/contract/history-answers'
import { Link, useLocation } from 'react-router'
import { ErrorPanel } from '../components/error-panel.tsx'
import { Page } from '../components/page.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { HistoryTabs } from '../features/history/history-tabs.tsx'
import { OrderPanel } from '../features/history/order-panel.tsx'
import { useOrder, useOrders } from '../features/history/use-history.ts'

/** /dashboard/historical/orders: the sample, which every account has, and the account's orders. */
export default function HistoricalOrdersRoute() {
  const { search } = useLocation()
  const sample = useOrder(SAMPLE_ORDER, true)
  const orders = useOrders()
  // There is none before the first hour is kept.
  const error = orders.error ?? (sample.error?.errorType === 'ERR_NOT_FOUND' ? null : sample.error)
  return (
    <Page title="Historical data" windowTitle="Orders">
      <HistoryTabs />
      {sample.data ? <OrderPanel order={sample.data} /> : null}
      {orders.isPending ? <Skeleton width="100%" height={140} /> : null}
      {error ? (
        <ErrorPanel
          title={error.message}
          action="Try again"
          busy={orders.isFetching || sample.isFetching}
          onAction={() => {
            void orders.refetch()
            void sample.refetch()
          }}
        />
      ) : null}
      {orders.data?.map((order) => (
        <OrderPanel key={order.id} order={order} />
      ))}
      {orders.data?.length === 0 ? (
        <p className="second">
          No orders yet. <Link to={{ pathname: '/dashboard/historical', search }}>See the shop</Link>.
        </p>
      ) : null}
    </Page>
  )
}
