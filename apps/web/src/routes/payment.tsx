import { Page } from '../components/page.tsx'

export default function PaymentRoute() {
  return <Page title="Payment">{null}</Page>
}
