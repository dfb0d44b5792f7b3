import { EXCHANGES } from '@pairwire/contract/exchanges'
import { type Fields, indexFields } from './fields.ts'
import { assertKnown, readAddresses, readChoices } from './read-fields.ts'
import { invalidParams, quoted, StreamFault } from './stream-fault.ts'
import { rightForm, STREAM_SENTENCES } from './stream-sentences.ts'

/** Accounts by their role in a swap. */
export type AccountLists = Readonly<{
  pools: ReadonlySet<string>
  wallets: ReadonlySet<string>
  mints: ReadonlySet<string>
}>

/** The filter of a swap subscription: any one of these matches, unless the filter is narrowed. */
export type SwapFilter = AccountLists &
  Readonly<{
    /** Minimum value in US dollars; null without one. A swap of unknown value never matches it. */
    usdAtLeast: number | null
    /** Further conditions on a swap. */
    narrowing?: Narrowing | undefined
  }>

/** The narrowing parts of a filter. With one of them, a filter that includes nothing starts from every swap. */
type Narrowing = Readonly<{
  /** Whether everything in the filter has to match, instead of any one thing. */
  matchAll: boolean
  exclude: AccountLists
  /** Null: all. */
  sourceExchanges: ReadonlySet<string> | null
  swapTypes: ReadonlySet<string> | null
}>

/** The lists of `include` and of `exclude`. */
const LISTS = ['ammAccount', 'walletAccount', 'baseTokenMint'] as const
const INCLUDE_FIELDS = [...LISTS, 'usdValue'] as const
/** Members of `params` next to `include` that would be overlooked anywhere else. */
export const PARAMS = [
  'exclude',
  'match',
  'sourceExchange',
  'swapType',
  'stage',
  'creator',
  'timestamps',
  'facts',
  'resume_from',
  'commitment',
  'replay',
] as const
const MATCHES = ['any', 'all'] as const
const SWAP_TYPES = ['buy', 'sell'] as const

const RIGHT_UPDATE =
  '{"method":"updateSubscriptionParams","params":{"subscription_id":1,"params":{"include":{"walletAccount":["…"]}}}}'
const RIGHT_EXCLUDE = '"exclude":{"walletAccount":["…"]}'

/**
 * Reads the swap filter from the params of a subscribe or of an update.
 *
 * @returns `filter` null if every swap is wanted; `accountsInFilter` counts entries as sent
 * @throws StreamFault with a sentence for each known mistake
 */
export function readSwapFilter(params: Fields): { filter: SwapFilter | null; accountsInFilter: number } {
  const misplaced = INCLUDE_FIELDS.find((name) => params.read(name) !== undefined)
  if (misplaced) {
    throw new StreamFault('FILTER_OUTSIDE_INCLUDE', STREAM_SENTENCES.FILTER_OUTSIDE_INCLUDE(misplaced))
  }

  const included = readInclude(params)
  const excluded = readExclude(params)
  const { lists, usdAtLeast } = included
  const isEmpty = included.count === 0 && usdAtLeast === null
  const matchAll = readMatch(params) === 'all' && !isEmpty
  const sourceExchanges = readChoices(params, 'sourceExchange', EXCHANGES)
  const swapTypes = readChoices(params, 'swapType', SWAP_TYPES)
  const isNarrowed = matchAll || excluded.count > 0 || sourceExchanges !== null || swapTypes !== null
  const filter: SwapFilter = {
    ...lists,
    usdAtLeast,
    narrowing: isNarrowed ? { matchAll, exclude: excluded.lists, sourceExchanges, swapTypes } : undefined,
  }
  return {
    filter: isEmpty && !isNarrowed ? null : filter,
    accountsInFilter: included.count + excluded.count,
  }
}

/** @throws StreamFault when a filter is next to `params`, where it would be overlooked */
export function assertNoFilterOutside(outside: Fields, isUpdate: boolean): void {
  const misplaced = ['include', ...INCLUDE_FIELDS].find((name) => outside.read(name) !== undefined)
  if (!misplaced) return

  const form = isUpdate ? RIGHT_UPDATE : rightForm()
  throw new StreamFault('FILTER_OUTSIDE_PARAMS', STREAM_SENTENCES.FILTER_OUTSIDE_PARAMS(misplaced, form))
}

type Accounts = Readonly<{ lists: AccountLists; count: number }>

function readInclude(params: Fields): Accounts & { usdAtLeast: number | null } {
  const fields = readObject(params, 'include', rightForm())
  const misplaced = PARAMS.find((name) => fields.read(name) !== undefined)
  if (misplaced) {
    throw invalidParams(
      `${misplaced} is inside include. Move it next to include: "params":{"include":{…},"${misplaced}":…}.`,
    )
  }
  const accounts = readAccounts(fields, 'include')
  const usdAtLeast = readUsdValue(fields)
  // A filter of only misspelled fields would let every swap through.
  if (accounts.count === 0 && usdAtLeast === null) assertIncludeKnown(params)
  return { ...accounts, usdAtLeast }
}

/** @throws StreamFault for a field of include that would be overlooked */
export function assertIncludeKnown(params: Fields): void {
  const fields = readObject(params, 'include', rightForm())
  assertKnown(fields, 'include', INCLUDE_FIELDS, `It takes ${INCLUDE_FIELDS.join(', ')}.`)
}

function readExclude(params: Fields): Accounts {
  const fields = readObject(params, 'exclude', RIGHT_EXCLUDE)
  assertKnown(fields, 'exclude', LISTS, `It takes lists of accounts: ${LISTS.join(', ')}.`)
  return readAccounts(fields, 'exclude')
}

function readObject(params: Fields, name: 'include' | 'exclude', form: string): Fields {
  const value = params.read(name) ?? {}
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw invalidParams(`${name} must be an object, as in ${form}.`)
  }
  return indexFields(value)
}

function readAccounts(fields: Fields, place: 'include' | 'exclude'): Accounts {
  const [pools, wallets, mints] = LISTS.map((name) => readAddresses(fields, name, `${place}.${name}`)) as [
    readonly string[],
    readonly string[],
    readonly string[],
  ]
  const lists = { pools: new Set(pools), wallets: new Set(wallets), mints: new Set(mints) }
  return { lists, count: pools.length + wallets.length + mints.length }
}

function readUsdValue(include: Fields): number | null {
  const value = include.read('usdValue')
  if (value === undefined) return null
  if (typeof value !== 'number' || value < 0 || !Number.isFinite(value)) {
    throw new StreamFault('INVALID_USD_VALUE', STREAM_SENTENCES.INVALID_USD_VALUE())
  }
  return value
}

function readMatch(params: Fields): (typeof MATCHES)[number] {
  const value = params.read('match') ?? 'any'
  const match = MATCHES.find((known) => known === value)
  if (match) return match
  throw invalidParams(`match must be "any", or "all" to match every field of include, not ${quoted(value)}.`)
}
