/** One line a happening, for a person at a terminal or, where none sits there, as JSON for a collector. */
export type Log = Readonly<{
  info(sentence: string, fields?: Readonly<Record<string, unknown>>): void
  warn(sentence: string, fields?: Readonly<Record<string, unknown>>): void
  error(sentence: string, fields?: Readonly<Record<string, unknown>>): void
}>

/** Writes to `stream` (standard error), so that standard output holds only what was promised there. */
export function createLog(stream: NodeJS.WriteStream): Log {
  const write = (level: string, sentence: string, fields: Readonly<Record<string, unknown>> = {}) => {
    const at = new Date().toISOString()
    const plain = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, readable(value)]))
    stream.write(
      stream.isTTY
        ? `${at.slice(11, 19)} ${level === 'info' ? '' : `${level}: `}${sentence}${tail(plain)}\n`
        : `${JSON.stringify({ at, level, message: sentence, ...plain })}\n`,
    )
  }
  return {
    info: (sentence, fields) => write('info', sentence, fields),
    warn: (sentence, fields) => write('warn', sentence, fields),
    error: (sentence, fields) => write('error', sentence, fields),
  }
}

/** An error by its stack, since JSON makes it an empty object. */
function readable(value: unknown): unknown {
  if (value instanceof Error) return value.stack ?? value.message
  return typeof value === 'bigint' ? String(value) : value
}

function tail(fields: Record<string, unknown>): string {
  const parts = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return parts.length > 0 ? `  ${parts.join(' ')}` : ''
}
