import type { NotificationEvent } from '@pairwire/contract'
import { EXCHANGES, LAUNCHPADS } from '@pairwire/contract/exchanges'
import type { StreamKind } from '@pairwire/contract/methods'
import type { Plan } from '@pairwire/contract/plans'
import type { Fields } from './fields.ts'
import { matchesFilter } from './matches-filter.ts'
import { readChoices, readFlag } from './read-fields.ts'
import { assertNoFilterOutside, PARAMS, readSwapFilter, type SwapFilter } from './read-swap-filter.ts'
import { invalidParams, StreamFault } from './stream-fault.ts'
import { STREAM_SENTENCES } from './stream-sentences.ts'

/** What a subscription wants of its stream. */
export type Interest = Readonly<{
  /** Whether its frames have the times of arrival and sending. */
  timestamps: boolean
}> &
  (
    | Readonly<{
        kind: 'newPair'
        includeLaunchpads: boolean
        /** Null: all. */
        sourceExchanges: ReadonlySet<string> | null
      }>
    /** `filter` null: every swap. `accountsInFilter` counts the entries of its lists as the client sent them. */
    | Readonly<{ kind: 'swap'; filter: SwapFilter | null; accountsInFilter: number }>
    | Readonly<{ kind: 'latestBlock' }>
  )

/** The place of the params of a subscribe or of an update. */
type InterestPlace = Readonly<{
  params: Fields
  /** The members around `params`: filters put there are mistakes, launchpad flags are accepted. */
  around: readonly Fields[]
  isUpdate: boolean
}>

const LAUNCHPAD_FLAGS = ['include_launchpad_tokens', 'include_pumpfun', 'include_raydium_launchlab'] as const

/** Params that an update cannot change. */
const FIXED = {
  resume_from: 'An update cannot resume: the subscription continues from where it is. Leave resume_from out.',
  commitment: 'An update cannot change commitment. Leave it out, or unsubscribe and subscribe again.',
  replay: 'An update cannot change what is replayed. Leave replay out, or unsubscribe and subscribe again.',
}

/** Params that a stream does not have. */
const FOREIGN: Readonly<Record<StreamKind, readonly ('include' | (typeof PARAMS)[number])[]>> = {
  swap: [],
  newPair: ['include', 'exclude', 'match', 'swapType'],
  latestBlock: ['include', 'exclude', 'match', 'sourceExchange', 'swapType'],
}

/**
 * Reads the params of a subscribe or of an update.
 *
 * @throws StreamFault with a sentence for each known mistake
 */
export function readInterest(kind: StreamKind, { params, around, isUpdate }: InterestPlace): Interest {
  for (const fields of around) assertNothingOutside(fields, kind, isUpdate)
  for (const fields of [params, ...around]) assertNothingForeign(fields, kind)
  for (const [name, sentence] of Object.entries(FIXED)) {
    if (isUpdate && params.read(name) !== undefined) throw invalidParams(sentence)
  }

  const timestamps = readFlag(params, 'timestamps')
  switch (kind) {
    case 'newPair': {
      const sourceExchanges = readChoices(params, 'sourceExchange', EXCHANGES)
      return { kind, timestamps, includeLaunchpads: wantsLaunchpads([params, ...around]), sourceExchanges }
    }
    case 'swap':
      return { kind, timestamps, ...readSwapFilter(params) }
    case 'latestBlock':
      return { kind, timestamps }
  }
}

/** @throws StreamFault when the plan does not allow a subscription with this interest. */
export function assertPlanAllows(interest: Interest, plan: Plan): void {
  if (interest.kind !== 'swap') return

  const { filter, accountsInFilter } = interest
  const named = filter ? filter.pools.size + filter.wallets.size + filter.mints.size : 0
  if (plan.swapFilterRequired && named === 0 && !((filter?.usdAtLeast ?? 0) > 0)) {
    throw new StreamFault('FILTER_REQUIRED', STREAM_SENTENCES.FILTER_REQUIRED(plan))
  }
  if (accountsInFilter > plan.swapFilterAccounts) {
    throw new StreamFault('FILTER_TOO_LARGE', STREAM_SENTENCES.FILTER_TOO_LARGE(plan, accountsInFilter))
  }
}

/** Whether the subscription wants the event. */
export function wantsEvent(interest: Interest, event: NotificationEvent): boolean {
  if (interest.kind === 'swap' && event.kind === 'swap') {
    return interest.filter === null || matchesFilter(interest.filter, event.params.swap)
  }
  if (interest.kind === 'newPair' && event.kind === 'newPair') {
    return wantsPairOf(interest, event.params.pair.sourceExchange)
  }
  return interest.kind === event.kind
}

/** Whether the subscription wants new pairs of this exchange. */
export function wantsPairOf(interest: Interest, sourceExchange: string): boolean {
  if (interest.kind !== 'newPair') return false
  if (!interest.includeLaunchpads && LAUNCHPADS.has(sourceExchange)) return false
  return interest.sourceExchanges === null || interest.sourceExchanges.has(sourceExchange)
}

/** Any flag that is true counts, wherever it is. */
function wantsLaunchpads(places: readonly Fields[]): boolean {
  const flags = places.flatMap((fields) => LAUNCHPAD_FLAGS.map((name) => readFlag(fields, name)))
  return flags.includes(true)
}

function assertNothingOutside(outside: Fields, kind: StreamKind, isUpdate: boolean): void {
  if (kind === 'swap') assertNoFilterOutside(outside, isUpdate)
  const misplaced = PARAMS.find((name) => outside.read(name) !== undefined)
  if (!misplaced) return
  const form = isUpdate
    ? `{"method":"updateSubscriptionParams","params":{"subscription_id":1,"params":{"${misplaced}":…}}}`
    : `{"method":"${kind}Subscribe","params":{"${misplaced}":…}}`
  throw new StreamFault('FILTER_OUTSIDE_PARAMS', STREAM_SENTENCES.FILTER_OUTSIDE_PARAMS(misplaced, form))
}

function assertNothingForeign(params: Fields, kind: StreamKind): void {
  const foreign = FOREIGN[kind].find((name) => !isNothing(name, params.read(name)))
  if (!foreign) return
  const taken = kind === 'newPair' ? 'sourceExchange and no other filter' : 'no filter'
  throw invalidParams(`${foreign} is not a filter of ${kind}Subscribe, which takes ${taken}. Leave it out.`)
}

/** The Go client sends an `include` without values when it has no filter. */
function isNothing(name: string, value: unknown): boolean {
  if (name !== 'include' || typeof value !== 'object') return value === undefined
  return Object.values(value ?? {}).every((field) => field === null)
}
