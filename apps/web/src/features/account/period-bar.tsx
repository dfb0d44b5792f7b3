import { formatDay } from '../../locale/locale.ts'
import type { Period } from './plan-state.ts'

/** How far the trial or the billing month has gone: blocks of days for a trial, a bar for a month. */
export function PeriodBar({ period }: { period: Period }) {
  const { kind, days, left, start } = period
  const day = days - left + 1
  const sentence = `Day ${day} of ${days} in this ${kind === 'trial' ? 'trial' : 'period'}`
  return (
    <div className="period">
      {kind === 'trial' ? (
        <TrialBlocks days={days} gone={day} sentence={sentence} />
      ) : (
        <div className="period-bar" role="img" aria-label={sentence}>
          <span style={{ width: `${(day / days) * 100}%` }} />
        </div>
      )}
      <div className="period-ends">
        <span>{formatDay(start)}</span>
        <span>{left === 1 ? '1 day left' : `${left} days left`}</span>
      </div>
    </div>
  )
}

/** A block for each day of the trial, the days that have begun filled. */
export function TrialBlocks({ days, gone, sentence }: { days: number; gone: number; sentence: string }) {
  return (
    <div className="period-blocks" role="img" aria-label={sentence}>
      {Array.from({ length: days }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a block is its day's number
        <span key={index} className={index < gone ? 'period-block period-gone' : 'period-block'} />
      ))}
    </div>
  )
}
