import type { Connections, UsageDay } from '@pairwire/contract'
import { FiguresHead } from '../../components/figures-head.tsx'
import { formatNumber } from '../../locale/locale.ts'
import { dayWords } from './day-chart.tsx'
import { facesOf } from './day-faces.tsx'
import { momentWords } from './moment-words.ts'
import { tableCount } from './short-count.ts'

type Column = Readonly<{ name: string; read(day: UsageDay): number }>

const KINDS: readonly Column[] = [
  { name: 'Buys', read: ({ buys }) => buys },
  { name: 'Sells', read: ({ sells }) => sells },
  { name: 'New pairs', read: ({ newPairs }) => newPairs },
]

/** The numbers of the bars and of the strip, newest first, in the space of the chart. */
export function DayTable({ days, spans }: { days: readonly UsageDay[]; spans: Connections['spans'] }) {
  const faces = facesOf(days)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard
    <section className="figures-table day-table" aria-label="Events by day and connected times" tabIndex={0}>
      <Days days={days} columns={KINDS} />
      {faces.length === 0 ? null : <Days days={days} columns={faces} />}
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

function Days({ days, columns }: { days: readonly UsageDay[]; columns: readonly Column[] }) {
  return (
    <table className="num">
      <FiguresHead columns={['Day (UTC)', ...columns.map(({ name }) => name)]} />
      <tbody>
        {[...days].reverse().map((day) => (
          <tr key={day.day}>
            <th scope="row">{dayWords(day.day)}</th>
            {columns.map(({ name, read }) => (
              <td key={name} title={formatNumber(read(day))}>
                {tableCount(read(day))}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
