import { CHUNK_TIMEOUT_MS } from '@pairwire/contract/plans'
import { type ComponentType, type LazyExoticComponent, lazy } from 'react'
import { loadChunk } from './chunk-load-error.ts'

/** A page whose code comes when it is first drawn, or earlier by `preload`. */
export type LazyRoute = Readonly<{
  Page: LazyExoticComponent<ComponentType>
  preload: () => Promise<unknown>
}>

/** Makes a page of a module's default export, with the specified time-out of 120 s. */
export function lazyRoute(load: () => Promise<{ default: ComponentType }>): LazyRoute {
  const fetchCode = () => loadChunk(load, CHUNK_TIMEOUT_MS)
  return { Page: lazy(fetchCode), preload: fetchCode }
}
