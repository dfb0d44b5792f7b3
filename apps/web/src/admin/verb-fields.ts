import { PAGE, VERBS, type VerbName } from '@pairwire/contract/operator'
import { PLANS } from '@pairwire/contract/plans'
import type * as z from 'zod/mini'
import { isTime, labelOf } from './show.ts'

/** How a member of a verb's input is asked for. */
type FieldKind = 'text' | 'long' | 'number' | 'choice' | 'flag' | 'words' | 'time'

/** A member of a verb's input as a field; a choice has its values with what they are called. */
export type VerbField = Readonly<{
  name: string
  label: string
  kind: FieldKind
  isRequired: boolean
  choices: readonly (readonly [value: string, label: string])[]
}>

/** Texts of several lines. */
const LONG = ['note', 'reason', 'message', 'details']

/** The fields of a verb's input in the order of its schema, `without` those that are known already. */
export function fieldsOf(name: VerbName, without: readonly string[] = []): VerbField[] {
  const known = [...Object.keys(PAGE), ...without]
  return Object.entries(VERBS[name].input.shape as Record<string, z.core.$ZodType>)
    .filter(([member]) => !known.includes(member))
    .map(([member, schema]) => toField(member, schema))
}

function toField(name: string, schema: z.core.$ZodType): VerbField {
  const { def } = (schema as z.core.$ZodTypes)._zod // every schema is one of its library's kinds
  if (def.type === 'optional') return { ...toField(name, def.innerType), isRequired: false }
  // An address can be a `to` as well.
  const isMoment = isTime(name) || ('format' in def && def.format === 'datetime')
  const field = {
    name,
    label: name === 'connections' ? 'Connection limit' : labelOf(name, isMoment),
    kind: 'text' as FieldKind,
    isRequired: true,
    choices: [],
  }
  if (name === 'plan') {
    const plans = PLANS.map(({ id, name: plan }) => [String(id), plan] as const)
    return { ...field, kind: 'choice', choices: [...plans, ['none', 'No plan']] }
  }
  if (isMoment) return { ...field, kind: 'time' }
  if (LONG.includes(name)) return { ...field, kind: 'long' }
  if (def.type === 'number') return { ...field, kind: 'number' }
  if (def.type === 'boolean') return { ...field, kind: 'flag', isRequired: false }
  if (def.type === 'array') return { ...field, kind: 'words' }
  if (def.type !== 'enum') return field
  const choices = Object.values(def.entries).map((value) => [String(value), labelOf(String(value))] as const)
  return { ...field, kind: 'choice', choices }
}

/** What was typed into the fields, as the verb's input; what is empty is omitted. */
export function readFields(fields: readonly VerbField[], form: HTMLFormElement): Record<string, unknown> {
  const data = new FormData(form)
  const members = fields.map(({ name, kind }) => [name, readField(kind, String(data.get(name) ?? '').trim())])
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}

/** What stands in a field, as a member of the input; undefined for nothing. */
export function readField(kind: FieldKind, text: string): unknown {
  if (text === '') return undefined
  if (kind === 'number') return Number(text)
  if (kind === 'flag') return true
  if (kind === 'words') return text.split(/[\s,;]+/)
  // The control has no zone; its label says UTC.
  return kind === 'time' ? `${text}Z` : text
}
