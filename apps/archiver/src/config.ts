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

/** All groups of settings that the archiver reads. */
export const PARTS = [
  hostSettings,
  dataSettings,
  busSettings,
  sourceSettings,
  archiveSettings,
  aloneSettings('NATS_URL', 'ARCHIVE_URL'),
] as const

/** The configuration of an archiver that runs alone, read once from the environment. */
export type Config = SettingsOf<typeof PARTS>

/** @throws ConfigError that names all faults at once */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  return readSettings(environment, PARTS)
}
