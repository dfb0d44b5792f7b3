import { Page } from '../components/page.tsx'

export default function NotFoundRoute() {
  return <Page title="NotFound">{null}</Page>
}
