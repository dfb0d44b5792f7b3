import { AppError } from '@pairwire/contract'

/** A place in a list that is sorted by time, as a cursor: the moment and the id of the last row. */
export function writePlace(at: string, id: string): string {
  return `${at} ${id}`
}

/** The place of a cursor; undefined without one. @throws ERR_VALIDATION */
export function readPlace(cursor: string | undefined): { at: string; id: string } | undefined {
  if (cursor === undefined) return undefined
  const [, at = '', id = ''] = /^(\S+) (.+)$/.exec(cursor) ?? []
  if (Number.isNaN(Date.parse(at))) throw wrongCursor()
  return { at: new Date(at).toISOString(), id }
}

/** Makes the refusal of a cursor that a list did not give. */
export const wrongCursor = () => new AppError('ERR_VALIDATION', 'This cursor is not from this list.')
