import type { PublicConfig } from '@pairwire/contract'
import { createStore, useStore } from '../components/store.ts'
import { api } from './api.ts'
import { readPublicConfig } from './public-config.ts'

const config = createStore<PublicConfig>(readPublicConfig({}, window.location))

/** Returns the service's settings; same-origin defaults until they arrive, or if they never do. */
export function useConfig(): PublicConfig {
  return useStore(config)
}

/** Returns the current settings, for code outside components. */
export function currentConfig(): PublicConfig {
  return config.read()
}

/** Requests the settings. Without an answer the defaults stay. */
export async function loadConfig(): Promise<void> {
  try {
    config.write(await api.config())
  } catch {
    // Same-origin defaults serve.
  }
}
