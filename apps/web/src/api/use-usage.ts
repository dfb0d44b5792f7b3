import type { Connections, UsageDay } from '@pairwire/contract'
import { QueryObserver, queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { currentSession, useSession } from '../session/session.ts'
import { api } from './api.ts'
import { ApiError } from './api-error.ts'
import { clientsLive } from './clients-live.ts'
import { serverData } from './server-data.ts'

/** The account's usage for a page. A server without usage is `absent`, and not asked again. */
export type UsageView =
  | Readonly<{ state: 'reading' | 'absent' | 'failed' }>
  | Readonly<{
      state: 'ready'
      days: readonly UsageDay[]
      /** `undefined` when they could not be read. */
      connections: Connections | undefined
    }>

/** Milliseconds between two reads while a page is in view: one that shows usage, or any, for its wire. */
const READ_EVERY_MS = 10_000

const usageOf = (token: string | undefined) =>
  queryOptions({
    queryKey: ['usage', token],
    queryFn: async () => (await api.usage()) ?? null,
    enabled: token !== undefined,
    refetchInterval: ({ state }) => !isAbsent(state) && READ_EVERY_MS,
    refetchOnMount: ({ state }) => !isAbsent(state),
    refetchOnWindowFocus: ({ state }) => !isAbsent(state),
  })

/** Requested only from a server with usage, which is then known to support this call too. */
const connectionsOf = (token: string | undefined, hasUsage = true) =>
  queryOptions({
    queryKey: ['usage', token, 'connections'],
    queryFn: async () => (await api.connections()) ?? null,
    enabled: hasUsage,
    refetchInterval: READ_EVERY_MS,
  })

/** Returns the signed-in user's usage and connections, read every ten seconds while the page is visible. */
export function useUsage(): UsageView {
  const token = useSession()?.token
  const { data: days, error } = useQuery(usageOf(token), serverData)
  const connections = useQuery(connectionsOf(token, Boolean(days)), serverData)
  const isTold = connections.data !== undefined
  useEffect(() => {
    if (isTold && token !== undefined) watchClients(token)
  }, [isTold, token])

  if (days && !connections.isPending)
    return { state: 'ready', days, connections: connections.data ?? undefined }
  if (isAbsent({ data: days, error })) return { state: 'absent' }
  return { state: error && !days ? 'failed' : 'reading' }
}

/** Reads it now, or waits for a read in progress. Never fails: errors are in the view. */
export async function readUsage(): Promise<void> {
  await serverData.refetchQueries({ queryKey: ['usage'] }, { cancelRefetch: false })
}

let watched: string | undefined

/** Keeps the wire correct on every page, even without a view of connections, as long as the session lasts. */
function watchClients(token: string): void {
  if (watched === token) return
  watched = token
  const observer = new QueryObserver(serverData, { ...connectionsOf(token), refetchOnMount: false })
  const end = observer.subscribe(() => tell())
  tell()

  function tell(): void {
    const isOver = currentSession()?.token !== token
    const { data, isError } = observer.getCurrentResult()
    clientsLive.write(!isOver && !isError && data?.isFlowing !== false && (data?.open.length ?? 0) > 0)
    if (!isOver) return
    end()
    if (watched === token) watched = undefined
  }
}

/** Whether the server lacks usage, by its answer, or by any refusal except a temporary one. */
function isAbsent({ data, error }: Readonly<{ data: unknown; error: unknown }>): boolean {
  if (data !== undefined || error === null) return data === null
  return !(error instanceof ApiError && AWAY.includes(error.errorType))
}

/** Errors of a service that is away, such as no answer or that of a proxy before it. */
const AWAY: readonly string[] = ['ERR_UNKNOWN', 'ERR_UNAVAILABLE', 'ERR_RATE_LIMITED']
