// biome-ignore-all lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard

import { FiguresHead } from '../../../components/figures-head.tsx'
import { BUCKETS, SERIES } from '../feed/chart-buckets.ts'
import { feed } from '../feed/feed.ts'
import type { ChartView } from '../feed/feed-view.ts'
import { useSecond } from '../feed/second.ts'
import { figures } from '../figures.ts'

/** The chart's minute as numbers, three seconds per row, the newest first; rewritten each second. */
export default function ChartTable() {
  useSecond()
  const rows = sumRows(feed.read().chart)
  return (
    <section className="figures-table chart-table" tabIndex={0} aria-label="Chart as a table">
      <table>
        <caption className="unseen">Events of the last 60 seconds</caption>
        <FiguresHead columns={['Seconds ago', 'Buy', 'Sell', 'New pairs']} />
        <tbody className="num">
          {rows.map((sums, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows are identified only by their position
            <tr key={row}>
              <th scope="row">
                {row * ROW_SECONDS} to {(row + 1) * ROW_SECONDS}
              </th>
              {sums.map((sum, series) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: as above
                <td key={series}>{figures.whole(sum)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const ROW_SECONDS = 3
const ROWS = 60 / ROW_SECONDS

/** Sums buys, sells and new pairs of each row, the newest first. */
function sumRows({ buckets, starts, at }: ChartView): readonly (readonly [number, number, number])[] {
  const rows = Array.from({ length: ROWS }, (): [number, number, number] => [0, 0, 0])
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const row = rows[Math.floor(Math.max(0, at - starts[bucket]!) / (ROW_SECONDS * 1000))]
    if (row) for (const series of [0, 1, 2] as const) row[series] += buckets[bucket * SERIES + series]!
  }
  return rows
}
