import type { ByteRange } from '@pairwire/archive'

/**
 * The bytes that a `Range` header requests, out of `bytes`. Several ranges and other units mean the whole file, as a server
 * may choose.
 *
 * @returns undefined for the whole file; `unsatisfiable` if none of the bytes exist
 * @see https://www.rfc-editor.org/rfc/rfc9110#name-range-requests
 */
export function readByteRange(
  header: string | undefined,
  bytes: number,
): ByteRange | 'unsatisfiable' | undefined {
  const [, first = '', last = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/i.exec(header?.trim() ?? '') ?? []
  if (first === '' && last === '') return undefined
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined

  const start = first === '' ? Math.max(bytes - Number(last), 0) : Number(first)
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  return start > end ? 'unsatisfiable' : { start, end }
}
