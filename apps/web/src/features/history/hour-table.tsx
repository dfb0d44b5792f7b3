import type { HistoryAnswer } from '@pairwire/contract/history-answers'
import { FiguresHead } from '../../components/figures-head.tsx'
import { formatNumber } from '../../locale/locale.ts'
import { hourWords, sizeWords } from './history-window.ts'

/** The hours of the squares as numbers, newest first. */
export function HourTable({ hours }: { hours: HistoryAnswer['hours'] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region must be reachable by keyboard
    <section className="panel figures-table history-scroll" aria-label="Hours on sale" tabIndex={0}>
      <table className="num">
        <FiguresHead columns={['Hour (UTC)', 'State', 'Swaps', 'New pairs', 'Zip']} />
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
