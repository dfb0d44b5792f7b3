/** Takes one line; `fields` hold no secrets and nothing that a stranger wrote at length. */
export type Log = Readonly<{
  info(sentence: string, fields?: Readonly<Record<string, unknown>>): void
  warn(sentence: string, fields?: Readonly<Record<string, unknown>>): void
  error(sentence: string, fields?: Readonly<Record<string, unknown>>): void
}>
