/** A row whose times are texts. */
type WithTimes<Row> = {
  [Member in keyof Row]: Row[Member] extends Date
    ? string
    : Row[Member] extends Date | null
      ? string | null
      : Row[Member]
}

/** A row with its times as JSON has them: RFC 3339 in UTC. */
export function withTimes<Row extends object>(row: Row): WithTimes<Row> {
  const toText = (value: unknown) => (value instanceof Date ? value.toISOString() : value)
  const told = Object.entries(row).map(([name, value]) => [name, toText(value)])
  return Object.fromEntries(told) as WithTimes<Row>
}
