import { type ComponentType, lazy, useState } from 'react'
import { loadChunk } from './chunk-load-error.ts'

/** A page whose code is loaded when it is first rendered, or earlier by `preload`. */
export type LazyRoute = Readonly<{
  Page: ComponentType
  preload: () => Promise<unknown>
}>

/** Makes a page of a module's default export, with the specified time-out of 120 s. */
export function lazyRoute(load: () => Promise<{ default: ComponentType }>): LazyRoute {
  let Loaded: ComponentType | undefined
  const fetchCode = async () => {
    const module = await loadChunk(load)
    Loaded = module.default
    return module
  }
  const Later = lazy(fetchCode)

  /** Loaded code is rendered at once: otherwise React would show the wait first, for at least 300 ms. */
  function Page() {
    const [Drawn] = useState(() => Loaded ?? Later)
    return <Drawn />
  }
  return { Page, preload: fetchCode }
}
