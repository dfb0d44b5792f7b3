const DAY = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
})

/** A day in words, in UTC: `20 Dec 2026`. */
export const dayText = (moment: Date): string => DAY.format(moment)

/** A day and its minute: `4 Feb 2026, 12:00 UTC`. */
export const minuteText = (moment: Date): string =>
  `${dayText(moment)}, ${moment.toISOString().slice(11, 16)} UTC`
