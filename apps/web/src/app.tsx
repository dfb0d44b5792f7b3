import { Navigate, Route, Routes, useLocation } from 'react-router'
import { login, PAGE_ROUTES, type PageRoute } from './routes.ts'
import { useSession } from './session/session.ts'
import { PageBoundary } from './shell/page-boundary.tsx'
import { PaletteOpener } from './shell/palette-opener.tsx'
import { Shell } from './shell/shell.tsx'

/** Every address of the dashboard. Any other goes to /404. */
export function App() {
  return (
    <Shell>
      <Routes>
        <Route path="/" element={<Navigate to="/dashboard" replace />} />
        {PAGE_ROUTES.map((route) => (
          <Route key={route.path} path={route.path} element={<RoutePage route={route} />} />
        ))}
        <Route path="*" element={<ToNotFound />} />
      </Routes>
      <PaletteOpener load={loadPalette} />
    </Shell>
  )
}

const loadPalette = () => import('./dashboard-palette.tsx')

function RoutePage({ route }: { route: PageRoute }) {
  const session = useSession()
  const { Page } = route.signedIn && !session ? login : route.page
  return (
    <PageBoundary path={route.path}>
      <Page />
    </PageBoundary>
  )
}

/** Replaces the entry, so that Back leads to the page before; the address that was asked for goes along. */
function ToNotFound() {
  const { pathname } = useLocation()
  return <Navigate to="/404" replace state={{ asked: pathname }} />
}
