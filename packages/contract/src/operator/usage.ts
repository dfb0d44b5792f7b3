import type { Verb } from './verb.ts'

/** The words of a verb after its name, as in `<who> [--plan <plan>]`; what the tool adds by itself comes last. */
export function wordsOf({ words, access, hasCsv }: Pick<Verb, 'words' | 'access' | 'hasCsv'>): string {
  const own = Object.values(words)
  return [...own, ...(access === 'grave' ? ['--yes'] : []), ...(hasCsv ? ['[--csv]'] : [])].join(' ')
}
