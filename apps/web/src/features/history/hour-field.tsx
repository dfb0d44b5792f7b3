/** Columns of days and rows of hours: the last 30 days. */
const DAYS = 30
const HOURS = 24

/** Side of a square and the distance between two, in the picture's units. */
const SIDE = 6
const PITCH = 8

/** `hours` of the last 720, to scale, newest at the bottom right. */
export function HourField({ hours }: { hours: number }) {
  const empty = DAYS * HOURS - hours
  return (
    <svg
      className="hour-field"
      viewBox={`0 0 ${DAYS * PITCH} ${HOURS * PITCH}`}
      role="img"
      aria-label={`${hours} of the last ${DAYS * HOURS} hours`}
    >
      <path className="hour-field-empty" d={drawHours(0, empty)} />
      <path className="hour-field-filled" d={drawHours(empty, DAYS * HOURS)} data-hours={hours} />
      {hours === 1 ? <circle className="hour-field-ring" cx={236} cy={188} r={10} /> : null}
    </svg>
  )
}

/** A square for each hour from `from` up to but without `to`, oldest first, a day in each column. */
export function drawHours(from: number, to: number): string {
  let path = ''
  for (let hour = from; hour < to; hour++) {
    const x = 1 + Math.floor(hour / HOURS) * PITCH
    const y = 1 + (hour % HOURS) * PITCH
    path += `M${x} ${y}h${SIDE}v${SIDE}h-${SIDE}z`
  }
  return path
}
