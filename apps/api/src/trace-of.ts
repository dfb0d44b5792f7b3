import { codeOf } from '@pairwire/basics'

/**
 * The place of an error without its message: messages of the database layer hold parameters, and so emails, tokens and keys.
 */
export function traceOf(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: typeof error }
  const cause: unknown = error.cause
  return {
    error: error.name,
    code: codeOf(error) ?? codeOf(cause),
    stack: (error.stack ?? '')
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
      .slice(0, 8)
      .map((line) => line.trim()),
  }
}
