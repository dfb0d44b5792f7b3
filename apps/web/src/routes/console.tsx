import { Page } from '../components/page.tsx'

/** /dashboard/console. */
export default function ConsoleRoute() {
  return (
    <Page title="Test Console">
      <p className="second">The console is being built.</p>
    </Page>
  )
}
