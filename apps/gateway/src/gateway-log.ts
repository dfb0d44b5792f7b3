/** Where the gateway writes its log; fits pino. It never passes a key, a query string or a frame. */
export type GatewayLog = Readonly<{
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}>
