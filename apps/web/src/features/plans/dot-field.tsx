/** Dots of a full field, 100 in a row: the accounts of the largest plan. */
const DOTS = 1_000
const COLUMNS = 100

/** Distance between two dots in the picture's units. */
const PITCH = 6.2
const FIRST = 2.2

/** `filled` of 1,000 dots, to scale. */
export function DotField({ filled }: { filled: number }) {
  return (
    <svg
      className="dot-field"
      viewBox={`0 0 ${COLUMNS * PITCH} ${(DOTS / COLUMNS) * PITCH}`}
      role="img"
      aria-label={`${filled.toLocaleString('en-GB')} of ${DOTS.toLocaleString('en-GB')} dots filled`}
    >
      <path className="dot-field-empty" d={drawDots(filled, DOTS)} />
      <path
        className={filled === DOTS ? 'dot-field-filled dot-field-full' : 'dot-field-filled'}
        d={drawDots(0, filled)}
        data-dots={filled}
      />
    </svg>
  )
}

/** One short round-capped stroke for each dot from number `from` up to, but not including, `to`. */
export function drawDots(from: number, to: number): string {
  let path = ''
  for (let dot = from; dot < to; dot++) {
    const x = FIRST + (dot % COLUMNS) * PITCH
    const y = FIRST + Math.floor(dot / COLUMNS) * PITCH
    path += `M${x.toFixed(1)} ${y.toFixed(1)}h.01`
  }
  return path
}
