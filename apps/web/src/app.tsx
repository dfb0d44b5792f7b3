import type { ReactNode } from 'react'
import { Navigate, Route, Routes, useLocation } from 'react-router'
import { pages } from './routes.ts'
import { useSession } from './session/session.ts'
import { PageBoundary } from './shell/page-boundary.tsx'
import { Shell } from './shell/shell.tsx'

/** Every address of the dashboard. Any other goes to /404. */
export function App() {
  return (
    <Shell>
      <Routes>
        <Route path="/" element={<Navigate to="/dashboard" replace />} />
        <Route path="/dashboard" element={<ForSignedIn page="account" />} />
        <Route path="/dashboard/account" element={<ForSignedIn page="account" />} />
        <Route path="/dashboard/console" element={<ForSignedIn page="console" />} />
        <Route path="/dashboard/upgrade" element={<ForSignedIn page="upgrade" />} />
        <Route path="/dashboard/historical" element={<ForAll page="shop" />} />
        <Route path="/dashboard/historical/shop" element={<ForAll page="shop" />} />
        <Route path="/dashboard/historical/orders" element={<ForSignedIn page="orders" />} />
        <Route path="/dashboard/guides" element={<ForAll page="guides" />} />
        <Route path="/dashboard/help" element={<ForAll page="help" />} />
        <Route path="/dashboard/login" element={<ForAll page="login" />} />
        <Route path="/dashboard/register" element={<ForAll page="register" />} />
        <Route path="/dashboard/payment" element={<ForAll page="payment" />} />
        <Route path="/logout" element={<ForAll page="logout" />} />
        <Route path="/404" element={<ForAll page="notFound" />} />
        <Route path="*" element={<ToNotFound />} />
      </Routes>
    </Shell>
  )
}

type PageName = keyof typeof pages

function ForAll({ page }: { page: PageName }) {
  const { Page } = pages[page]
  return (
    <Held>
      <Page />
    </Held>
  )
}

/** A page that requires sign-in: signed out, the login form stands in its place and the address stays. */
function ForSignedIn({ page }: { page: PageName }) {
  const session = useSession()
  return <ForAll page={session ? page : 'login'} />
}

function Held({ children }: { children: ReactNode }) {
  const { pathname } = useLocation()
  return <PageBoundary path={pathname}>{children}</PageBoundary>
}

/** Replaces the entry, so that Back leads to the page before; the address that was asked for goes along. */
function ToNotFound() {
  const { pathname } = useLocation()
  return <Navigate to="/404" replace state={{ asked: pathname }} />
}
