import { isAddress, type Plan, type StreamKind } from '@pairwire/contract'
import { nearest } from './nearest.ts'
import { quoted } from './request.ts'
import { StreamFault } from './stream-fault.ts'
import type { Interest } from './subscription.ts'

type Fields = Readonly<Record<string, unknown>>

/** The lists of `include`, with the example that a sentence shows. */
const LISTS = ['ammAccount', 'walletAccount', 'baseTokenMint'] as const
const FILTER_FIELDS = [...LISTS, 'usdValue'] as const
const LAUNCHPAD_FLAGS = ['include_launchpad_tokens', 'include_pumpfun', 'include_raydium_launchlab'] as const

/** Parts of the stream that a client may ask for and that would be missed if they were passed over in silence. */
const NOT_YET = ['resume_from', 'exclude', 'match', 'sourceExchange', 'swapType'] as const

const RIGHT_FORM = '{"method":"swapSubscribe","params":{"include":{"walletAccount":["…"]}}}'

/**
 * Reads the params of a subscribe or of an update. Names match in any case; null counts as absent.
 *
 * @param outside members of the request beside `params`, where a filter is put by mistake
 * @throws StreamFault with a sentence for each known mistake
 */
export function readInterest(kind: StreamKind, params: Fields, outside: Fields = {}): Interest {
  if (kind !== 'latestBlock') assertNothingOutside(kind, outside)
  for (const name of NOT_YET) {
    if (readField(params, name) !== undefined) {
      throw new StreamFault('NOT_AVAILABLE', `${name} is not available in this version. Leave it out.`)
    }
  }

  switch (kind) {
    case 'newPair':
      return { kind, includeLaunchpads: LAUNCHPAD_FLAGS.map((name) => readFlag(params, name)).includes(true) }
    case 'swap':
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
  const misplaced = FILTER_FIELDS.find((name) => readField(params, name) !== undefined)
  if (misplaced) {
    throw new StreamFault(
      'FILTER_OUTSIDE_INCLUDE',
      `${misplaced} belongs into params.include, as in ${RIGHT_FORM}.`,
    )
  }

  const include = readField(params, 'include')
  if (include === undefined) return { kind: 'swap', filter: null, accountsInFilter: 0 }
  if (typeof include !== 'object' || Array.isArray(include)) {
    throw new StreamFault('INVALID_PARAMS', `include must be an object, as in ${RIGHT_FORM}.`)
  }
  const fields = include as Fields // an object out of JSON

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
  const value = readField(include, name)
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
  const value = readField(include, 'usdValue')
  if (value === undefined) return null
  if (typeof value !== 'number' || value < 0 || !Number.isFinite(value)) {
    throw new StreamFault(
      'INVALID_USD_VALUE',
      `include.usdValue must be a number of US dollars, 0 or more, without quotes: "usdValue":10000.`,
    )
  }
  return value
}

function readFlag(params: Fields, name: string): boolean {
  const value = readField(params, name)
  if (value === undefined) return false
  if (typeof value !== 'boolean') {
    throw new StreamFault('INVALID_PARAMS', `${name} must be true or false, without quotes.`)
  }
  return value
}

/** A filter of nothing but misspelled fields would let every swap through. */
function assertNoUnknownField(include: Fields): void {
  const unknown = Object.keys(include).find(
    (name) => include[name] !== null && !FILTER_FIELDS.some((known) => isSameName(known, name)),
  )
  if (unknown === undefined) return

  const meant = nearest(unknown, FILTER_FIELDS)
  const hint = meant ? `Did you mean ${meant}?` : `It takes ${FILTER_FIELDS.join(', ')}.`
  throw new StreamFault('UNKNOWN_FILTER_FIELD', `include has no field ${quoted(unknown)}. ${hint}`)
}

function assertNothingOutside(kind: 'newPair' | 'swap', outside: Fields): void {
  const names = kind === 'swap' ? ['include', ...FILTER_FIELDS] : LAUNCHPAD_FLAGS
  const misplaced = names.find((name) => readField(outside, name) !== undefined)
  if (!misplaced) return

  const form =
    kind === 'swap' ? RIGHT_FORM : '{"method":"newPairSubscribe","params":{"include_launchpad_tokens":true}}'
  throw new StreamFault('FILTER_OUTSIDE_PARAMS', `${misplaced} stands outside params. Send ${form}.`)
}

/** The member of that name, in any case; undefined when it is absent or null. */
export function readField(fields: Fields, name: string): unknown {
  if (Object.hasOwn(fields, name) && fields[name] !== null) return fields[name]
  for (const key of Object.keys(fields)) {
    if (isSameName(key, name) && fields[key] !== null) return fields[key]
  }
  return undefined
}

function isSameName(first: string, second: string): boolean {
  return first.length === second.length && first.toLowerCase() === second.toLowerCase()
}
