import type { PublicConfig } from '@pairwire/contract'
import { createStore, useStore } from '../components/store.ts'
import { api } from './api.ts'
import { readPublicConfig } from './public-config.ts'

const config = createStore<PublicConfig>(readPublicConfig(undefined, window.location))

/** The service's settings; defaults of the same origin until they have come, and where they never do. */
export function useConfig(): PublicConfig {
  return useStore(config)
}

/** The settings now, for code outside components. */
export function currentConfig(): PublicConfig {
  return config.read()
}

/** Asks for the settings. Without an answer the defaults stay. */
export async function loadConfig(): Promise<void> {
  try {
    config.write(await api.config())
  } catch {
    // Same-origin defaults serve.
  }
}
