import { createContext, useContext } from 'react'

/** What the page gives the console. */
export type ConsoleSettings = Readonly<{
  /** Address and key of the stream; `undefined` when nobody is signed in any more. Asked at each start. */
  readAccess: () => Readonly<{ url: string; key: string }> | undefined
  /** Whether the key is still being read; a start waits for it. */
  isAccessComing: boolean
  planName: string | undefined
  connectionLimit: number | undefined
  /** Connections that the server counts; `undefined` where it does not tell. */
  openConnections: number | undefined
  isSimulated: boolean
  /** Which chain of no value it is; undefined for mainnet. */
  cluster: string | undefined
  /** What the service says of itself, the banner's words first. */
  notices: readonly string[]
  statusUrl: string
  /** Of an account without a plan: whether it may have a free trial; `undefined` with a plan. */
  offersTrial: boolean | undefined
}>

/** What every part of the console may need: the settings, and the starts of the stream with the access of that moment. */
type ConsoleParts = ConsoleSettings &
  Readonly<{
    /** Whether a notice says that the source is away. */
    isSourceAway: boolean
    start(): void
    /** Whether a start waits for the key. */
    isStartWaiting: boolean
    resume(): void
    restart(): void
  }>

export const ConsoleContext = createContext<ConsoleParts | undefined>(undefined)

/** The settings and starts of the console around a component. */
export function useConsole(): ConsoleParts {
  const parts = useContext(ConsoleContext)
  if (!parts) throw new Error('There is no console around this component.')
  return parts
}
