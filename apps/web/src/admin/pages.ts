import { type LazyRoute, lazyRoute } from '../shell/lazy-route.tsx'

/** A page of the room; one with a label stands in the menu. */
type RoomPage = LazyRoute & Readonly<{ path: string; label?: string }>

/** Every page of the room below `/admin`, in the order of the menu. */
export const PAGES: readonly RoomPage[] = [
  { path: '/', label: 'Overview', ...lazyRoute(() => import('./pages/overview.tsx')) },
  { path: '/people', label: 'People', ...lazyRoute(() => import('./pages/people.tsx')) },
  { path: '/people/:id', ...lazyRoute(() => import('./pages/person.tsx')) },
  { path: '/connections', label: 'Connections', ...lazyRoute(() => import('./pages/connections.tsx')) },
  { path: '/stream', label: 'Stream', ...lazyRoute(() => import('./pages/stream.tsx')) },
  { path: '/money', label: 'Money', ...lazyRoute(() => import('./pages/money.tsx')) },
  { path: '/notices', label: 'Notices', ...lazyRoute(() => import('./pages/notices.tsx')) },
  { path: '/acts', label: 'Acts', ...lazyRoute(() => import('./pages/acts.tsx')) },
  { path: '/doctor', label: 'Doctor', ...lazyRoute(() => import('./pages/doctor.tsx')) },
  { path: '/me', ...lazyRoute(() => import('./pages/me.tsx')) },
]
