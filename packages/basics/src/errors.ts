/** Returns the name of a thrown error, for use where its message may hold a secret. */
export function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : typeof error
}

/** Reads the code of an error of the system or of PostgreSQL; undefined if it has none. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Reads the message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
