import type { Connections, UsageDay } from '@pairwire/contract'
import { FiguresHead } from '../../components/figures-head.tsx'
import { formatNumber } from '../../locale/locale.ts'
import { dayWords } from './day-chart.tsx'
import { momentWords } from './moment-words.ts'
import { tableCount } from './short-count.ts'

/** The numbers of the bars and of the strip, newest first, in the space of the chart. */
export function DayTable({ days, spans }: { days: readonly UsageDay[]; spans: Connections['spans'] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="figures-table day-table" aria-label="Events by day and connected times" tabIndex={0}>
      <table className="num">
        <FiguresHead columns={['Day (UTC)', 'Buys', 'Sells', 'New pairs']} />
        <tbody>
          {[...days].reverse().map(({ day, buys, sells, newPairs }) => (
            <tr key={day}>
              <th scope="row">{dayWords(day)}</th>
              <td title={formatNumber(buys)}>{tableCount(buys)}</td>
              <td title={formatNumber(sells)}>{tableCount(sells)}</td>
              <td title={formatNumber(newPairs)}>{tableCount(newPairs)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {spans.length === 0 ? null : (
        <table className="num">
          <FiguresHead columns={['Connected from', 'To']} />
          <tbody>
            {[...spans].reverse().map(({ from, to }) => (
              <tr key={from}>
                <th scope="row">{momentWords(from)}</th>
                <td>{momentWords(to)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
