import { DOOR_PARTS } from '@pairwire/api'
import { gatewaySettings } from '@pairwire/gateway'
import { readSettings, type SettingsOf, settingsPart, sourceSettings } from '@pairwire/process'

/** All parts in one process hear of each other without it. */
const noNats = settingsPart(['NATS_URL'], (values, faults) => {
  if (values.NATS_URL) {
    faults.push(
      'NATS_URL: with it the parts run alone: `pairwire ingest`, `pairwire gateway` and `pairwire api`.',
    )
  }
  return {}
})

const PARTS = [...DOOR_PARTS, gatewaySettings, noNats] as const

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
