import { Page } from '../components/page.tsx'

export default function RegisterRoute() {
  return <Page title="Register">{null}</Page>
}
