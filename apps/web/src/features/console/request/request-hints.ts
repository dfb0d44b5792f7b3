import { REQUEST_METHODS, type RequestMethod } from '@pairwire/contract/methods'
import { planByName } from '@pairwire/contract/plans'
import { nearest } from '@pairwire/filter/nearest'
import { namesMainnet } from './examples.ts'
import { findJsonFault, isDeep } from './json-fault.ts'
import type { readParamsFault } from './params-fault.ts'

/** A remark under the request editor. It never prevents sending. */
type Hint = Readonly<{
  tone: 'good' | 'note' | 'warning'
  words: string
  /** Set in the data font, after the words. */
  code?: string
}>

/**
 * Returns remarks on a request before it is sent, given the name of the plan, whether the chain is made up, and the
 * reader of params, once loaded.
 */
export function requestHints(
  text: string,
  planName?: string,
  isSimulated = false,
  paramsFault?: typeof readParamsFault,
): readonly Hint[] {
  if (text === '') return [{ tone: 'note', words: 'Empty. You can still send it.' }]
  const broken = findJsonFault(text)
  if (broken) {
    const { line, column, expected } = broken
    const what = expected === 'nothing more' ? 'the JSON ends before this' : `${expected} is missing`
    const words = `Line ${line}, column ${column}: ${what}. You can still send it.`
    return [{ tone: 'warning', words }]
  }
  if (isDeep(text)) return [{ tone: 'warning', words: 'Nested too deeply to format. You can send it.' }]
  const request: unknown = JSON.parse(text)
  const method = memberOf(request, 'method')
  if (typeof method !== 'string') return [{ tone: 'warning', words: 'Valid JSON without a method.' }]
  if (!isKnown(method)) return [{ tone: 'warning', words: unknownMethod(method) }]

  const hints: Hint[] = [{ tone: 'good', words: 'Valid JSON,', code: method }]
  const fault = paramsFault?.(request as object, method) // an object: it has a method
  if (fault !== undefined) return [...hints, { tone: 'warning', words: fault }]
  const plan = method === 'swapSubscribe' ? planHint(memberOf(request, 'params'), planName) : undefined
  if (plan) hints.push(plan)
  const commitment = memberOf(memberOf(request, 'params'), 'commitment')
  if (commitment === 'processed') hints.push({ tone: 'note', words: EARLY })
  else if (commitment !== undefined && commitment !== 'confirmed') {
    hints.push({ tone: 'warning', words: 'commitment is "confirmed" or "processed".' })
  }
  if (memberOf(memberOf(request, 'params'), 'facts') === true) hints.push({ tone: 'note', words: FACTS })
  if (isSimulated && namesMainnet(text)) hints.push({ tone: 'warning', words: NOT_SIMULATED })
  return hints
}

const EARLY =
  'Events come before they are confirmed, with a dashed mark. Those that are taken back are struck through.'
const FACTS = 'The JSON of each event has its facts: market cap, curve, creator or balance.'
const NOT_SIMULATED =
  'This is a mainnet address, and the data is simulated. Start with All swaps, then press the example again: it names one that trades now.'

function isKnown(method: string): method is RequestMethod {
  return (REQUEST_METHODS as readonly string[]).includes(method)
}

function unknownMethod(method: string): string {
  const near = nearest(method, REQUEST_METHODS)
  return `Unknown method "${method.slice(0, 40)}".${near ? ` Did you mean ${near}?` : ''}`
}

/** Returns why a plan refuses a request; `undefined` if it does not. */
export function planFault(text: string, planName: string | undefined): string | undefined {
  const { method, params } = JSON.parse(text)
  const hint = method === 'swapSubscribe' ? planHint(params, planName) : undefined
  return hint?.tone === 'warning' ? hint.words : undefined
}

function planHint(params: unknown, planName: string | undefined): Hint | undefined {
  const plan = planName === undefined ? undefined : planByName(planName)
  if (!plan) return undefined
  const include = memberOf(params, 'include')
  const lists = ['ammaccount', 'walletaccount', 'basetokenmint'].map((name) => memberOf(include, name))
  const accounts = lists.reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0)
  const usd = memberOf(include, 'usdvalue')
  const isFiltered = accounts > 0 || (typeof usd === 'number' && usd > 0)

  if (accounts > plan.swapFilterAccounts) {
    const allowed = plan.swapFilterAccounts.toLocaleString('en-GB')
    return { tone: 'warning', words: `${accounts} accounts in the filter. ${plan.name} allows ${allowed}.` }
  }
  if (plan.swapFilterRequired && !isFiltered) {
    return { tone: 'warning', words: `${plan.name} needs at least one filter.` }
  }
  if (plan.swapEventsPerPeriod !== null) {
    const events = plan.swapEventsPerPeriod.toLocaleString('en-GB')
    return { tone: 'note', words: `${plan.name} delivers ${events} swap events.` }
  }
  return isFiltered ? undefined : { tone: 'note', words: `No filters. Your plan, ${plan.name}, allows this.` }
}

/** Finds a member by its name in any case, as the server reads filters. */
function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  const wanted = name.toLowerCase()
  return Object.entries(value).find(([key]) => key.toLowerCase() === wanted)?.[1]
}
