import { Link, useLocation } from 'react-router'
import './history.css'

/** The two pages of historical data. The shop's choice stays in the address. */
export function HistoryTabs() {
  const { pathname, search } = useLocation()
  const orders = pathname.startsWith('/dashboard/historical/orders')
  return (
    <nav className="history-tabs" aria-label="Historical data">
      <Link
        to={{ pathname: '/dashboard/historical', search }}
        className="history-tab"
        aria-current={orders ? undefined : 'page'}
      >
        Shop
      </Link>
      <Link
        to={{ pathname: '/dashboard/historical/orders', search }}
        className="history-tab"
        aria-current={orders ? 'page' : undefined}
      >
        Orders
      </Link>
    </nav>
  )
}
