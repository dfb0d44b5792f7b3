import { BoundedMap, type Log } from '@pairwire/basics'

/**
 * Creates a log of one line per event, for a person at a terminal or, without a terminal, as JSON. Writes to `stream`
 * (standard error), so that standard output holds only what was promised there. No field can replace a line's time.
 */
export function createLog(
  stream: Pick<NodeJS.WriteStream, 'write' | 'isTTY'>,
  clock: () => number = Date.now,
): Log {
  const write = (level: string, sentence: string, fields: Readonly<Record<string, unknown>> = {}) => {
    const at = new Date(clock()).toISOString()
    const plain = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, readable(value)]))
    stream.write(
      stream.isTTY
        ? `${at.slice(11, 19)} ${level === 'info' ? '' : `${level}: `}${escaped(`${sentence}${tail(plain)}`)}\n`
        : `${JSON.stringify(Object.assign({ at, level, message: sentence }, renamed(plain)))}\n`,
    )
  }
  return {
    info: (sentence, fields) => write('info', sentence, fields),
    warn: (sentence, fields) => write('warn', sentence, fields),
    error: (sentence, fields) => write('error', sentence, fields),
  }
}

/** Milliseconds between two equal warnings of a loop, and without one until an outage counts as over. */
const [WARN_EVERY_MS, QUIET_MS] = [10 * 60_000, 2 * 60_000]

/** A log for loops, which fail at each turn while the database is away: leaves out a warning that it gave a while ago. */
export function createLoopLog(log: Log, elapsed: () => number): Log {
  const known = new BoundedMap<string, readonly [at: number, toldAt: number]>(100)
  return {
    ...log,
    warn(sentence, fields = {}) {
      const line = [sentence, ...Object.entries(fields)].join()
      const [at, toldAt] = known.get(line) ?? [-Infinity, -Infinity]
      const isTold = elapsed() - at < QUIET_MS && elapsed() - toldAt < WARN_EVERY_MS
      known.set(line, [elapsed(), isTold ? toldAt : elapsed()])
      if (!isTold) log.warn(sentence, fields)
    },
  }
}

/** Renames fields whose names the line itself uses. */
function renamed(fields: Record<string, unknown>): Record<string, unknown> {
  const taken = ['at', 'level', 'message']
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [taken.includes(name) ? `${name}_` : name, value]),
  )
}

/** An error's stack, since JSON turns an error into an empty object. */
function readable(value: unknown): unknown {
  if (value instanceof Error) return value.stack ?? value.message
  return typeof value === 'bigint' ? String(value) : value
}

/** Escapes characters that control a terminal or start a line; the lines of an error's stack stay. */
function escaped(text: string): string {
  return text.replace(
    /\n(?! {4}at )|(?!\n)\p{Cc}/gu,
    (char) => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`,
  )
}

function tail(fields: Record<string, unknown>): string {
  const parts = Object.entries(fields).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  return parts.length > 0 ? `  ${parts.join(' ')}` : ''
}
