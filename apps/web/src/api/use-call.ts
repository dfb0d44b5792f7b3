import { useEffect, useState } from 'react'
import { ApiError } from './api-error.ts'

/** The progress of a call: its arguments while it runs, and its failure until it is repeated. */
type Progress<Args> = Readonly<{ busy?: Args; failure?: Readonly<{ error: ApiError; args: Args }> }>

/** A call that a component makes on a press, one at a time. Any error but an ApiError is a bug, and is thrown. */
export function useCall<Args extends readonly unknown[]>(
  call: (...args: Args) => Promise<unknown>,
): Progress<Args> & Readonly<{ run(...args: Args): Promise<void> }> {
  const [progress, setProgress] = useState<Progress<Args>>({})
  useEffect(() => {
    // After returning from a page that replaced this one, in browsers that restore it unchanged.
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

/** Goes to a page that replaces this one, unless the user has left it meanwhile; callers stay busy until it loads. */
export async function leaveFor(answer: string | Promise<string>): Promise<void> {
  const { pathname } = window.location
  const url = await answer
  if (window.location.pathname !== pathname) return
  window.location.assign(url)
  return new Promise(() => {})
}
