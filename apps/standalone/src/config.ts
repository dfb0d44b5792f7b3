import { DOOR_PARTS } from '@pairwire/api'
import { gatewaySettings } from '@pairwire/gateway'
import { readSettings, type SettingsOf, sourceSettings } from '@pairwire/process'

/** Every piece of settings that it takes. */
export const PARTS = [...DOOR_PARTS, gatewaySettings] as const

/** Everything that the environment settles for all parts in one process, read once. */
export type Config = SettingsOf<typeof PARTS>

/** @throws ConfigError that names every fault at once */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  return readSettings(environment, PARTS)
}

/** What of the environment says where the chain is read; nothing else of it has to be sound. */
export function readSourceConfig(environment: NodeJS.ProcessEnv): SettingsOf<[typeof sourceSettings]> {
  const { SOLANA_SOURCE, SOLANA_SOURCE_TOKEN, SOLANA_RPC_URL } = environment
  return readSettings({ SOLANA_SOURCE, SOLANA_SOURCE_TOKEN, SOLANA_RPC_URL }, [sourceSettings])
}
