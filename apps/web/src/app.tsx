import { useDeferredValue } from 'react'
import { Navigate, Route, Routes, useLocation } from 'react-router'
import { useLate } from './components/skeleton.tsx'
import { login, PAGE_ROUTES, type PageRoute } from './routes.ts'
import { useSession } from './session/session.ts'
import { PageBoundary } from './shell/page-boundary.tsx'
import { PaletteOpener } from './shell/palette-opener.tsx'
import { Shell } from './shell/shell.tsx'

/** Every address of the dashboard. All others go to /404. */
export function App() {
  const address = useLocation()
  const ready = useDeferredValue(address)
  const isWaiting = ready.pathname !== address.pathname
  const isLate = useLate(LATE_MS, isWaiting)
  const drawn = isWaiting && !isLate ? ready : address
  return (
    <Shell drawn={drawn}>
      <Routes location={drawn}>
        <Route path="/" element={<Navigate to="/dashboard" replace />} />
        {PAGE_ROUTES.map((route) => (
          <Route key={route.path} path={route.path} element={<RoutePage route={route} isLate={isLate} />} />
        ))}
        <Route path="*" element={<ToNotFound />} />
      </Routes>
      <PaletteOpener load={loadPalette} />
    </Shell>
  )
}

const loadPalette = () => import('./dashboard-palette.tsx')

/** Milliseconds that the previous page stays while the code of the next one loads; then a placeholder replaces it. */
const LATE_MS = 200

function RoutePage({ route, isLate }: { route: PageRoute; isLate: boolean }) {
  const session = useSession()
  const { Page } = route.signedIn && !session ? login : route.page
  return (
    <PageBoundary path={route.path} isLate={isLate}>
      <Page />
    </PageBoundary>
  )
}

/** Replaces the history entry, so that Back leads to the previous page; passes on the requested address. */
function ToNotFound() {
  const { pathname } = useLocation()
  return <Navigate to="/404" replace state={{ asked: pathname }} />
}
