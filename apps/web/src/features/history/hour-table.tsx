import type { HistoryAnswer } from '@pairwire/contract/history-answers'
import { formatNumber } from '../../locale/locale.ts'
import { hourWords, sizeWords } from './history-window.ts'

/** The hours of the squares as numbers, newest first. */
export function HourTable({ hours }: { hours: HistoryAnswer['hours'] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section className="panel figures-table history-scroll" aria-label="Hours on sale" tabIndex={0}>
      <table className="num">
        <thead>
          <tr>
            <th scope="col">Hour (UTC)</th>
            <th scope="col">State</th>
            <th scope="col">Swaps</th>
            <th scope="col">New pairs</th>
            <th scope="col">Zip</th>
          </tr>
        </thead>
        <tbody>
          {[...hours].reverse().map(({ hour, state, swaps, pairs, size }) => (
            <tr key={hour}>
              <th scope="row">{hourWords(hour)}</th>
              <td>{state}</td>
              <td>{formatNumber(swaps)}</td>
              <td>{formatNumber(pairs)}</td>
              <td>{sizeWords(size)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
