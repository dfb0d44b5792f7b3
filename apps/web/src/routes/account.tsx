import { Page } from '../components/page.tsx'

export default function AccountRoute() {
  return <Page title="Account">{null}</Page>
}
