// biome-ignore-all lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
import { BUCKET_MS, BUCKETS, SERIES } from './chart-buckets.ts'
import type { ConsoleFeed } from './console-feed.ts'
import { figures } from './figures.ts'
import { useSecond } from './second.ts'

/** The chart's minute as numbers, three seconds a row, the newest first; written anew each second. */
export default function ChartTable({ feed }: { feed: ConsoleFeed }) {
  useSecond()
  const rows = sumRows(feed.chart.read().buckets)
  return (
    <section className="chart-table" tabIndex={0} aria-label="Chart as a table">
      <table>
        <caption className="unseen">Events of the last 60 seconds</caption>
        <thead>
          <tr>
            <th scope="col">Seconds ago</th>
            <th scope="col">Buy</th>
            <th scope="col">Sell</th>
            <th scope="col">New pairs</th>
          </tr>
        </thead>
        <tbody className="num">
          {rows.map((sums, row) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other name than their place
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

const ROW_BUCKETS = 10
const ROW_SECONDS = (ROW_BUCKETS * BUCKET_MS) / 1_000

/** Buys, sells and new pairs of each row, the newest first. */
function sumRows(buckets: Uint32Array): readonly (readonly [number, number, number])[] {
  return Array.from({ length: BUCKETS / ROW_BUCKETS }, (_, row) => {
    const sums: [number, number, number] = [0, 0, 0]
    const end = BUCKETS - row * ROW_BUCKETS
    for (let bucket = end - ROW_BUCKETS; bucket < end; bucket++) {
      for (const series of [0, 1, 2] as const) sums[series] += buckets[bucket * SERIES + series]!
    }
    return sums
  })
}
