import type { NotificationEvent } from '@pairwire/contract'
import { EXCHANGES, LAUNCHPADS } from '@pairwire/contract/exchanges'
import type { StreamKind } from '@pairwire/contract/methods'
import type { Plan } from '@pairwire/contract/plans'
import type { Fields } from './fields.ts'
import { matchesFilter } from './matches-filter.ts'
import { readAddresses, readChoices, readFlag } from './read-fields.ts'
import { assertNoFilterOutside, PARAMS, readSwapFilter, type SwapFilter } from './read-swap-filter.ts'
import { invalidParams, StreamFault } from './stream-fault.ts'
import { STREAM_SENTENCES } from './stream-sentences.ts'

/** What a subscription wants of its stream. */
export type Interest = Readonly<{
  /** Whether its frames have the times of arrival and sending. */
  timestamps: boolean
  /** Whether its frames have the events' facts. */
  facts: boolean
}> &
  (
    | Readonly<{
        kind: 'newPair'
        includeLaunchpads: boolean
        /** Null: all. */
        sourceExchanges: ReadonlySet<string> | null
        /** Null: those that `includeLaunchpads` says. */
        stages: ReadonlySet<string> | null
        /** Null: all. */
        creators: ReadonlySet<string> | null
        /** Creators as the client sent them. */
        accountsInFilter: number
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

/** Params that a stream does not have, and those that it takes in their place. */
type Foreign = Readonly<{ names: readonly ('include' | (typeof PARAMS)[number])[]; taken: string }>
const FOREIGN: Readonly<Record<StreamKind, Foreign>> = {
  swap: { names: ['stage', 'creator'], taken: 'include, exclude, match, sourceExchange and swapType' },
  newPair: {
    names: ['include', 'exclude', 'match', 'swapType'],
    taken: 'sourceExchange, stage, creator and no other filter',
  },
  latestBlock: {
    names: ['include', 'exclude', 'match', 'sourceExchange', 'swapType', 'stage', 'creator', 'facts'],
    taken: 'no filter',
  },
}

/** What a new pair may be: the first appearance of a curve, a pool that a curve moved to, or any other new pool. */
const STAGES = ['launched', 'migrated', 'listed'] as const

/**
 * Reads the params of a subscribe or of an update.
 *
 * @throws StreamFault with a sentence for each known mistake
 */
export function readInterest(kind: StreamKind, { params, around, isUpdate }: InterestPlace): Interest {
  // Its filter would be overlooked.
  if (params.read('params') !== undefined)
    throw invalidParams('params is not a param. Put its members in its place.')
  for (const fields of around) assertNothingOutside(fields, kind, isUpdate)
  for (const fields of [params, ...around]) assertNothingForeign(fields, kind)
  for (const [name, sentence] of Object.entries(FIXED)) {
    if (isUpdate && params.read(name) !== undefined) throw invalidParams(sentence)
  }

  const shown = { timestamps: readFlag(params, 'timestamps'), facts: readFlag(params, 'facts') }
  switch (kind) {
    case 'newPair': {
      const creators = readAddresses(params, 'creator', 'creator')
      return {
        ...{ kind, ...shown, includeLaunchpads: wantsLaunchpads([params, ...around]) },
        sourceExchanges: readChoices(params, 'sourceExchange', EXCHANGES),
        stages: readChoices(params, 'stage', STAGES),
        creators: creators.length === 0 ? null : new Set(creators),
        accountsInFilter: creators.length,
      }
    }
    case 'swap':
      return { kind, ...shown, ...readSwapFilter(params) }
    case 'latestBlock':
      return { kind, ...shown }
  }
}

/** @throws StreamFault when the plan does not allow a subscription with this interest. */
export function assertPlanAllows(interest: Interest, plan: Plan): void {
  if (interest.kind === 'latestBlock') return
  if (interest.accountsInFilter > plan.swapFilterAccounts) {
    throw new StreamFault(
      'FILTER_TOO_LARGE',
      STREAM_SENTENCES.FILTER_TOO_LARGE(plan, interest.accountsInFilter),
    )
  }
  if (interest.kind !== 'swap') return

  const { filter } = interest
  const named = filter ? filter.pools.size + filter.wallets.size + filter.mints.size : 0
  if (plan.swapFilterRequired && named === 0 && !((filter?.usdAtLeast ?? 0) > 0)) {
    throw new StreamFault('FILTER_REQUIRED', STREAM_SENTENCES.FILTER_REQUIRED(plan))
  }
}

/** Whether the subscription wants the event. */
export function wantsEvent(interest: Interest, event: NotificationEvent): boolean {
  if (interest.kind === 'swap' && event.kind === 'swap') {
    return interest.filter === null || matchesFilter(interest.filter, event.params.swap)
  }
  if (interest.kind === 'newPair' && event.kind === 'newPair') {
    return wantsPairOf(interest, { ...event.params.pair, creator: event.facts?.creator })
  }
  return interest.kind === event.kind
}

/** What a filter looks at in a new pair. */
type FilteredPair = Readonly<{
  sourceExchange: string
  migration?: string | null | undefined
  creator?: string | null | undefined
}>

/** Whether the subscription wants such new pairs. */
export function wantsPairOf(interest: Interest, pair: FilteredPair): boolean {
  if (interest.kind !== 'newPair') return false
  const { stages, sourceExchanges, creators } = interest
  const isOfStage = stages
    ? stages.has(stageOf(pair))
    : interest.includeLaunchpads || !LAUNCHPADS.has(pair.sourceExchange)
  if (!isOfStage) return false
  if (sourceExchanges !== null && !sourceExchanges.has(pair.sourceExchange)) return false
  return creators === null || creators.has(pair.creator ?? '')
}

function stageOf({ sourceExchange, migration }: FilteredPair): (typeof STAGES)[number] {
  if (LAUNCHPADS.has(sourceExchange)) return 'launched'
  return migration ? 'migrated' : 'listed'
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
  const { names, taken } = FOREIGN[kind]
  const foreign = names.find((name) => !isNothing(name, params.read(name)))
  if (foreign === 'facts') throw invalidParams('A block has no facts. Leave facts out.')
  if (!foreign) return
  throw invalidParams(`${foreign} is not a filter of ${kind}Subscribe, which takes ${taken}. Leave it out.`)
}

/** The Go client sends an `include` without values when it has no filter. */
function isNothing(name: string, value: unknown): boolean {
  if (name !== 'include' || typeof value !== 'object') return value === undefined
  return Object.values(value ?? {}).every((field) => field === null)
}
