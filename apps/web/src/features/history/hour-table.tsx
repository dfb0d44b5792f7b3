import type { HistoryAnswer } from '@pairwire/contract/history-answers'
import { FiguresRegion, FiguresTable } from '../../components/figures-table.tsx'
import { formatBytes, formatNumber } from '../../locale/locale.ts'
import { hourWords } from './history-window.ts'

/** The hours of the squares as numbers, newest first. */
export default function HourTable({ hours }: { hours: HistoryAnswer['hours'] }) {
  return (
    <FiguresRegion className="panel history-scroll" label="Hours on sale">
      <FiguresTable
        columns={['Hour (UTC)', 'State', 'Swaps', 'New pairs', 'Zip']}
        rows={[...hours]
          .reverse()
          .map(({ hour, state, swaps, pairs, size }) => [
            hourWords(hour),
            state,
            formatNumber(swaps),
            formatNumber(pairs),
            formatBytes(size),
          ])}
      />
    </FiguresRegion>
  )
}
