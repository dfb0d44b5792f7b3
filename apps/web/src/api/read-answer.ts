import { isObject } from '@pairwire/basics/json'
import type * as z from 'zod/mini'
import { noAnswer } from './api-error.ts'

/** Reads the text in a member of an answer, empty if there is none. */
type ReadText = (value: unknown) => string

/**
 * Reads `answer` tolerantly by the contract's `schema`: unknown members are ignored; a missing text, number or boolean
 * is empty, zero or false; optional or nullable members are omitted unless valid, and so are list elements.
 *
 * @throws ApiError when a required object, list or enum value is missing.
 */
export function readAnswer<Schema extends z.ZodMiniType>(
  schema: Schema,
  answer: unknown,
  readText: ReadText = textOf,
): z.output<Schema> {
  // Each kind of schema returns a value of its own type.
  return read(schema, answer, readText) as z.output<Schema>
}

/** The same; `undefined` if it cannot be read. */
export function tryAnswer<Schema extends z.ZodMiniType>(
  schema: Schema,
  answer: unknown,
): z.output<Schema> | undefined {
  return tried(schema, answer, textOf) as z.output<Schema> | undefined
}

function read(schema: z.core.$ZodType, value: unknown, readText: ReadText): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod // every schema is one of its library's kinds
  switch (def.type) {
    case 'string':
      return readText(value)
    case 'number':
      return countOf(value)
    case 'boolean':
      return value === true
    case 'enum':
      return oneOf(Object.values(def.entries), value)
    case 'literal':
      return oneOf(def.values, value)
    case 'object': {
      const fields = fieldsOf(value)
      const members = Object.entries(def.shape).map(([name, member]) => [
        name,
        read(member, fields[name], readText),
      ])
      return Object.fromEntries(members.filter(([, member]) => member !== undefined))
    }
    case 'record': {
      const members = Object.entries(fieldsOf(value))
      return Object.fromEntries(
        members.map(([name, member]) => [name, read(def.valueType, member, readText)]),
      )
    }
    case 'array':
      if (!Array.isArray(value)) throw noAnswer()
      return value.map((one) => tried(def.element, one, readText)).filter((one) => one !== undefined)
    case 'optional':
      return isEmpty(value) ? undefined : tried(def.innerType, value, readText)
    case 'unknown':
      return value
    case 'nullable':
      return isEmpty(value) ? null : (tried(def.innerType, value, readText) ?? null)
    case 'union':
      for (const option of def.options) {
        const found = tried(option, value, readText)
        if (found !== undefined) return found
      }
  }
  throw noAnswer()
}

function tried(schema: z.core.$ZodType, value: unknown, readText: ReadText): unknown {
  try {
    return read(schema, value, readText)
  } catch {
    return undefined
  }
}

/** Absent, null, an empty text and an empty object are equivalent. */
function isEmpty(value: unknown): boolean {
  return (value ?? '') === '' || (typeof value === 'object' && Object.keys(value as object).length === 0)
}

function oneOf(words: readonly unknown[], value: unknown): unknown {
  if (!words.includes(value)) throw noAnswer()
  return value
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Counts may be texts. */
function countOf(value: unknown): number {
  const count = typeof value === 'number' || typeof value === 'string' ? Number(value) : 0
  return Number.isFinite(count) && count > 0 ? count : 0
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  if (!isObject(value)) throw noAnswer()
  return value
}
