import { type ComponentType, useEffect, useState } from 'react'

/** A part of a page whose code loads when it is first drawn, or earlier with `preload` or `useLoaded`. */
type LazyPart<Props> = Readonly<{
  Part: ComponentType<Props>
  preload: () => Promise<unknown>
  /** Loads it; whether it has loaded. */
  useLoaded: () => boolean
}>

/**
 * Makes a part from a module's default export. Until its code has loaded it is empty, and errors are thrown in its
 * place; one that failed is loaded again by the next that asks. React's own `lazy` delays loaded parts by 300 ms.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): LazyPart<Props> {
  let Loaded: ComponentType<Props> | undefined
  let loading: Promise<void> | undefined
  const preload = () => {
    loading ??= load().then(
      (module) => {
        Loaded = module.default
      },
      (fault) => {
        loading = undefined
        throw fault
      },
    )
    return loading
  }

  function useLoaded(): boolean {
    const [loaded, setLoaded] = useState(Loaded !== undefined)
    const [failure, setFailure] = useState<{ fault: unknown }>()
    useEffect(() => {
      if (Loaded) return
      preload().then(
        () => setLoaded(true),
        (fault) => setFailure({ fault }),
      )
    }, [])
    if (failure) throw failure.fault
    return loaded
  }

  function Part(props: Props) {
    useLoaded()
    return Loaded ? <Loaded {...props} /> : null
  }
  return { Part, preload, useLoaded }
}
