import { useState } from 'react'
import { useLocation } from 'react-router'
import { LinkButton } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import './not-found.css'

/** /404: the requested address, when it is known, and where to go next. */
export default function NotFoundRoute() {
  const state: unknown = useLocation().state
  const [sent] = useState(readAskedCookie)
  const asked =
    typeof state === 'object' && state !== null && 'asked' in state && typeof state.asked === 'string'
      ? state.asked
      : sent
  return (
    <Page title="Page not found">
      <CutStrand />
      <p className="second">
        {asked === undefined ? (
          'There is nothing at this address.'
        ) : (
          <>
            There is nothing at <bdi className="mono not-found-address">{asked}</bdi>
          </>
        )}
      </p>
      <div className="actions">
        <LinkButton variant="primary" to="/dashboard/account">
          Account
        </LinkButton>
        <LinkButton href="/docs">Docs</LinkButton>
      </div>
    </Page>
  )
}

/** The path that was requested before the server redirected here; its cookie expires by itself after seconds. */
function readAskedCookie(): string | undefined {
  const asked = /(?:^|; )asked=([^;]+)/.exec(document.cookie)?.[1]
  try {
    return asked && decodeURIComponent(asked)
  } catch {
    return undefined
  }
}

/** One strand, cut, with its two ends apart. */
function CutStrand() {
  return (
    <svg className="not-found-cut" viewBox="0 0 420 96" aria-hidden="true" focusable="false">
      <path d="M0 48C40 8 80 8 120 48c18 18 32 27 50 29" />
      <path d="M250 19c18 2 32 11 50 29 40 40 80 40 120 0" />
    </svg>
  )
}
