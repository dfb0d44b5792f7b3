import { parseArgs } from 'node:util'
import { findVerb, isGrave, type Verb, type VerbName } from '@pairwire/contract/operator'

/** A verb with its input, as the tool's words give it. */
export type AskedVerb = Readonly<{
  name: VerbName
  verb: Verb
  input: Readonly<Record<string, unknown>>
  /** `--csv`, or `--json`: one object a line even on a terminal. */
  format: 'csv' | 'json' | undefined
}>

/** Reads the words of a verb of the registry; undefined if no verb has these words. */
export function readWords(words: readonly string[]): AskedVerb | undefined {
  const found = findVerb(words.slice(0, 2).join(' '))
  const read = found && readMembers(found.verb, words.slice(2))
  if (!read) return undefined
  const { csv, json, yes, ...given } = read
  const input = found.verb.input.safeParse(given)
  if (!input.success || isGrave(found.verb, input.data) !== (yes === true)) return undefined
  return { ...found, input: input.data, format: csv ? 'csv' : json ? 'json' : undefined }
}

/** A member of the input as the usage spells it. */
type Spelled = Readonly<{
  member: string
  /** Its name as an option: `givenUp` is `--given-up`. */
  option: string
  kind: 'word' | 'words' | 'option' | 'switch'
  isNumber: boolean
}>

/** The members that the words give, and the tool's own options; undefined for an unknown option or a word too many. */
function readMembers(verb: Verb, words: readonly string[]): Record<string, unknown> | undefined {
  const spelled = Object.entries(verb.words).map(([member, spelling = '']) => spell(verb, member, spelling))
  const options = Object.fromEntries(
    spelled.flatMap(({ option, kind }) =>
      kind === 'option' || kind === 'switch'
        ? [[option, { type: kind === 'option' ? ('string' as const) : ('boolean' as const) }]]
        : [],
    ),
  )
  const own = {
    json: { type: 'boolean' as const },
    ...(verb.hasCsv && { csv: { type: 'boolean' as const } }),
  }
  const canBeGrave = verb.access === 'grave' || verb.graveWith !== undefined
  const grave = canBeGrave && { yes: { type: 'boolean' as const } }
  const parsed = parse(words, { ...options, ...own, ...grave })
  if (!parsed) return undefined

  const { values, positionals } = parsed
  const members: Record<string, unknown> = { ...values }
  for (const { member, option, kind, isNumber } of spelled) {
    if (option !== member && option in members) members[member] = members[option]
    if (option !== member) delete members[option]
    if (kind === 'words') members[member] = positionals.splice(0)
    if (kind === 'word' && positionals.length > 0) members[member] = positionals.shift()
    if (isNumber && typeof members[member] === 'string') members[member] = Number(members[member])
  }
  return positionals.length > 0 ? undefined : members
}

function spell({ input }: Verb, member: string, spelling: string): Spelled {
  const option = member.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  const own = { member, option, isNumber: isNumeric(input.shape[member]) }
  if (!spelling.includes('--')) return { ...own, kind: spelling.endsWith('…') ? 'words' : 'word' }
  return { ...own, kind: /--\S+ /.test(spelling) ? 'option' : 'switch' }
}

/** Whether a member is a number, which a word is not yet. */
function isNumeric(schema: Verb['input']['shape'][string] | undefined): boolean {
  const { def } = schema?._zod ?? {}
  if (def?.type === 'optional' && 'innerType' in def) return isNumeric(def.innerType as typeof schema)
  return def?.type === 'number'
}

function parse(words: readonly string[], options: NonNullable<Parameters<typeof parseArgs>[0]>['options']) {
  try {
    return parseArgs({ args: [...words], allowPositionals: true, options })
  } catch {
    return undefined
  }
}
