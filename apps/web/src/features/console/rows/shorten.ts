/** First five and last five characters of what has 15 or more; shorter strings stay whole. */
export function shorten(text: string): string {
  return text.length < SHORTEN_FROM ? text : `${text.slice(0, 5)}…${text.slice(-5)}`
}

/** Length from which a key or signature is shortened. */
const SHORTEN_FROM = 15
