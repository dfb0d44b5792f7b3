import { MACHINE_VERBS, VERBS, wordsOf } from '@pairwire/contract/operator'

/** Column at which the help of a verb begins, and the last column. */
const HELP_AT = 61
const LINE_END = 122

/** Every verb of the tool with its words and help, from the registry; of a verb or a group that was `asked` for, only these. */
export function usageText(asked: readonly string[] = []): string {
  const machine = Object.values(MACHINE_VERBS).flat()
  const verbs = Object.entries(VERBS).map(([name, verb]) => ({ name, words: wordsOf(verb), help: verb.help }))
  const all = [...machine.filter(({ words }) => words), ...verbs, ...machine.filter(({ words }) => !words)]
  const [group = '', verb = ''] = asked
  const found = [`${group} ${verb}`, group].map((start) =>
    all.filter(({ name }) => `${name} `.startsWith(`${start} `)),
  )
  return `Usage: npm run pairwire -- <verb>

${(found.find(({ length }) => length > 0) ?? all).map(usageLine).join('\n')}

<who> is an email, an account's id, its API key, or the provider's id of its customer, subscription or transaction.
DATE and T are times in UTC, as in 2026-11-23 or 2026-11-23T13:00:00Z. Lists are tables on a
terminal, else one line of JSON a row, which --json asks for too.
Plans: newpairs, basic, pro. Offers: hour, day, week, month.
Orders: awaiting_payment, paid, lapsed, failed, refunded, expired.`
}

function usageLine({ name, words, help }: Readonly<{ name: string; words: string; help: string }>): string {
  const usage = `  ${name} ${words}`.trimEnd()
  const lines = wrap(help)
  if (usage.length >= HELP_AT - 1) return [usage, ...lines.map(indent)].join('\n')
  return [usage.padEnd(HELP_AT) + lines[0], ...lines.slice(1).map(indent)].join('\n')
}

function indent(line: string): string {
  return ' '.repeat(HELP_AT) + line
}

/** `text` in lines that end before the last column. */
function wrap(text: string): string[] {
  const pattern = new RegExp(`(.{1,${LINE_END - HELP_AT}})(?: |$)`, 'g')
  return [...text.matchAll(pattern)].map(([, line = '']) => line)
}
