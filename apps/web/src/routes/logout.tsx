import { useLayoutEffect } from 'react'
import { useLocation } from 'react-router'
import { LinkButton } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { signOut } from '../session/session.ts'

/** Marks the history entry, which outlives the reload: it is what keeps the reload from coming twice. */
const RELOADED = 'reloaded'

/** /logout: forgets the session, reloads the page once so that nothing of it stays in memory, then says so. */
export default function LogoutRoute() {
  const state = readState(useLocation().state)
  const reloaded = state[RELOADED] === true

  useLayoutEffect(() => {
    signOut()
    // The router keeps a location's state under `usr` of the entry's own.
    const entry = readState(window.history.state)
    const kept = readState(entry.usr)
    if (kept[RELOADED] === true) return
    window.history.replaceState({ ...entry, usr: { ...kept, [RELOADED]: true } }, '')
    window.location.reload()
  }, [])

  if (!reloaded) return null
  return (
    <Page title="You are signed out">
      {state.sessionEnded === true ? <p className="second">Your session ended. Sign in again.</p> : null}
      <div>
        <LinkButton variant="primary" to="/dashboard/login">
          Sign in
        </LinkButton>
      </div>
    </Page>
  )
}

function readState(state: unknown): Record<string, unknown> {
  return typeof state === 'object' && state !== null ? (state as Record<string, unknown>) : {} // any name may be asked
}
