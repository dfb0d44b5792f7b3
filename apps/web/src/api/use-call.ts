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

/** Waits for an answer that only the page in view needs. When the user has left it meanwhile, it never settles. */
export async function unlessLeft<Answer>(answer: Promise<Answer>): Promise<Answer> {
  const { pathname } = window.location
  const given = await answer
  return window.location.pathname === pathname ? given : new Promise(() => {})
}

/** Goes to a page that replaces this one; callers stay busy until it loads. */
export async function leaveFor(answer: string | Promise<string>): Promise<void> {
  window.location.assign(await unlessLeft(Promise.resolve(answer)))
  return new Promise(() => {})
}
