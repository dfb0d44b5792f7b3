import { brandSettings } from '@pairwire/process/brand'
import {
  aloneSettings,
  busSettings,
  hostSettings,
  readSettings,
  type SettingsOf,
  settingsPart,
  sourceSettings,
} from '@pairwire/process/settings'

/** Settings of the gateway alone. */
export const gatewaySettings = settingsPart(['CONNECT_RATE_PER_ADDRESS', 'SUPPORT_EMAIL'], (values) => ({
  connectRatePerAddress: values.CONNECT_RATE_PER_ADDRESS,
  supportEmail: values.SUPPORT_EMAIL,
}))

/** The parts of the settings that the gateway reads. */
export const PARTS = [
  hostSettings,
  busSettings,
  sourceSettings,
  gatewaySettings,
  brandSettings,
  aloneSettings('NATS_URL', 'DATABASE_URL', 'KEY_ENCRYPTION_SECRET'),
] as const

/** All settings of a gateway process, read once. */
export type Config = SettingsOf<typeof PARTS>

/** @throws ConfigError that lists every problem */
export function readConfig(environment: NodeJS.ProcessEnv): Config {
  return readSettings(environment, PARTS)
}
