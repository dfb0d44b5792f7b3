/** The words with which a banner says that nothing on the stream is real, and the page that says how to change that. */
export const SIMULATED_NOTICE = { words: 'Data is simulated.', path: '/docs/self-hosting#live' } as const

/** The words with which the system status says that the service has lost its source. */
export const SOURCE_AWAY = 'Live data is interrupted: the source of transactions is down.'

/** A banner's text in two parts, the second the words of {@link SIMULATED_NOTICE} where it ends with them, else empty. */
export function splitSimulated(text: string): readonly [before: string, words: string] {
  const { words } = SIMULATED_NOTICE
  return text.endsWith(words) ? [text.slice(0, -words.length), words] : [text, '']
}
