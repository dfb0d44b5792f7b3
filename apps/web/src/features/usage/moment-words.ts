import { formatDay, readLocale } from '../../locale/locale.ts'

/** A moment in the user's time zone, `20 Nov 14:05`; empty when `time` is not a date. */
export function momentWords(time: string): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return ''
  const clock = new Intl.DateTimeFormat(readLocale(), {
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  return `${formatDay(date)} ${clock.format(date)}`
}
