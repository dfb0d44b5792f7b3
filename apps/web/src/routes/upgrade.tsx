import { Page } from '../components/page.tsx'

export default function UpgradeRoute() {
  return <Page title="Upgrade">{null}</Page>
}
