import { NavLink } from 'react-router'
import './history.css'

/** The two pages of historical data. */
export function HistoryTabs() {
  return (
    <nav className="history-tabs" aria-label="Historical data">
      <NavLink to="/dashboard/historical" end className="history-tab">
        Shop
      </NavLink>
      <NavLink to="/dashboard/historical/orders" className="history-tab">
        Orders
      </NavLink>
    </nav>
  )
}
