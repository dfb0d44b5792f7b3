import { fileURLToPath } from 'node:url'
import { DOOR_PARTS, readHiddenConfig } from '@pairwire/api/config'
import { gatewaySettings } from '@pairwire/gateway/config'
import {
  ConfigError,
  dataSettings,
  readSettings,
  type SettingsOf,
  sourceSettings,
  storeSettings,
} from '@pairwire/process/settings'

/** Where `.env` is, from the sources and from the bundle alike. */
export const ENV_FILE = fileURLToPath(new URL('../../../.env', import.meta.url))

/** All groups of settings that all parts read. */
export const PARTS = [...DOOR_PARTS, gatewaySettings] as const

/** The configuration of all parts in one process, read once from the environment. */
export type Config = SettingsOf<typeof PARTS>

/** @throws ConfigError that names all faults at once */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  return readSettings(environment, PARTS)
}

export { readHiddenConfig }

/** The configuration, or the faults of the environment as sentences. */
export function readAnyConfig(environment: NodeJS.ProcessEnv): { config?: Config; faults: string[] } {
  try {
    return { config: readConfig(environment), faults: [] }
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return { faults: error.message.split('\n') }
  }
}

/** The settings of the chain's source; the rest of the environment need not be valid. */
export function readSourceConfig(environment: NodeJS.ProcessEnv): SettingsOf<[typeof sourceSettings]> {
  const { SOLANA_SOURCE, SOLANA_SOURCE_TOKEN, SOLANA_RPC_URL } = environment
  return readSettings({ SOLANA_SOURCE, SOLANA_SOURCE_TOKEN, SOLANA_RPC_URL }, [sourceSettings])
}

/** Where accounts are stored; the rest of the environment need not be valid. */
export function readStoreConfig(
  environment: NodeJS.ProcessEnv,
): SettingsOf<[typeof dataSettings, typeof storeSettings]> {
  const { DATA_DIR, DATABASE_URL, KEY_ENCRYPTION_SECRET } = environment
  return readSettings({ DATA_DIR, DATABASE_URL, KEY_ENCRYPTION_SECRET }, [dataSettings, storeSettings])
}
