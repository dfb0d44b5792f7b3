import { WRAPPED_SOL } from '@pairwire/contract'
import type { CreationSide, Decoder, PoolCreation } from '../decoder.ts'
import { Refused } from '../refused.ts'
import type { Invocation } from '../transaction/invocation.ts'
import { readMigration } from './migration.ts'

/** Indexes of the accounts of a new pool or curve, in the program's own order of base and quote. */
export type CreationPlaces = Readonly<{
  pool: number
  base: SidePlaces
  /** Absent for a curve that raises lamports, whose instruction names no mint. */
  quote?: SidePlaces
  /** Of the account that the program names as the creator. */
  creator?: number
}>

type SidePlaces = Readonly<{
  mint: number
  /** Absent if nothing is paid in at the creation, or the amount is known otherwise. */
  vault?: number
}>

/** Details of a creation besides its accounts. */
type KnownCreation = Partial<Pick<PoolCreation, 'migration' | 'launchpad' | 'creator' | 'curve'>> &
  Readonly<{
    /** Its `amount` applies if the side has no vault, or the record no transfers into it. */
    base?: Partial<CreationSide>
    quote?: Partial<CreationSide>
  }>

/**
 * Makes a new pool or curve, with what its vaults received.
 *
 * @throws Refused when neither the transfers into a vault nor the program tell the amount.
 */
export function createPool(
  invocation: Invocation,
  { pool, base, quote, creator }: CreationPlaces,
  known: KnownCreation = {},
): PoolCreation {
  return {
    kind: 'creation',
    pool: invocation.address(pool),
    base: createSide(invocation, base, known.base),
    quote: quote ? createSide(invocation, quote, known.quote) : NO_LAMPORTS,
    migration: known.migration ?? null,
    launchpad: known.launchpad ?? null,
    creator: creator === undefined ? known.creator : invocation.address(creator),
    ...(known.curve && { curve: known.curve }),
  }
}

/** Decodes an instruction whose accounts describe its new pool completely; `mayMigrate` if curves move there. */
export function newPool(places: CreationPlaces, { mayMigrate = false } = {}): Decoder['decode'] {
  return (invocation) =>
    createPool(invocation, places, mayMigrate ? { migration: readMigration(invocation) } : {})
}

const NO_LAMPORTS: CreationSide = { mint: WRAPPED_SOL, amount: 0n }

function createSide(
  invocation: Invocation,
  { mint, vault }: SidePlaces,
  known: Partial<CreationSide> = {},
): CreationSide {
  const flow = vault === undefined ? 0n : invocation.vaultFlow(invocation.account(vault))
  const amount = vault === undefined ? (known.amount ?? 0n) : (flow ?? known.amount)
  if (amount === undefined) throw new Refused('missing_event')
  return { ...known, mint: invocation.address(mint), amount }
}
