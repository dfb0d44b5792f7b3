import { WRAPPED_SOL } from '@pairwire/contract'
import type { CreationSide, Decoder, PoolCreation } from '../decoder.ts'
import { Refused } from '../refused.ts'
import type { Invocation } from '../transaction/invocation.ts'
import { readMigration } from './migration.ts'

/** Places of the accounts of a new pool or curve, in the program's own order of base and quote. */
export type CreationPlaces = Readonly<{
  pool: number
  base: SidePlaces
  /** Absent for a curve that raises lamports, of which the instruction names no mint. */
  quote?: SidePlaces
}>

type SidePlaces = Readonly<{
  mint: number
  /** Absent where nothing is put in at the creation, or what is put in shows otherwise. */
  vault?: number
}>

/** What is known of a creation besides its accounts. */
type KnownCreation = Partial<Pick<PoolCreation, 'migration' | 'launchpad'>> &
  Readonly<{
    /** Its `amount` holds where the side has no vault, or the record no transfers into it. */
    base?: Partial<CreationSide>
    quote?: Partial<CreationSide>
  }>

/**
 * A new pool or curve, with what its vaults received.
 *
 * @throws Refused when neither the transfers into a vault nor the program tell how much.
 */
export function createPool(
  invocation: Invocation,
  { pool, base, quote }: CreationPlaces,
  known: KnownCreation = {},
): PoolCreation {
  return {
    kind: 'creation',
    pool: invocation.address(pool),
    base: createSide(invocation, base, known.base),
    quote: quote ? createSide(invocation, quote, known.quote) : NO_LAMPORTS,
    migration: known.migration ?? null,
    launchpad: known.launchpad ?? null,
  }
}

/** Decodes an instruction whose accounts tell all of the pool that it makes; `mayMigrate` where curves move there. */
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
