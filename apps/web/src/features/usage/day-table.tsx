import type { Connections, UsageDay } from '@pairwire/contract'
import { FiguresRegion, FiguresTable } from '../../components/figures-table.tsx'
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
    <FiguresRegion className="day-table" label="Events by day and connected times">
      <Days days={days} columns={KINDS} />
      {faces.length === 0 ? null : <Days days={days} columns={faces} />}
      {spans.length === 0 ? null : (
        <FiguresTable
          columns={['Connected from', 'To']}
          rows={[...spans].reverse().map(({ from, to }) => [momentWords(from), momentWords(to)])}
        />
      )}
    </FiguresRegion>
  )
}

function Days({ days, columns }: { days: readonly UsageDay[]; columns: readonly Column[] }) {
  return (
    <FiguresTable
      columns={['Day (UTC)', ...columns.map(({ name }) => name)]}
      rows={[...days].reverse().map((day) => [
        dayWords(day.day),
        ...columns.map(({ name, read }) => (
          <span key={name} title={formatNumber(read(day))}>
            {tableCount(read(day))}
          </span>
        )),
      ])}
    />
  )
}
