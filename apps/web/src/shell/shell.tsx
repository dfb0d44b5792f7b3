import { type ReactNode, useEffect, useRef } from 'react'
import { Link, type Location, useMatch, useNavigate } from 'react-router'
import { useConfig } from '../api/config-store.ts'
import { onSessionEnded } from '../api/http-client.ts'
import { LinkButton } from '../components/button.tsx'
import { hasSessionExpired, useSession } from '../session/session.ts'
import { Banners } from './banners.tsx'
import { Brand } from './brand.tsx'
import { LiveRegions } from './live-regions.tsx'
import { NavLinks } from './nav-links.tsx'
import { NavSheet } from './nav-sheet.tsx'
import { usePageChange } from './page-change.ts'
import { ThemeButton } from './theme-button.tsx'
import { Wire } from './wire-line.tsx'
import './shell.css'

/** The frame around every page: top bar, wire, banners, left menu. `drawn` is the address of the page that is shown. */
export function Shell({ children, drawn }: { children: ReactNode; drawn: Location }) {
  usePageChange(drawn)
  useSessionEnd()
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <LiveRegions />
      <TopBar />
      <Wire />
      <Banners />
      <div className="app">
        <nav className="rail" aria-label="Main">
          <NavLinks className="rail-list" />
        </nav>
        <main id="main" className="main" tabIndex={-1} data-clarity-mask="true">
          {children}
        </main>
      </div>
    </>
  )
}

function TopBar() {
  const session = useSession()
  const { registration } = useConfig()
  const registering = useMatch('/dashboard/register')
  return (
    <header className="topbar">
      <NavSheet />
      <Brand />
      <ThemeButton />
      {session ? (
        <>
          <a className="topbar-link" href="/docs">
            Docs
          </a>
          <Link className="topbar-link" to="/logout">
            Sign Out
          </Link>
        </>
      ) : (
        <>
          <LinkButton role="button" className="topbar-button" to="/dashboard/login">
            Sign In
          </LinkButton>
          {registration ? null : (
            <LinkButton
              // On its own page the form's button has this name.
              {...(registering ? { 'aria-current': 'page' } : { role: 'button' })}
              className="topbar-button"
              variant="primary"
              to="/dashboard/register"
            >
              Register
            </LinkButton>
          )}
        </>
      )}
    </header>
  )
}

/**
 * An authenticated call that was answered 401 leads to the sign-out page, which says so; so does a session that is
 * found to have expired while the page is open.
 */
function useSessionEnd(): void {
  const navigate = useNavigate()
  const session = useSession()
  const had = useRef(false)
  useEffect(() => {
    if (had.current && !session && hasSessionExpired()) navigate('/logout', { state: { sessionEnded: true } })
    had.current = session !== undefined
  }, [session, navigate])
  useEffect(() => {
    onSessionEnded(() => {
      // Signed out already, on a page that leaves or on this one: going there would reload again.
      if (!had.current || window.location.pathname === '/logout') return
      navigate('/logout', { state: { sessionEnded: true } })
    })
  }, [navigate])
}
