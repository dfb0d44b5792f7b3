import type { HistoryAnswer } from '@pairwire/contract/history-answers'
import { formatBytes, formatNumber } from '../../locale/locale.ts'
import { hourWords } from './history-window.ts'

/** The hours of the squares as numbers, newest first. */
export default function HourTable({ hours }: { hours: HistoryAnswer['hours'] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section className="panel figures-table history-scroll" aria-label="Hours on sale" tabIndex={0}>
      <table className="num">
        <thead>
          <tr>
            {['Hour (UTC)', 'State', 'Swaps', 'New pairs', 'Zip'].map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...hours].reverse().map(({ hour, state, swaps, pairs, size }) => (
            <tr key={hour}>
              <th scope="row">{hourWords(hour)}</th>
              <td>{state}</td>
              <td>{formatNumber(swaps)}</td>
              <td>{formatNumber(pairs)}</td>
              <td>{formatBytes(size)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
