import {
  aloneSettings,
  busSettings,
  dataSettings,
  hostSettings,
  readSettings,
  type SettingsOf,
  sourceSettings,
} from '@pairwire/process'

/** The parts of the settings that an ingest reads. */
export const PARTS = [
  hostSettings,
  dataSettings,
  busSettings,
  sourceSettings,
  aloneSettings('NATS_URL'),
] as const

/** All settings of a separate ingest process, read once. */
export type Config = SettingsOf<typeof PARTS>

/** @throws ConfigError that lists every problem */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  return readSettings(environment, PARTS)
}
