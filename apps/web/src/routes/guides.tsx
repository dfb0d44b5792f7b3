import { Page } from '../components/page.tsx'

/** /dashboard/guides: placeholder text only. */
export default function GuidesRoute() {
  return (
    <Page title="Guides">
      <p className="second">
        Guides are on the way. Until then, see the <a href="/docs">Docs</a>.
      </p>
    </Page>
  )
}
