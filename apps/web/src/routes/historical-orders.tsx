import { Page } from '../components/page.tsx'

export default function HistoricalOrdersRoute() {
  return <Page title="HistoricalOrders">{null}</Page>
}
