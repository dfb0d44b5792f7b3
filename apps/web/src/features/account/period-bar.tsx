import { formatCount, formatDay } from '../../locale/locale.ts'
import type { Period } from './plan-state.ts'

/** The elapsed part of the trial or the billing month: blocks of days for a trial, a bar for a month. */
export function PeriodBar({ period }: { period: Period }) {
  const { kind, days, left, start } = period
  const gone = days - left
  const sentence = `Day ${gone + 1} of ${days} in this ${kind === 'trial' ? 'trial' : 'period'}`
  return (
    <div className="period">
      {kind === 'trial' ? (
        <TrialBlocks days={days} gone={gone} sentence={sentence} />
      ) : (
        <div className="flow period-bar" role="img" aria-label={sentence}>
          <span style={{ width: `${(gone / days) * 100}%` }} />
        </div>
      )}
      <div className="period-ends">
        <span>{formatDay(start)}</span>
        <span>{formatCount(left, 'day')} left</span>
      </div>
    </div>
  )
}

/** A block for each day of the trial, filled once the day has passed. */
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
