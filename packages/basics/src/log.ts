/** Writes one line per event, for the operator. */
export type Log = Readonly<{
  info(sentence: string, fields?: Readonly<Record<string, unknown>>): void
  warn(sentence: string, fields?: Readonly<Record<string, unknown>>): void
  error(sentence: string, fields?: Readonly<Record<string, unknown>>): void
}>
