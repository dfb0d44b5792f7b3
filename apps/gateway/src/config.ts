import {
  aloneSettings,
  busSettings,
  hostSettings,
  readSettings,
  type SettingsOf,
  settingsPart,
  sourceSettings,
} from '@pairwire/process'

/** What the gateway reads of the environment beside what all parts do. */
export const gatewaySettings = settingsPart(['CONNECT_RATE_PER_ADDRESS'], (values) => ({
  connectRatePerAddress: values.CONNECT_RATE_PER_ADDRESS,
}))

/** Every piece of settings that it takes. */
export const PARTS = [
  hostSettings,
  busSettings,
  sourceSettings,
  gatewaySettings,
  aloneSettings('NATS_URL', 'DATABASE_URL', 'KEY_ENCRYPTION_SECRET'),
] as const

/** Everything that the environment settles for a gateway alone, read once. */
export type Config = SettingsOf<typeof PARTS>

/** @throws ConfigError that names every fault at once */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  return readSettings(environment, PARTS)
}
