import type { Launchpad, MigrationSource } from '@pairwire/contract/exchanges'
import { anchorHex, DiscriminatorTable } from '../bytes/discriminator.ts'
import { KeyTable } from '../bytes/key-table.ts'
import type { Invocation } from '../transaction/invocation.ts'
import type { Instruction, Position } from '../transaction.ts'
import { launchpadOf } from './launchpads.ts'

/** The curve's program that created a pool, and the launchpad if known. */
export type Migration = Readonly<{
  source: MigrationSource
  launchpad: Launchpad | null
  /** Position after the migration's last call, until which it may fill its new pool. */
  end: Position
}>

/** A fixed launchpad, or the index of the platform account. */
type Rule = Readonly<{ source: MigrationSource; launchpad: Launchpad | null; platform: number | null }>

const PUMPFUN_PROGRAM = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P'
const PUMPFUN: Rule = { source: 'pumpfun', launchpad: 'pumpfun', platform: null }
const LAUNCHLAB_TO_AMM: Rule = { source: 'raydium_launchpad', launchpad: null, platform: null }
const LAUNCHLAB_TO_CPMM: Rule = { source: 'raydium_launchpad', launchpad: null, platform: 3 }
const METEORA_DBC: Rule = { source: 'meteora_dbc', launchpad: null, platform: 2 }

/** Migrations by program and name: instructions of a launchpad's program that create the pool of a completed curve. */
const MIGRATIONS = new KeyTable<DiscriminatorTable<Rule>>([
  [PUMPFUN_PROGRAM, ofInstructions({ migrate: PUMPFUN, migrate_v2: PUMPFUN })],
  [
    'LanMV9sAd7wArD4vJFi2qDdfnVhFxYSUg6eADduJ3uj',
    ofInstructions({ migrate_to_amm: LAUNCHLAB_TO_AMM, migrate_to_cpswap: LAUNCHLAB_TO_CPMM }),
  ],
  [
    'dbcij3LWUppWqq96dh6gJWwBifmcGfLSB5D4DuSMaqN',
    ofInstructions({ migrate_meteora_damm: METEORA_DBC, migration_damm_v2: METEORA_DBC }),
  ],
])

function ofInstructions(rules: Readonly<Record<string, Rule>>): DiscriminatorTable<Rule> {
  const byHex = Object.entries(rules).map(([name, rule]) => [anchorHex(`global:${name}`), rule])
  return new DiscriminatorTable(Object.fromEntries(byHex))
}

/** Wallet that moved pump.fun's completed curves to Raydium AMM v4 until March 2025, outside the program. */
const PUMPFUN_MIGRATOR = '39azUYFWPz3VHgKCf3VChUwbpURdCHRxjWVowf5jUJjg'

/**
 * Returns the migration within which this instruction creates a pool; null for an independent pool. `maker` is the
 * index of the account that pays for the pool, if it alone can tell.
 */
export function readMigration(invocation: Invocation, maker: number | null = null): Migration | null {
  if (maker !== null && invocation.address(maker) === PUMPFUN_MIGRATOR) {
    return { source: 'pumpfun', launchpad: 'pumpfun', end: invocation.end }
  }
  const { tree } = invocation
  const { keys, instructions } = tree.transaction
  const ruleOf = ({ programIndex, data }: Instruction): Rule | undefined => {
    const program = keys[programIndex]
    return program?.length === 32 ? MIGRATIONS.get(program)?.get(data) : undefined
  }
  const at = tree.callerOf(invocation.at, (caller) => ruleOf(caller) !== undefined)
  if (at === -1) return null

  const migrating = instructions[at]!
  const { source, launchpad, platform } = ruleOf(migrating)!
  const key = platform === null ? undefined : keys[migrating.accounts[platform] ?? -1]
  return { source, launchpad: key?.length === 32 ? launchpadOf(key) : launchpad, end: tree.end(at) }
}

/**
 * Returns the migration within which a logged call creates a pool. Of pump.fun's instructions only migrations create
 * one; logs do not tell for other launchpads.
 */
export function readLoggedMigration(
  call: Readonly<{ isWithin(program: string): boolean }>,
): Pick<Migration, 'source' | 'launchpad'> | null {
  return call.isWithin(PUMPFUN_PROGRAM) ? PUMPFUN : null
}

/** The migration of a coin that pump.fun's own agent trades, which has its own name. */
export function ofMayhem<Known extends Pick<Migration, 'launchpad'>>(
  migration: Known | null,
  isMayhem: boolean,
): Known | null {
  return migration !== null && isMayhem ? { ...migration, launchpad: 'pump_mayhem' } : migration
}
