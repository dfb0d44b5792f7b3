import { codeOf } from '@pairwire/basics'
import { AppError } from '@pairwire/contract'

/** A failed query, without the parameters that the libraries' own messages carry (emails, tokens, keys). */
class DatabaseError extends Error {
  /** PostgreSQL's five-character SQLSTATE or Node's error code; undefined when there was none. */
  readonly code: string | undefined

  constructor(action: string, code: string | undefined) {
    super(`database error ${code ?? 'without a code'} in ${action}`)
    this.name = 'DatabaseError'
    this.code = code
  }
}

/** Codes of work that was undone for the sake of other work at the same time, as in a deadlock. */
const CLASH = /^40(001|P01)$/

/** Codes that mean that the database is away, takes no writes or has others in the way, rather than that a query is wrong. */
const AWAY =
  /^(08\w{3}|25006|40(001|P01)|57P0[1-3]|53[13]00|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN)$/

/** node-postgres's own errors without a code: the connection is lost, or a limit on waiting has passed. */
const AWAY_SENTENCES =
  /^(timeout exceeded|Connection terminated|Client has encountered a connection error|Query read timeout|Cannot use a pool)/

/**
 * Returns an error that is safe to log or answer in place of `error`, thrown by a query in `action`. An `AppError` is
 * returned unchanged, a lost connection becomes `ERR_UNAVAILABLE`, errors that no query threw stay as they are.
 */
export function withoutParameters(action: string, error: unknown): Error {
  if (error instanceof AppError) return error
  if (!(error instanceof Error)) return new DatabaseError(action, undefined)

  const source = rootOf(error)
  const code = codeOf(source)
  // A Unix socket disappears with its server.
  const isMissingSocket = code === 'ENOENT' && 'syscall' in source && source.syscall === 'connect'
  if (isMissingSocket || (code !== undefined && AWAY.test(code)) || AWAY_SENTENCES.test(source.message)) {
    return Object.assign(new AppError('ERR_UNAVAILABLE'), { cause: causeOf(error) })
  }
  if (code === undefined && source === error) return error
  return new DatabaseError(action, code)
}

/** Does `work`, which the database does wholly or not at all, and does it again if it met a deadlock, up to three times in all. */
export async function tryAgain<Answer>(work: () => Promise<Answer>, triesLeft = 2): Promise<Answer> {
  try {
    return await work()
  } catch (error) {
    const isClash = error instanceof Error && CLASH.test(codeOf(rootOf(error)) ?? '')
    if (isClash && triesLeft > 0) return tryAgain(work, triesLeft - 1)
    throw error
  }
}

/** One clause on why opening a database failed, for a log: the innermost message, which holds no parameter. */
export function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const source = rootOf(error)
  // A failed connection to several addresses has an empty message of its own.
  const code = codeOf(source)
  return source.message || code || 'unknown'
}

function rootOf(error: Error): Error {
  let source = error
  for (let depth = 0; depth < 5 && source.cause instanceof Error; depth++) source = source.cause
  return source
}
