import { Page } from '../components/page.tsx'

export default function LoginRoute() {
  return <Page title="Login">{null}</Page>
}
