/** The first item's `Details` of a system status list; `undefined` when the list is empty or no list. */
export function readNotice(answer: unknown): string | undefined {
  const first: unknown = Array.isArray(answer) ? answer[0] : undefined
  if (typeof first !== 'object' || first === null || !('Details' in first)) return undefined
  return typeof first.Details === 'string' && first.Details.trim() !== '' ? first.Details : undefined
}
