import type { Connections, UsageDay } from '@pairwire/contract'
import { useEffect } from 'react'
import { createStore, useStore } from '../components/store.ts'
import { currentSession, useSession } from '../session/session.ts'
import { setClientsLive } from '../shell/wire.ts'
import { api } from './api.ts'
import { ApiError } from './api-error.ts'

/** What a page knows of the account's usage. A server that does not tell it is `absent`, and not asked again. */
export type UsageView =
  | Readonly<{ state: 'reading' | 'absent' | 'failed' }>
  | Readonly<{
      state: 'ready'
      days: readonly UsageDay[]
      /** `undefined` when they could not be read. */
      connections: Connections | undefined
    }>

/** Milliseconds between two reads while a page that shows it is in view. */
const READ_EVERY_MS = 10_000

const view = createStore<UsageView>({ state: 'reading' })

/** Milliseconds between two reads for the wire alone, on every other page. */
const WATCH_EVERY_MS = 30_000

/** Of which session `view` is. */
let owner: string | undefined
let reading: Promise<void> | undefined

/** The signed-in user's usage and connections, read again every ten seconds while the page is looked at. */
export function useUsage(): UsageView {
  const token = useSession()?.token
  useEffect(() => {
    if (token === undefined) return
    const read = () => {
      if (document.visibilityState === 'visible' && view.read().state !== 'absent') void readUsage()
    }
    if (owner !== token) view.write({ state: 'reading' })
    read()
    const timer = setInterval(read, READ_EVERY_MS)
    document.addEventListener('visibilitychange', read)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', read)
    }
  }, [token])
  return useStore(view)
}

/** Reads it now; a read under way is waited for instead. Never fails: what went wrong is in the view. */
export function readUsage(): Promise<void> {
  reading ??= readOnce().finally(() => {
    reading = undefined
  })
  return reading
}

async function readOnce(): Promise<void> {
  const token = currentSession()?.token
  owner = token
  const before = view.read()
  let next: UsageView
  try {
    const days = await api.usage()
    // Asked only of a server that told the first: it is then known to have this call too.
    const connections = days && (await api.connections().catch(() => undefined))
    next = days ? { state: 'ready', days, connections } : { state: 'absent' }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    next = before.state === 'ready' ? before : { state: isAway(error) ? 'failed' : 'absent' }
  }
  if (currentSession()?.token !== token) return
  view.write(next)
  setClientsLive(next.state === 'ready' && (next.connections?.open.length ?? 0) > 0)
  if (next.state === 'ready') watching ??= setInterval(watch, WATCH_EVERY_MS)
}

let watching: ReturnType<typeof setInterval> | undefined

/** Keeps the wire true on the pages that do not show connections. */
async function watch(): Promise<void> {
  const token = currentSession()?.token
  if (token === undefined) {
    clearInterval(watching)
    watching = undefined
    view.write({ state: 'reading' })
    setClientsLive(false)
    return
  }
  if (document.visibilityState !== 'visible') return
  const connections = await api.connections().catch(() => undefined)
  if (connections && currentSession()?.token === token) setClientsLive(connections.open.length > 0)
}

/** Whether the server has usage but cannot tell it at the moment. */
function isAway({ errorType }: ApiError): boolean {
  return errorType === 'ERR_UNAVAILABLE' || errorType === 'ERR_RATE_LIMITED'
}
