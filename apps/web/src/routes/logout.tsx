import { Page } from '../components/page.tsx'

export default function LogoutRoute() {
  return <Page title="Logout">{null}</Page>
}
