import type { Connections, UsageDay } from '@pairwire/contract'
import { DayChart } from './day-chart.tsx'
import { DayFaces } from './day-faces.tsx'
import { DayTable } from './day-table.tsx'

/** What {@link UsageDays} is given. */
export type UsageDaysProps = Readonly<{
  days: readonly UsageDay[]
  spans: Connections['spans']
  asTable: boolean
}>

/** 30 days as bars or as a table, and how their events were sent. */
export default function UsageDays({ days, spans, asTable }: UsageDaysProps) {
  return (
    <>
      <div className="usage-days">
        {asTable ? <DayTable days={days} spans={spans} /> : <DayChart days={days} />}
      </div>
      <DayFaces days={days} />
    </>
  )
}
