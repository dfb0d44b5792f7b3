import { useQuery } from '@tanstack/react-query'
import { Activity } from 'react'
import { NavLink, Route, Routes, useLocation } from 'react-router'
import { useCall } from '../api/use-call.ts'
import { Button } from '../components/button.tsx'
import { ErrorPanel } from '../components/error-panel.tsx'
import { Page, SERVICE } from '../components/page.tsx'
import { LiveRegions } from '../shell/live-regions.tsx'
import { PageBoundary } from '../shell/page-boundary.tsx'
import { usePageChange } from '../shell/page-change.ts'
import { ThemeButton } from '../shell/theme-button.tsx'
import { MARK } from './brand.ts'
import { callRoom, readLinkToken } from './call-room.ts'
import { CodePrompt } from './code-prompt.tsx'
import { PAGES } from './pages.ts'
import { isSignedOut, sessionQuery } from './room-data.ts'
import { SignIn } from './sign-in.tsx'

/** The operator's room: its frame, and in it the sign-in or a page. */
export function App() {
  const location = useLocation()
  usePageChange(location)
  const { data: session, error, refetch, isFetching } = useQuery(sessionQuery)
  const isOver = session === null || session?.isOver
  const isSigningIn = isOver || (location.pathname === '/sign-in' && readLinkToken() !== '')
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <LiveRegions />
      <TopBar email={isOver ? undefined : session?.email} />
      <div className="wire" />
      <div className="app">
        {session && !isSigningIn ? <Menu /> : <div className="rail" />}
        <main id="main" className="main" tabIndex={-1}>
          {isSigningIn ? <SignIn /> : null}
          {session ? (
            // When the session ends, the page stays behind the sign-in with all that was typed into it.
            <Activity key={session.email} mode={isSigningIn ? 'hidden' : 'visible'}>
              <Pages />
            </Activity>
          ) : null}
          {session === undefined && error ? (
            <Page title="Operator’s room">
              <ErrorPanel
                title={error.message}
                action="Try again"
                busy={isFetching}
                onAction={() => void refetch()}
              />
            </Page>
          ) : null}
        </main>
      </div>
      <CodePrompt />
    </>
  )
}

function TopBar({ email }: { email: string | undefined }) {
  const { run, busy, failure } = useCall(async () => {
    // One that has ended already needs no end.
    await callRoom('session/end', { body: {} }).catch((error) => {
      if (!isSignedOut(error)) throw error
    })
    // Nothing of what was shown or typed remains.
    window.location.replace('/admin')
  })
  return (
    <header className="topbar">
      <NavLink className="brand room-brand" to="/" aria-label={SERVICE}>
        <img src={MARK} width="26" height="26" alt="" />
        <span className="room-name">{SERVICE}</span>
      </NavLink>
      <ThemeButton />
      {email === undefined ? null : (
        <>
          <NavLink className="topbar-link room-me" to="/me">
            {email}
          </NavLink>
          <Button size="sm" busy={busy !== undefined} onClick={() => run()}>
            {failure ? 'Not signed out. Again' : 'Sign out'}
          </Button>
        </>
      )}
    </header>
  )
}

function Menu() {
  return (
    <nav className="rail room-menu" aria-label="Main">
      <ul className="rail-list">
        {PAGES.map(({ path, label, preload }) =>
          label === undefined ? null : (
            <li key={path}>
              <NavLink
                className="nav-item aligned"
                to={path}
                end={path === '/'}
                onPointerEnter={() => void preload()}
              >
                {label}
              </NavLink>
            </li>
          ),
        )}
      </ul>
    </nav>
  )
}

function Pages() {
  const { pathname } = useLocation()
  return (
    <PageBoundary path={pathname} isLate={false}>
      <Routes>
        {PAGES.map(({ path, Page: Shown }) => (
          <Route key={path} path={path} element={<Shown />} />
        ))}
        <Route path="*" element={<Page title="There is no such page">Choose one from the menu.</Page>} />
      </Routes>
    </PageBoundary>
  )
}
