import { isAddress, type Plan, type StreamKind } from '@pairwire/contract'
import { type Fields, indexFields } from './fields.ts'
import { nearest } from './nearest.ts'
import { quoted } from './request.ts'
import { StreamFault } from './stream-fault.ts'
import type { Interest } from './subscription.ts'

/** The lists of `include`. */
const LISTS = ['ammAccount', 'walletAccount', 'baseTokenMint'] as const
const FILTER_FIELDS = [...LISTS, 'usdValue'] as const
const LAUNCHPAD_FLAGS = ['include_launchpad_tokens', 'include_pumpfun', 'include_raydium_launchlab'] as const

/** Parts of the stream that a client may ask for and that would be missed if they were passed over in silence. */
const NOT_YET = [
  'resume_from',
  'commitment',
  'timestamps',
  'exclude',
  'match',
  'sourceExchange',
  'swapType',
] as const

const RIGHT_FORM = '{"method":"swapSubscribe","params":{"include":{"walletAccount":["…"]}}}'
const RIGHT_UPDATE =
  '{"method":"updateSubscriptionParams","params":{"subscription_id":1,"params":{"include":{"walletAccount":["…"]}}}}'

/** Where the params of a subscribe or of an update stand. */
export type InterestPlace = Readonly<{
  params: Fields
  /** Members of the request around `params`: filters are put there by mistake, launchpad flags are taken there too. */
  around: readonly Fields[]
  isUpdate: boolean
}>

/**
 * Reads the params of a subscribe or of an update.
 *
 * @throws StreamFault with a sentence for each known mistake
 */
export function readInterest(kind: StreamKind, { params, around, isUpdate }: InterestPlace): Interest {
  for (const fields of [params, ...around]) assertAvailable(fields)

  switch (kind) {
    case 'newPair':
      return { kind, includeLaunchpads: wantsLaunchpads([params, ...around]) }
    case 'swap':
      for (const fields of around) assertNoFilter(fields, isUpdate)
      return readSwapInterest(params)
    case 'latestBlock':
      return { kind }
  }
}

/** @throws StreamFault when the plan does not allow a subscription with this interest. */
export function assertPlanAllows(interest: Interest, plan: Plan): void {
  if (interest.kind !== 'swap') return

  const { filter, accountsInFilter } = interest
  if (plan.swapFilterRequired && accountsInFilter === 0 && !((filter?.usdAtLeast ?? 0) > 0)) {
    throw new StreamFault(
      'FILTER_REQUIRED',
      `The plan ${plan.name} needs a filter: name accounts, or a usdValue above 0, in params.include, as in ${RIGHT_FORM}.`,
    )
  }
  if (accountsInFilter > plan.swapFilterAccounts) {
    throw new StreamFault(
      'FILTER_TOO_LARGE',
      `The filter names ${accountsInFilter} accounts; the plan ${plan.name} allows ${plan.swapFilterAccounts}, its lists together.`,
    )
  }
}

function readSwapInterest(params: Fields): Interest {
  const misplaced = FILTER_FIELDS.find((name) => params.read(name) !== undefined)
  if (misplaced) {
    throw new StreamFault(
      'FILTER_OUTSIDE_INCLUDE',
      `${misplaced} belongs into params.include, as in ${RIGHT_FORM}.`,
    )
  }

  const include = params.read('include')
  if (include === undefined) return { kind: 'swap', filter: null, accountsInFilter: 0 }
  if (typeof include !== 'object' || include === null || Array.isArray(include)) {
    throw new StreamFault('INVALID_PARAMS', `include must be an object, as in ${RIGHT_FORM}.`)
  }
  const fields = indexFields(include)
  assertAvailable(fields)

  const [pools, wallets, mints] = LISTS.map((name) => readAddresses(fields, name)) as [
    readonly string[],
    readonly string[],
    readonly string[],
  ]
  const usdAtLeast = readUsdValue(fields)
  const accountsInFilter = pools.length + wallets.length + mints.length
  if (accountsInFilter === 0 && usdAtLeast === null) {
    assertNoUnknownField(fields)
    return { kind: 'swap', filter: null, accountsInFilter: 0 }
  }
  return {
    kind: 'swap',
    filter: { pools: new Set(pools), wallets: new Set(wallets), mints: new Set(mints), usdAtLeast },
    accountsInFilter,
  }
}

function readAddresses(include: Fields, name: (typeof LISTS)[number]): readonly string[] {
  const value = include.read(name)
  if (value === undefined) return []
  if (!Array.isArray(value)) {
    throw new StreamFault('NOT_A_LIST', `include.${name} must be a list of addresses: "${name}":["…"].`)
  }
  if (value.length === 0) {
    throw new StreamFault(
      'EMPTY_LIST',
      `include.${name} is an empty list. Name at least one address, or leave ${name} out.`,
    )
  }
  const wrong = value.findIndex((entry) => typeof entry !== 'string' || !isAddress(entry))
  if (wrong >= 0) {
    throw new StreamFault(
      'INVALID_ADDRESS',
      `include.${name}[${wrong}] is not an address (base58 of 32 bytes): ${quoted(value[wrong])}.`,
    )
  }
  return value
}

function readUsdValue(include: Fields): number | null {
  const value = include.read('usdValue')
  if (value === undefined) return null
  if (typeof value !== 'number' || value < 0 || !Number.isFinite(value)) {
    throw new StreamFault(
      'INVALID_USD_VALUE',
      `include.usdValue must be a number of US dollars, 0 or more, without quotes: "usdValue":10000.`,
    )
  }
  return value
}

/** Any flag that is true counts, wherever it stands. */
function wantsLaunchpads(places: readonly Fields[]): boolean {
  const flags = places.flatMap((fields) => LAUNCHPAD_FLAGS.map((name) => readFlag(fields, name)))
  return flags.includes(true)
}

function readFlag(fields: Fields, name: string): boolean {
  const value = fields.read(name)
  if (value === undefined) return false
  if (typeof value !== 'boolean') {
    throw new StreamFault('INVALID_PARAMS', `${name} must be true or false, without quotes.`)
  }
  return value
}

/** A filter of nothing but misspelled fields would let every swap through. */
function assertNoUnknownField(include: Fields): void {
  for (const unknown of include.names()) {
    const meant = nearest(unknown, FILTER_FIELDS)
    const hint = meant ? `Did you mean ${meant}?` : `It takes ${FILTER_FIELDS.join(', ')}.`
    throw new StreamFault('UNKNOWN_FILTER_FIELD', `include has no field ${quoted(unknown)}. ${hint}`)
  }
}

/** What this version lacks is refused by name wherever it stands. */
function assertAvailable(fields: Fields): void {
  const lacking = NOT_YET.find((name) => fields.read(name) !== undefined)
  if (lacking) {
    throw new StreamFault('NOT_AVAILABLE', `${lacking} is not available in this version. Leave it out.`)
  }
}

function assertNoFilter(outside: Fields, isUpdate: boolean): void {
  const misplaced = ['include', ...FILTER_FIELDS].find((name) => outside.read(name) !== undefined)
  if (!misplaced) return

  const form = isUpdate ? RIGHT_UPDATE : RIGHT_FORM
  throw new StreamFault('FILTER_OUTSIDE_PARAMS', `${misplaced} stands outside params. Send ${form}.`)
}
