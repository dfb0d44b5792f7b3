import { DOOR_PARTS } from '@pairwire/api'
import { gatewaySettings } from '@pairwire/gateway'
import { readSettings, type SettingsOf, sourceSettings } from '@pairwire/process'

/** All groups of settings that all parts read. */
export const PARTS = [...DOOR_PARTS, gatewaySettings] as const

/** The configuration of all parts in one process, read once from the environment. */
export type Config = SettingsOf<typeof PARTS>

/** @throws ConfigError that names all faults at once */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  return readSettings(environment, PARTS)
}

/** The settings of the chain's source; the rest of the environment need not be valid. */
export function readSourceConfig(environment: NodeJS.ProcessEnv): SettingsOf<[typeof sourceSettings]> {
  const { SOLANA_SOURCE, SOLANA_SOURCE_TOKEN, SOLANA_RPC_URL } = environment
  return readSettings({ SOLANA_SOURCE, SOLANA_SOURCE_TOKEN, SOLANA_RPC_URL }, [sourceSettings])
}
