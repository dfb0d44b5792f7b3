import { Link, useLocation } from 'react-router'
import { ORDERS_PATH } from './pay-order.ts'
import './history.css'

/** The two pages of historical data. The shop's choice stays in the address. */
export function HistoryTabs() {
  const { pathname, search } = useLocation()
  const orders = pathname.startsWith(ORDERS_PATH)
  const tab = (name: string, path: string, isHere: boolean) => (
    <Link to={{ pathname: path, search }} className="history-tab" aria-current={isHere ? 'page' : undefined}>
      {name}
    </Link>
  )
  return (
    <nav className="history-tabs" aria-label="Historical data">
      {tab('Shop', '/dashboard/historical', !orders)}
      {tab('Orders', ORDERS_PATH, orders)}
    </nav>
  )
}
