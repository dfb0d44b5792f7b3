import { type ComponentType, useEffect, useState } from 'react'

/** A part of a page whose code comes when it is first drawn, or earlier by `preload`. */
type LazyPart<Props> = Readonly<{
  Part: ComponentType<Props>
  preload: () => Promise<unknown>
}>

/**
 * Makes a part of a module's default export. Until its code is there nothing stands in its place, and what goes wrong
 * is thrown there. React's own `lazy` keeps back what has come for 300 ms.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): LazyPart<Props> {
  let Loaded: ComponentType<Props> | undefined
  const fetchCode = async () => {
    Loaded = (await load()).default
  }

  function Part(props: Props) {
    const [, setLoaded] = useState(Loaded !== undefined)
    const [failure, setFailure] = useState<{ fault: unknown }>()
    useEffect(() => {
      if (Loaded) return
      fetchCode().then(
        () => setLoaded(true),
        (fault) => setFailure({ fault }),
      )
    }, [])
    if (failure) throw failure.fault
    return Loaded ? <Loaded {...props} /> : null
  }
  return { Part, preload: fetchCode }
}
