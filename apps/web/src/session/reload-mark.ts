/** A mark in a history entry, which survives a reload: it prevents a second reload. */
const MARK = 'reloaded'

/**
 * The history entry with the mark that its page was reloaded; `undefined` when it already has the mark. The
 * router keeps a location's own state under `usr`.
 */
export function markReloaded(entry: unknown): Record<string, unknown> | undefined {
  const fields = readFields(entry)
  const state = readFields(fields.usr)
  if (state[MARK] === true) return undefined
  return { ...fields, usr: { ...state, [MARK]: true } }
}

/** Whether a location's state has the mark. */
export function isReloaded(state: unknown): boolean {
  return readFields(state)[MARK] === true
}

function readFields(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {} // any name may be asked
}
