import { CHUNK_TIMEOUT_MS } from '@pairwire/contract/plans'
import { type ComponentType, lazy, useState } from 'react'
import { loadChunk } from './chunk-load-error.ts'

/** A page whose code comes when it is first drawn, or earlier by `preload`. */
export type LazyRoute = Readonly<{
  Page: ComponentType
  preload: () => Promise<unknown>
}>

/** Makes a page of a module's default export, with the specified time-out of 120 s. */
export function lazyRoute(load: () => Promise<{ default: ComponentType }>): LazyRoute {
  let Loaded: ComponentType | undefined
  const fetchCode = async () => {
    const module = await loadChunk(load, CHUNK_TIMEOUT_MS)
    Loaded = module.default
    return module
  }
  const Later = lazy(fetchCode)

  /** Code that is there is drawn at once: React would show a wait first, and that for 300 ms at least. */
  function Page() {
    const [Drawn] = useState(() => Loaded ?? Later)
    return <Drawn />
  }
  return { Page, preload: fetchCode }
}
