import { useLayoutEffect } from 'react'
import { useLocation } from 'react-router'
import { LinkButton } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { isReloaded, markReloaded } from '../session/reload-mark.ts'
import { signOut } from '../session/session.ts'
import { resetChat } from '../third-parties/chat.ts'

/** /logout: forgets the session, reloads the page once so that nothing of it stays in memory, then says so. */
export default function LogoutRoute() {
  const state: unknown = useLocation().state

  useLayoutEffect(() => {
    resetChat()
    signOut()
    const marked = markReloaded(window.history.state)
    if (!marked) return
    window.history.replaceState(marked, '')
    window.location.reload()
  }, [])

  if (!isReloaded(state)) return null
  const ended = typeof state === 'object' && state !== null && 'sessionEnded' in state
  return (
    <Page title="You are signed out">
      {ended ? <p className="second">Your session ended. Sign in again.</p> : null}
      <div>
        <LinkButton variant="primary" to="/dashboard/login">
          Sign In
        </LinkButton>
      </div>
    </Page>
  )
}
