import { utcDay } from '../../day-text.ts'
import type { ArchiveFigures } from '../../history/archive-keeper.ts'

/** Up to when hours can be ordered, and how many of them have gaps. `now` is in Unix milliseconds. */
export function historyWords({ completeTo, gapHours, countedHours }: ArchiveFigures, now: number): string {
  const [day, time] = new Date(completeTo).toISOString().split('T') as [string, string]
  const isToday = day === utcDay(now)
  const upTo = `History complete up to ${isToday ? '' : `${day} `}${time.slice(0, 5)} UTC`
  if (gapHours === 0) return `${upTo}.`
  const hours = gapHours === 1 ? '1 hour' : `${gapHours} hours`
  return `${upTo}; ${hours} of the last ${countedHours} ${gapHours === 1 ? 'has' : 'have'} gaps.`
}
