/** Returns the first five and last five characters of strings of 15 or more; shorter ones are unchanged. */
export function shorten(text: string): string {
  return text.length < SHORTEN_FROM ? text : `${text.slice(0, 5)}…${text.slice(-5)}`
}

/** Length from which a key or signature is shortened. */
const SHORTEN_FROM = 15
