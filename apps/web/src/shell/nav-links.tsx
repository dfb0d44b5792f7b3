import { Link, matchPath, useLocation } from 'react-router'
import { useConfig } from '../api/config-store.ts'
import { Icon, type IconName } from '../components/icon.tsx'
import { preloadRoute } from '../routes.ts'

/** The pages that belong to Account, including those without a menu item of their own. */
const ACCOUNT = ['/dashboard', '/dashboard/account']
const OF_ACCOUNT = ['login', 'register', 'upgrade', 'payment'].map((name) => `/dashboard/${name}`)

/** The left menu's four items, in the specified order; the same in the rail and in the phone's sheet. */
export function NavLinks({ className }: { className: string }) {
  const { statusUrl } = useConfig()
  const { pathname } = useLocation()
  const isAt = (...pages: readonly string[]) => pages.some((page) => matchPath(page, pathname))
  return (
    <ul className={className}>
      <li>
        <PageLink
          to="/dashboard/account"
          icon="account"
          label="Account"
          current={isAt(...ACCOUNT) ? 'page' : isAt(...OF_ACCOUNT) ? 'true' : undefined}
        />
      </li>
      <li>
        <PageLink
          to="/dashboard/console"
          icon="console"
          label="Test Console"
          current={isAt('/dashboard/console') ? 'page' : undefined}
        />
      </li>
      <li>
        {/* The title is its description: its name stays exactly as specified. */}
        <a
          className="nav-item aligned"
          href={statusUrl}
          target="_blank"
          rel="noopener"
          title="Opens in a new tab"
        >
          <Icon name="status" />
          System Status
          <span className="nav-external">
            <Icon name="external" size={15} />
          </span>
        </a>
      </li>
      <li>
        <PageLink
          to="/dashboard/help"
          icon="help"
          label="Help"
          current={isAt('/dashboard/help') ? 'page' : undefined}
        />
      </li>
    </ul>
  )
}

type PageLinkProps = { to: string; icon: IconName; label: string; current: 'page' | 'true' | undefined }

function PageLink({ to, icon, label, current }: PageLinkProps) {
  const preload = () => void preloadRoute(to)
  return (
    <Link
      to={to}
      className="nav-item aligned"
      aria-current={current}
      onPointerEnter={preload}
      onFocus={preload}
    >
      <Icon name={icon} />
      {label}
    </Link>
  )
}
