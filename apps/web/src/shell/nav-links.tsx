import { Link, useLocation } from 'react-router'
import { useConfig } from '../api/config-store.ts'
import { Icon, type IconName } from '../components/icon.tsx'
import { preloadRoute } from '../routes.ts'

/** The paths that belong to Account, including pages without a menu item of their own. */
const ACCOUNT = /^\/dashboard(\/account)?\/?$/
const OF_ACCOUNT = /^\/dashboard\/(login|register|upgrade|payment)\/?$/

/** The left menu's four items, in the specified order; the same in the rail and in the phone's sheet. */
export function NavLinks({ className }: { className: string }) {
  const { statusUrl } = useConfig()
  const { pathname } = useLocation()
  return (
    <ul className={className}>
      <li>
        <PageLink
          to="/dashboard/account"
          icon="account"
          label="Account"
          current={ACCOUNT.test(pathname) ? 'page' : OF_ACCOUNT.test(pathname) ? 'true' : undefined}
        />
      </li>
      <li>
        <PageLink
          to="/dashboard/console"
          icon="console"
          label="Test Console"
          current={pathname.startsWith('/dashboard/console') ? 'page' : undefined}
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
          current={pathname.startsWith('/dashboard/help') ? 'page' : undefined}
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
