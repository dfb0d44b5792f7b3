import { Page } from '../components/page.tsx'

export default function HistoricalShopRoute() {
  return <Page title="HistoricalShop">{null}</Page>
}
