/** Where the gateway writes its log. It never passes a key, a query string or a frame. */
export type GatewayLog = Readonly<{
  info(sentence: string, fields?: Readonly<Record<string, unknown>>): void
  warn(sentence: string, fields?: Readonly<Record<string, unknown>>): void
  error(sentence: string, fields?: Readonly<Record<string, unknown>>): void
}>
