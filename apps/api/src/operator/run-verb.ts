import { codeOf } from '@pairwire/basics'
import { AppError } from '@pairwire/contract'
import { type ControlRequest, findVerb, type VerbName } from '@pairwire/contract/operator'
import { stringify } from 'csv-stringify/sync'
import { NOT_KEPT } from '../webhooks/webhook-routes.ts'
import { accountRuns } from './account-runs.ts'
import { actRuns } from './act-runs.ts'
import { alarmRuns } from './alarm-runs.ts'
import { doctorRuns } from './doctor-runs.ts'
import { mailRuns } from './mail-runs.ts'
import { moneyRuns } from './money-runs.ts'
import { operatorRuns } from './operator-runs.ts'
import { orderRuns } from './order-runs.ts'
import { overviewRuns } from './overview-runs.ts'
import { wrongCursor } from './place.ts'
import { processRuns } from './process-runs.ts'
import type { Caller, CallParts, OperatorParts, Page, Runs } from './run.ts'
import { statusRuns } from './status-runs.ts'
import { tokenRuns } from './token-runs.ts'

/** What every verb of the registry does. */
const RUNS: Runs = {
  ...overviewRuns,
  ...statusRuns,
  ...accountRuns,
  ...moneyRuns,
  ...mailRuns,
  ...orderRuns,
  ...actRuns,
  ...processRuns,
  ...doctorRuns,
  ...alarmRuns,
  ...operatorRuns,
  ...tokenRuns,
}

/** Rows of a page of the HTTP calls, unless the call says, and the most of them. */
const PAGE_ROWS = 50
const PAGE_ROWS_MAX = 200

/** A call of a verb, parsed. */
type Call = NonNullable<ReturnType<typeof findVerb>> & Readonly<{ input: Record<string, unknown> }>

/** Answers the tool: rows as they are done, a list to its end or `limit`, or the list as pieces of CSV. */
export async function* answerTool(
  { verb, input, as, actor }: ControlRequest,
  parts: OperatorParts,
): AsyncGenerator<{ row: unknown } | { csv: string }> {
  const call = readCall(verb, input)
  const callParts = { ...parts, by: { actor, via: 'tool', address: null, verb: call.name } as const }
  if (as === 'csv') for await (const csv of csvOf(call, callParts)) yield { csv }
  else for await (const page of pagesOf(call, callParts)) for (const row of page) yield { row }
}

/**
 * Answers a call over HTTP: the rows of the verb, of a list one page and the cursor of the next.
 *
 * @throws AppError ERR_NOT_FOUND for an unknown verb, ERR_VALIDATION for a wrong input, or the verb's own refusal
 */
export async function answerCall(
  { name, input }: Readonly<{ name: string; input: unknown }>,
  { readsOnly, ...caller }: Caller,
  parts: OperatorParts,
): Promise<Page<unknown>> {
  const call = readCall(name, input)
  const callParts = { ...parts, readsOnly, by: { ...caller, verb: call.name } }
  const { limit = PAGE_ROWS } = call.input
  if (call.verb.isList && Number(limit) > PAGE_ROWS_MAX) {
    throw new AppError('ERR_VALIDATION', `A page has at most ${PAGE_ROWS_MAX} rows.`)
  }
  if (call.verb.isList) return readPage(call, { limit }, callParts)
  const rows: unknown[] = []
  for await (const page of pagesOf(call, callParts)) rows.push(...page)
  return { rows, next: null }
}

/** Answers a call over HTTP with the whole of a list as CSV. @throws as {@link answerCall}, before the first piece */
export async function* answerCsv(
  { name, input }: Readonly<{ name: string; input: unknown }>,
  { readsOnly: _exportsNothing, ...caller }: Caller,
  parts: OperatorParts,
): AsyncGenerator<string> {
  const call = readCall(name, input)
  yield* csvOf(call, { ...parts, by: { ...caller, verb: call.name } })
}

/** The whole of a list as CSV (RFC 4180), piece by piece; cells that a spreadsheet would run as formulas begin with `'`. */
async function* csvOf({ name, verb, input }: Call, parts: CallParts): AsyncGenerator<string> {
  if (!verb.hasCsv || !('shape' in verb.row))
    throw new AppError('ERR_VALIDATION', 'This is not given as CSV.')
  const columns = Object.keys(verb.row.shape as object)
  const options = { columns, escape_formulas: true, record_delimiter: 'windows' } as const
  await parts.accounts.noteAct(parts.by, { changes: { export: 'csv' } })
  yield stringify([columns], { record_delimiter: 'windows' })
  for await (const page of pagesOf({ name, verb, input }, parts)) yield stringify([...page], options)
}

/** Parses a call. @throws AppError ERR_NOT_FOUND, ERR_VALIDATION */
function readCall(name: string, input: unknown): Call {
  const found = findVerb(name)
  if (!found) throw new AppError('ERR_NOT_FOUND', `There is no verb "${name}".`)
  const parsed = found.verb.input.safeParse(input)
  if (parsed.success && NOT_KEPT.test(JSON.stringify(input))) {
    throw new AppError('ERR_VALIDATION', 'No text may have NUL or half of a surrogate pair.')
  }
  if (parsed.success) return { ...found, input: parsed.data }
  const [issue] = parsed.error.issues
  // Sentences of our own end with a full stop, the library's do not.
  if (issue?.message.endsWith('.')) throw new AppError('ERR_VALIDATION', issue.message)
  const field = issue?.path[0] ?? (issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined)
  throw new AppError(
    'ERR_VALIDATION',
    field === undefined
      ? undefined
      : `The field ${String(field)} is missing or does not have the expected form.`,
  )
}

/** All rows of a call: of a list page by page, up to its `limit`; of another verb one by one as they are done. */
async function* pagesOf(call: Call, parts: CallParts): AsyncGenerator<readonly unknown[]> {
  if (!call.verb.isList) {
    const answer = runOf(call.name)(call.input, parts)
    if (answer instanceof Promise) await answer
    else for await (const row of answer as AsyncIterable<unknown>) yield [row]
    return
  }
  let left = Number(call.input.limit ?? Number.POSITIVE_INFINITY)
  let { cursor } = call.input
  while (left > 0) {
    const page = await readPage(call, { limit: Math.min(left, PAGE_ROWS_MAX), cursor }, parts)
    yield page.rows
    if (page.next === null) return
    left -= page.rows.length
    cursor = page.next
  }
}

/** One page of a list. @throws AppError also ERR_VALIDATION for a cursor in which the database reads no number, id or moment */
async function readPage({ name, input }: Call, over: object, parts: CallParts): Promise<Page<unknown>> {
  const asked: Call['input'] = { ...input, ...over }
  try {
    return (await runOf(name)(asked, parts)) as Page<unknown>
  } catch (error) {
    const isUnreadable = asked.cursor !== undefined && /^22(P02|00[3789])$/.test(codeOf(error) ?? '')
    throw isUnreadable ? wrongCursor() : error
  }
}

/** What a verb does; its own schema has parsed the input, and the registry says which kind of answer it gives. */
function runOf(name: VerbName) {
  return RUNS[name] as (input: Readonly<Record<string, unknown>>, parts: CallParts) => unknown
}
