import { Page } from '../components/page.tsx'

/** /dashboard/guides: placeholder text only. */
export default function GuidesRoute() {
  return (
    <Page title="Guides">
      <p className="second">
        Guides will appear on this page. For now, read them in the <a href="/docs">Docs</a>.
      </p>
    </Page>
  )
}
