import { useEffect, useState } from 'react'
import { ApiError } from './api-error.ts'

/** How a call goes: what it was made with while it runs, and how it failed until it is made again. */
type Progress<Args> = Readonly<{ busy?: Args; failure?: Readonly<{ error: ApiError; args: Args }> }>

/** A call that a component makes at a press, one at a time. Any error but an ApiError is a bug, and thrown. */
export function useCall<Args extends readonly unknown[]>(
  call: (...args: Args) => Promise<unknown>,
): Progress<Args> & Readonly<{ run(...args: Args): Promise<void> }> {
  const [progress, setProgress] = useState<Progress<Args>>({})
  useEffect(() => {
    // Back from a page that took this one's place, in browsers that show the page as it was left.
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && setProgress({})
    window.addEventListener('pageshow', onShow)
    return () => window.removeEventListener('pageshow', onShow)
  }, [])
  return {
    ...progress,
    async run(...args) {
      setProgress({ busy: args })
      try {
        await call(...args)
        setProgress({})
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        setProgress({ failure: { error, args } })
      }
    },
  }
}

/** Goes to a page that takes this one's place; what waits for it stays busy until that is there. */
export function leaveFor(url: string): Promise<never> {
  window.location.assign(url)
  return new Promise(() => {})
}
