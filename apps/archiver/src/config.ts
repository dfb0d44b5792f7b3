import {
  aloneSettings,
  archiveSettings,
  busSettings,
  dataSettings,
  hostSettings,
  readSettings,
  type SettingsOf,
  sourceSettings,
} from '@pairwire/process'

/** Every piece of settings that it takes. */
export const PARTS = [
  hostSettings,
  dataSettings,
  busSettings,
  sourceSettings,
  archiveSettings,
  aloneSettings('NATS_URL', 'ARCHIVE_URL'),
] as const

/** Everything that the environment settles for an archiver alone, read once. */
export type Config = SettingsOf<typeof PARTS>

/** @throws ConfigError that names every fault at once */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  return readSettings(environment, PARTS)
}
