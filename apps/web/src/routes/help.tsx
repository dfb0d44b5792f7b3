import { Page } from '../components/page.tsx'

export default function HelpRoute() {
  return <Page title="Help">{null}</Page>
}
