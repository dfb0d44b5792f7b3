import { createContext, useContext } from 'react'

/** The page's settings for the console. */
export type ConsoleSettings = Readonly<{
  /** Address and key of the stream; `undefined` when signed out. Read at each start. */
  readAccess: () => Readonly<{ url: string; key: string }> | undefined
  /** Whether the key is still loading; a start waits for it. */
  isAccessComing: boolean
  /** Reads an account that did not load, and so the key, again; `undefined` for any other. */
  readAgain: (() => Promise<unknown>) | undefined
  planName: string | undefined
  connectionLimit: number | undefined
  /** Number of connections at the server; `undefined` if it does not tell. */
  openConnections: number | undefined
  isSimulated: boolean
  /** Which test chain it is; undefined for mainnet. */
  cluster: string | undefined
  /** The service's own notices, the banner's first. */
  notices: readonly string[]
  statusUrl: string
  /** For an account without a plan: whether it may have a free trial; `undefined` with a plan, or suspended. */
  offersTrial: boolean | undefined
}>

/** What the parts of the console share: the settings, and functions that start the stream with current access. */
type ConsoleParts = ConsoleSettings &
  Readonly<{
    /** Whether a notice reports the source as away. */
    isSourceAway: boolean
    start(): void
    /** Whether a start waits for the key. */
    isStartWaiting: boolean
    resume(): void
    restart(): void
  }>

export const ConsoleContext = createContext<ConsoleParts | undefined>(undefined)

/** Returns the settings and start functions of the surrounding console. */
export function useConsole(): ConsoleParts {
  const parts = useContext(ConsoleContext)
  if (!parts) throw new Error('There is no console around this component.')
  return parts
}
