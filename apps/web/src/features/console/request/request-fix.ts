import { REQUEST_METHODS, type RequestMethod } from '@pairwire/contract/methods'
import { type Plan, WHALE_USD } from '@pairwire/contract/plans'
import { nearest } from '@pairwire/filter/nearest'
import { type Fields, fieldsOf } from '../feed/read-event.ts'
import type { Refusal } from '../feed/refusal.ts'
import type { OpenSubscription } from '../feed/worker-messages.ts'
import { filterUpdate } from './filter-update.ts'
import { findJsonFault } from './json-fault.ts'

/** A change of the request that fixes a refusal. */
type RequestFix = Readonly<{ label: string; text: string }>

/** What a fix may depend on besides the request. */
type FixFacts = Readonly<{ plan: Plan | undefined; subscriptions: readonly OpenSubscription[] }>

/**
 * Returns a change that makes `text` acceptable to the server that refused it, if it can be computed.
 *
 * @returns `undefined` if only the person knows what is meant, or the text is already correct.
 */
export function requestFix(text: string, refusal: Refusal, facts: FixFacts): RequestFix | undefined {
  if (refusal.errorType === 'NOT_JSON') return mended(text)
  let request: unknown
  try {
    request = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof request !== 'object' || request === null || !Object.hasOwn(FIXES, refusal.errorType))
    return undefined
  const fix = FIXES[refusal.errorType]?.(request as Fields, refusal, facts) // each fix reads tolerantly
  if (!fix || JSON.stringify(fix.request) === JSON.stringify(request)) return undefined
  return { label: fix.label, text: JSON.stringify(fix.request, null, 2) }
}

type Fix = (
  request: Fields,
  refusal: Refusal,
  facts: FixFacts,
) => Readonly<{ label: string; request: unknown }> | undefined

const LISTS = ['ammaccount', 'walletaccount', 'basetokenmint']
const INCLUDED = [...LISTS, 'usdvalue']
const ENVELOPE = ['jsonrpc', 'id', 'method', 'params', 'result']

const FIXES: Readonly<Record<string, Fix>> = {
  UNKNOWN_METHOD: (request) => {
    const method: RequestMethod | undefined = nearest(String(request.method), REQUEST_METHODS)
    return method && { label: `Change it to ${method}`, request: { ...request, method } }
  },
  BATCH: (request) =>
    Array.isArray(request) && request.length > 0
      ? { label: 'Keep the first request', request: request[0] }
      : undefined,
  FILTER_OUTSIDE_PARAMS: (request) => ({ label: 'Move the filter into params', request: arranged(request) }),
  FILTER_OUTSIDE_INCLUDE: (request) => ({
    label: 'Move the filter into include',
    request: arranged(request),
  }),
  NOT_A_LIST: (request) => ({
    label: 'Make it a list',
    request: withLists(request, (value) => (typeof value === 'string' ? [value] : value)),
  }),
  EMPTY_LIST: (request) => ({
    label: 'Leave the empty list out',
    request: withLists(request, (value) => (Array.isArray(value) && value.length === 0 ? undefined : value)),
  }),
  INVALID_USD_VALUE: (request) => {
    const include = fieldsOf(fieldsOf(request.params).include)
    const name = Object.keys(include).find((key) => key.toLowerCase() === 'usdvalue')
    const usd = Number(String(name && include[name]).replace(/[$,_\s]/g, ''))
    if (name === undefined || !(usd >= 0)) return undefined
    return { label: `Write it as ${usd}`, request: withInclude(request, { ...include, [name]: usd }) }
  },
  FILTER_REQUIRED: (request) => ({
    label: `Ask for swaps over ${WHALE_USD.toLocaleString('en-GB')} USD`,
    request: withInclude(request, { ...fieldsOf(fieldsOf(request.params).include), usdValue: WHALE_USD }),
  }),
  FILTER_TOO_LARGE: (request, _, { plan }) => {
    if (!plan) return undefined
    let room = plan.swapFilterAccounts
    const kept = withLists(request, (value) => {
      if (!Array.isArray(value)) return value
      const part = value.slice(0, room)
      room -= part.length
      return part.length === 0 ? undefined : part
    })
    const count = plan.swapFilterAccounts
    return {
      label: count === 1 ? 'Keep the first account' : `Keep the first ${count} accounts`,
      request: kept,
    }
  },
  ALREADY_SUBSCRIBED: (request, _, { subscriptions }) => {
    const update = filterUpdate(JSON.stringify(request), subscriptions)
    return update === undefined
      ? undefined
      : { label: 'Update the open subscription', request: JSON.parse(update) }
  },
  CURSOR_TOO_OLD: (request, { oldest }) =>
    oldest === ''
      ? undefined
      : {
          label: 'Resume from the oldest kept',
          request: { ...request, params: { ...fieldsOf(request.params), resume_from: oldest } },
        },
}

/** Moves every known filter to its place: fields of include into it, other params next to it. */
function arranged(request: Fields): Fields {
  const params: Record<string, unknown> = { ...fieldsOf(request.params) }
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(request)) {
    if (ENVELOPE.includes(name)) kept[name] = value
    else params[name] = value
  }
  const include: Record<string, unknown> = { ...fieldsOf(params.include) }
  for (const [name, value] of Object.entries(params)) {
    if (!INCLUDED.includes(name.toLowerCase())) continue
    include[name] = value
    delete params[name]
  }
  if (Object.keys(include).length > 0) params.include = include
  return { ...kept, params }
}

/** Changes each list of include and exclude; `undefined` removes it. */
function withLists(request: Fields, change: (value: unknown) => unknown): Fields {
  const params: Record<string, unknown> = { ...fieldsOf(request.params) }
  for (const place of ['include', 'exclude']) {
    if (!(place in params)) continue
    const changed = Object.entries(fieldsOf(params[place])).map(([name, value]) => [
      name,
      LISTS.includes(name.toLowerCase()) ? change(value) : value,
    ])
    params[place] = Object.fromEntries(changed.filter(([, value]) => value !== undefined))
    if (changed.length > 0 && Object.keys(fieldsOf(params[place])).length === 0) delete params[place]
  }
  return { ...request, params }
}

function withInclude(request: Fields, include: Fields): Fields {
  return { ...request, params: { ...fieldsOf(request.params), include } }
}

/** Fixes missing and extra commas and closing brackets; everything else is left to the person. */
function mended(text: string): RequestFix | undefined {
  let mending = text
  for (let step = 0; step < MOST_MENDS; step++) {
    const fault = findJsonFault(mending)
    if (!fault) return mending === text ? undefined : { label: 'Mend the JSON', text: mending }
    const lines = mending.split('\n')
    const before = lines.slice(0, fault.line - 1).join('\n').length + (fault.line > 1 ? 1 : 0)
    const at = before + fault.column - 1
    const head = mending.slice(0, at)
    const tail = mending.slice(at)
    if (tail === '') {
      const mark = fault.expected.endsWith('brace') ? '}' : fault.expected.endsWith('bracket') ? ']' : ''
      if (mark === '') return undefined
      mending = head + mark
    } else if (fault.expected === 'a comma') {
      const end = head.trimEnd().length
      mending = `${head.slice(0, end)},${head.slice(end)}${tail}`
    } else if (/^[}\]]/.test(tail) && /,\s*$/.test(head)) mending = head.replace(/,(\s*)$/, '$1') + tail
    else return undefined
  }
  return undefined
}

/** Largest number of faults fixed in one text. */
const MOST_MENDS = 8
