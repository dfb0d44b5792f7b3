import { useLayoutEffect, useState } from 'react'
import { useLocation } from 'react-router'
import { api } from '../api/api.ts'
import { isServerThere } from '../api/http-client.ts'
import { LinkButton } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { drafts } from '../features/webhooks/draft.ts'
import { isReloaded, markReloaded } from '../session/reload-mark.ts'
import { signOut } from '../session/session.ts'
import { resetChat } from '../third-parties/chat.ts'

/** Milliseconds that the reload waits for the server's answer; the call continues after that. */
const SERVER_WAIT_MS = 1_000

/**
 * /logout: ends the session at the server, forgets it whether or not that succeeds, reloads the page once so that
 * nothing of it stays in memory, then says so. What was typed stays if the session ended by itself.
 */
export default function LogoutRoute() {
  const state: unknown = useLocation().state
  /** No server to reload from: the browser's own error page would replace this one. */
  const [isAway, setAway] = useState(false)
  const hasEnded = typeof state === 'object' && state !== null && 'sessionEnded' in state

  useLayoutEffect(() => {
    resetChat()
    if (!hasEnded) drafts.write({})
    // Begun while the session can still be sent along.
    const ended = api.logout().catch(() => {})
    signOut()
    const marked = markReloaded(window.history.state)
    if (!marked) return
    window.history.replaceState(marked, '')
    const waited = new Promise((resolve) => setTimeout(resolve, SERVER_WAIT_MS))
    void Promise.race([ended, waited])
      .then(isServerThere)
      .then((isThere) => (isThere ? window.location.reload() : setAway(true)))
  }, [hasEnded])

  if (!isReloaded(state) && !isAway) return null
  return (
    <Page title="You are signed out">
      {hasEnded ? <p className="second">Your session ended. Sign in again.</p> : null}
      <div>
        <LinkButton variant="primary" to="/dashboard/login">
          Sign In
        </LinkButton>
      </div>
    </Page>
  )
}
