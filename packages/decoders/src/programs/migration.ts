import type { Launchpad, MigrationSource } from '@pairwire/contract/exchanges'
import { anchorHex, DiscriminatorTable } from '../bytes/discriminator.ts'
import { KeyTable } from '../bytes/key-table.ts'
import type { Invocation } from '../transaction/invocation.ts'
import type { Instruction, Position } from '../transaction/transaction.ts'
import { launchpadOf } from './launchpads.ts'

/** The curve's program that made a pool, and the launchpad where that is known. */
export type Migration = Readonly<{
  source: MigrationSource
  launchpad: Launchpad | null
  /** Position after the migration's last call: until there it may fill the pool that it made. */
  end: Position
}>

/** A launchpad of its own, or the place of the account that names the platform. */
type Rule = Readonly<{ source: MigrationSource; launchpad: Launchpad | null; platform: number | null }>

const PUMPFUN_PROGRAM = '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P'
const PUMPFUN: Rule = { source: 'pumpfun', launchpad: 'pumpfun', platform: null }
const LAUNCHLAB_TO_AMM: Rule = { source: 'raydium_launchpad', launchpad: null, platform: null }
const LAUNCHLAB_TO_CPMM: Rule = { source: 'raydium_launchpad', launchpad: null, platform: 3 }
const METEORA_DBC: Rule = { source: 'meteora_dbc', launchpad: null, platform: 2 }

/**
 * What a migration is: an instruction of a launchpad's program within which the pool of a completed curve is made.
 * By program and name.
 */
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

/** Wallet that moved pump.fun's completed curves to Raydium AMM v4 until March 2025, by no instruction of the program. */
const PUMPFUN_MIGRATOR = '39azUYFWPz3VHgKCf3VChUwbpURdCHRxjWVowf5jUJjg'

/**
 * The migration within which this instruction makes a pool; null for a pool that somebody made on their own.
 * `maker` is the place of the account that pays for the pool, where that alone may tell.
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
 * The migration within which a logged call makes a pool. Of pump.fun's instructions only those that migrate make one;
 * what other launchpads do is not to be told from logs.
 */
export function readLoggedMigration(
  call: Readonly<{ isWithin(program: string): boolean }>,
): Pick<Migration, 'source' | 'launchpad'> | null {
  return call.isWithin(PUMPFUN_PROGRAM) ? PUMPFUN : null
}

/** The migration of a coin that pump.fun's own agent trades, which has a name of its own. */
export function ofMayhem<Known extends Pick<Migration, 'launchpad'>>(
  migration: Known | null,
  isMayhem: boolean,
): Known | null {
  return migration !== null && isMayhem ? { ...migration, launchpad: 'pump_mayhem' } : migration
}
