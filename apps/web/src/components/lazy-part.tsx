import { type ComponentType, useEffect, useState } from 'react'

/**
 * A part of a page whose code comes when it is first drawn; until then nothing stands there, and what goes wrong is
 * thrown where it stands. React's own `lazy` keeps back what has come for 300 ms.
 */
export function lazyPart<Props extends object>(
  load: () => Promise<{ default: ComponentType<Props> }>,
): ComponentType<Props> {
  return function LazyPart(props: Props) {
    const [code, setCode] = useState<{ Part: ComponentType<Props> } | { fault: unknown }>()
    useEffect(() => {
      load().then(
        ({ default: Part }) => setCode({ Part }),
        (fault) => setCode({ fault }),
      )
    }, [])
    if (code === undefined) return null
    if ('fault' in code) throw code.fault
    return <code.Part {...props} />
  }
}
