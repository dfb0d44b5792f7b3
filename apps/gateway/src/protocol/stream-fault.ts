/** The stream cannot be read at present: who asks for what it has missed has to come back. */
export class StreamAwayError extends Error {
  constructor(cause: unknown) {
    super('What was missed cannot be read.', { cause })
    this.name = 'StreamAwayError'
  }
}

/** Address of the page that explains an error or a close reason: `EMPTY_LIST` or `keyUnknown`. */
export function errorPage(docsUrl: string, name: string): string {
  const words = /[a-z]/.test(name) ? name.replace(/([a-z])([A-Z])/g, '$1-$2') : name.replaceAll('_', '-')
  return `${docsUrl}/errors/${words.toLowerCase()}`
}
