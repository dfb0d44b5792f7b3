import { LAUNCHPADS } from '@pairwire/contract/exchanges'
import { type Interest, includesEverything, type SwapFilter } from '@pairwire/filter'
import { quoted } from '../engine/columns.ts'

/**
 * The condition in SQL, over the columns of an hour's file, that matches the same events as the stream's filter in
 * `wantsEvent`. Every client value in it was parsed as an address, a number or a known name.
 */
export function filterCondition(interest: Interest): string {
  if (interest.kind === 'swap') return interest.filter ? swapCondition(interest.filter) : 'true'
  if (interest.kind !== 'newPair') return 'false'
  const { includeLaunchpads, sourceExchanges, stages } = interest
  const isCurve = isOneOf('sourceExchange', LAUNCHPADS)
  const isPool = `NOT ${isCurve} AND migration IS`
  const byStage = { launched: isCurve, migrated: `(${isPool} NOT NULL)`, listed: `(${isPool} NULL)` }
  const wanted = stages && Object.entries(byStage).flatMap(([stage, is]) => (stages.has(stage) ? [is] : []))
  return allOf(
    wanted ? anyOf(...wanted) : includeLaunchpads ? 'true' : `NOT ${isCurve}`,
    sourceExchanges ? isOneOf('sourceExchange', sourceExchanges) : 'true',
  )
}

function swapCondition(filter: SwapFilter): string {
  const { narrowing } = filter
  const parts = partsOf(filter)
  if (!narrowing) return anyOf(...parts)
  const { matchAll, exclude, sourceExchanges, swapTypes } = narrowing
  const included = matchAll ? allOf(...parts) : anyOf(...parts)
  return allOf(
    sourceExchanges ? isOneOf('sourceExchange', sourceExchanges) : 'true',
    swapTypes ? isOneOf('swapType', swapTypes) : 'true',
    `NOT ${anyOf(...partsOf({ ...exclude, usdAtLeast: null }))}`,
    includesEverything(filter) ? 'true' : included,
  )
}

/** One condition per member of the filter. A swap of unknown value never matches a value bound. */
function partsOf({ pools, wallets, mints, usdAtLeast }: Omit<SwapFilter, 'narrowing'>): string[] {
  const lists = [
    ['ammAccount', pools],
    ['walletAccount', wallets],
    ['baseTokenMint', mints],
  ] as const
  return [
    ...lists.filter(([, list]) => list.size > 0).map(([column, list]) => isOneOf(column, list)),
    ...(usdAtLeast === null ? [] : [`coalesce(usdValue >= ${usdAtLeast}::DOUBLE, false)`]),
  ]
}

function isOneOf(column: string, values: ReadonlySet<string>): string {
  return values.size === 0 ? 'false' : `(${column} IN (${[...values].map(quoted).join(', ')}))`
}

const anyOf = (...parts: string[]): string => (parts.length === 0 ? 'false' : `(${parts.join(' OR ')})`)

const allOf = (...parts: string[]): string => `(${parts.join(' AND ')})`
