/** The members of a JSON object that another process has written; undefined for any other text. */
export function readObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const read: unknown = JSON.parse(text)
    return typeof read === 'object' && read !== null ? (read as Readonly<Record<string, unknown>>) : undefined
  } catch {
    return undefined
  }
}
