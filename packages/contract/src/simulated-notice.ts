/** The banner's words for simulated data, and the page that explains how to go live. */
export const SIMULATED_NOTICE = { words: 'Data is simulated.', path: '/docs/self-hosting#live' } as const

/** The words of the system status while the service has lost its source. */
export const SOURCE_AWAY = 'Live data is interrupted: the source of transactions is down.'

/** A banner's text in two parts; the second is {@link SIMULATED_NOTICE}'s words if it ends with them, else empty. */
export function splitSimulated(text: string): readonly [before: string, words: string] {
  const { words } = SIMULATED_NOTICE
  return text.endsWith(words) ? [text.slice(0, -words.length), words] : [text, '']
}
