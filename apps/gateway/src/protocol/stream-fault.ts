import { errorPageName } from '@pairwire/contract'

/** The stream cannot be read at present: a client that wants missed events has to reconnect. Its cause is in the log. */
export class StreamAwayError extends Error {
  override name = 'StreamAwayError'
}

/** Returns the address of the page on an error or a close reason, such as `EMPTY_LIST` or `keyUnknown`. */
export function errorPage(docsUrl: string, name: string): string {
  return `${docsUrl}/errors/${errorPageName(name)}`
}
