import { useQuery } from '@tanstack/react-query'
import { NavLink, Route, Routes, useLocation, useNavigate } from 'react-router'
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
import { room, sessionQuery } from './room-data.ts'
import { SignIn } from './sign-in.tsx'

/** The operator's room: its frame, and in it the sign-in or a page. */
export function App() {
  const location = useLocation()
  usePageChange(location)
  const { data: session, error, refetch, isFetching } = useQuery(sessionQuery)
  const isSigningIn = session === null || (location.pathname === '/sign-in' && readLinkToken() !== '')
  return (
    <>
      <a className="skip" href="#main">
        Skip to content
      </a>
      <LiveRegions />
      <TopBar email={session?.email} />
      <div className="wire" />
      <div className="app">
        {session && !isSigningIn ? <Menu /> : <div className="rail" />}
        <main id="main" className="main" tabIndex={-1}>
          {isSigningIn ? <SignIn /> : null}
          {session && !isSigningIn ? <Pages /> : null}
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
  const navigate = useNavigate()
  const { run, busy, failure } = useCall(async () => {
    await callRoom('session/end', { body: {} })
    room.clear()
    room.setQueryData(sessionQuery.queryKey, null)
    navigate('/', { replace: true })
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
