import { FiguresRegion, FiguresTable } from '../../../components/figures-table.tsx'
import { BUCKETS, SERIES } from '../feed/chart-buckets.ts'
import { feed } from '../feed/feed.ts'
import type { ChartView } from '../feed/feed-view.ts'
import { useSecond } from '../feed/second.ts'
import { figures } from '../figures.ts'

/** The chart's minute as numbers, three seconds per row, the newest first; rewritten each second. */
export default function ChartTable() {
  useSecond()
  return (
    <FiguresRegion className="chart-table" label="Chart as a table">
      <FiguresTable
        caption="Events of the last 60 seconds"
        columns={['Seconds ago', 'Buy', 'Sell', 'New pairs']}
        rows={sumRows(feed.read().chart).map((sums, row) => [
          `${row * ROW_SECONDS} to ${(row + 1) * ROW_SECONDS}`,
          ...sums.map(figures.whole),
        ])}
      />
    </FiguresRegion>
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
