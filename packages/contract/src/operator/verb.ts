import * as z from 'zod/mini'

/**
 * What a verb may do: `read` changes nothing, `write` changes something, `grave` cannot be undone or locks somebody out, and
 * `machine` is for the tool on the machine only: no HTTP call runs it.
 */
export type Access = 'read' | 'write' | 'grave' | 'machine'

/** The members of a verb's input, each with its schema. */
type Shape = z.core.$ZodShape

/**
 * A verb of the operator, as the tool, the HTTP calls, the room's forms and the docs know it. What it does is in the api.
 * Input and rows are JSON; times in them are RFC 3339 in UTC.
 */
export type Verb<Input extends Shape = Shape, Row extends z.core.$ZodType = z.core.$ZodType> = Readonly<{
  access: Access
  /** The member of the input that makes it grave where it is given. */
  graveWith?: string | undefined
  /** Whether its rows come in pages: then the input has {@link PAGE} too. */
  isList: boolean
  /** Whether the list can be long and is also given as CSV, whole. */
  hasCsv: boolean
  input: z.ZodMiniObject<Input, z.core.$strict>
  row: Row
  /**
   * How the tool's words give the members, in the order of the usage: `<who>` is a word, `<email>…` all that follow,
   * `[--plan <plan>]` an option that may be omitted, `[--end]` one without a value. Members without an entry are for HTTP only.
   */
  words: Readonly<{ [Member in keyof Input]?: string }>
  /** What it does, as half a sentence. */
  help: string
}>

/** A text in a row that may have none. */
export const MaybeText = z.nullable(z.string())

/** What every list takes: most rows of a page, and the `next` of the page before. */
export const PAGE = {
  limit: z.optional(z.int().check(z.gte(1))),
  cursor: z.optional(z.string().check(z.maxLength(500))),
}

/** Adds the types to an entry of the table. */
export function verb<const Input extends Shape, Row extends z.core.$ZodType>(
  entry: Pick<Verb<Input, Row>, 'access' | 'graveWith' | 'row' | 'words' | 'help'> &
    Readonly<{ input: Input }>,
) {
  return { ...entry, input: z.strictObject(entry.input), isList: false as const, hasCsv: false }
}

/** The same for a list, which only reads; `access` for one that is not for everybody who may read. */
export function list<const Input extends Shape, Row extends z.core.$ZodType>(
  entry: Pick<Verb<Input, Row>, 'row' | 'words' | 'help'> &
    Readonly<{ input: Input; hasCsv?: boolean; access?: 'machine' }>,
) {
  return {
    hasCsv: false,
    access: 'read' as Access,
    ...entry,
    input: z.strictObject({ ...entry.input, ...PAGE }),
    words: { ...entry.words, limit: '[--limit N]' },
    isList: true as const,
  }
}

/** Whether a call of a verb with this input is grave. */
export function isGrave({ access, graveWith }: Pick<Verb, 'access' | 'graveWith'>, input: unknown): boolean {
  const isNamed = graveWith !== undefined && typeof input === 'object' && input !== null && graveWith in input
  return access === 'grave' || isNamed
}

/** Days and times, with and without seconds, of years from 1900 that databases keep. `Date.parse` would take 30 February for 2 March. */
const MOMENTS = [z.iso.date(), ...[null, -1].map((precision) => z.iso.datetime({ offset: true, precision }))]
const isMoment = (text: string) =>
  MOMENTS.some((form) => form.safeParse(text).success) && /^(19|[2-9])/.test(new Date(text).toISOString())

/** A moment as people write it: RFC 3339, or a UTC date, which is its first moment. */
export const Moment = z
  .string()
  .check(z.refine(isMoment, 'Name a date or a time in UTC, as in 2026-11-23 or 2026-11-23T13:00:00Z.'))

/** An email, an account's id, its API key, or the provider's id of its customer, subscription or transaction. */
export const Who = z.string().check(z.minLength(1), z.maxLength(300))
