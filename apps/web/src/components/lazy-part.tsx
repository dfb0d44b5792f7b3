import { type ComponentType, useEffect, useState } from 'react'

/** A part of a page whose code loads when it is first drawn, or earlier with `preload`. */
type LazyPart<Props> = Readonly<{
  Part: ComponentType<Props>
  preload: () => Promise<unknown>
}>

/**
 * Makes a part from a module's default export. Until its code has loaded it is empty, and errors are thrown in its
 * place. React's own `lazy` delays loaded parts by 300 ms.
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
