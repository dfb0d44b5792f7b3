import { useEffect, useLayoutEffect, useState } from 'react'
import { useSearchParams } from 'react-router'
import { useConfig } from '../api/config-store.ts'
import { useAccount } from '../api/use-account.ts'
import { readUsage, useUsage } from '../api/use-usage.ts'
import { useStore } from '../components/store.ts'
import { Console } from '../features/console/console.tsx'
import { useFeed } from '../features/console/feed/feed.ts'
import { requestText } from '../features/console/request/request-text.ts'
import { MenuStream } from '../features/console/stream/menu-stream.tsx'
import { useStreamState } from '../features/console/stream/status-word.tsx'
import { STREAM_STATES } from '../features/console/stream/stream-states.ts'
import { currentSession } from '../session/session.ts'
import { loadNotice, notices } from '../shell/notice.ts'
import { menuFoot, wireLive } from '../shell/wire.ts'

/** /dashboard/console. Gives the console its access, and tells the shell that a stream is open. */
export default function ConsoleRoute() {
  const { account, state, reload } = useAccount()
  const { streamUrl, simulated, cluster, statusUrl } = useConfig()
  const connection = useFeed('connection')
  const isOpen = connection === 'streaming'
  const streamState = useStreamState()
  const { isLive } = STREAM_STATES[streamState]
  const isQuiet = streamState === 'Quiet' || streamState === 'Stalled'
  const usage = useUsage()
  const opensRequest = useLinkedRequest()
  const plan = account?.activeSubscription

  // biome-ignore lint/correctness/useExhaustiveDependencies: a connection that opens or ends changes the count
  useEffect(() => {
    if (connection === 'connecting' || !currentSession()) return
    void readUsage()
    // Perhaps for a key that was reset, or another plan.
    if (connection === 'closed') void reload()
  }, [connection])
  useLayoutEffect(() => {
    wireLive.write(isOpen ? isLive : undefined)
    return () => wireLive.write(undefined)
  }, [isOpen, isLive])
  // While no blocks come, whether the service knows why.
  useEffect(() => {
    if (!isQuiet) return
    void loadNotice()
    const timer = setInterval(loadNotice, ASK_WHY_MS)
    return () => clearInterval(timer)
  }, [isQuiet])
  useLayoutEffect(() => {
    if (!isOpen) return
    menuFoot.write(<MenuStream />)
    return () => menuFoot.write(null)
  }, [isOpen])

  return (
    <Console
      opensRequest={opensRequest}
      settings={{
        readAccess: () =>
          currentSession() ? { url: streamUrl, key: account?.user.APIKey ?? '' } : undefined,
        isAccessComing: state === 'loading' && currentSession() !== undefined,
        readAgain: state === 'failed' ? reload : undefined,
        planName: plan?.planName,
        connectionLimit: plan?.connectionLimit || undefined,
        openConnections: usage.state === 'ready' ? usage.connections?.open.length : undefined,
        isSimulated: simulated,
        cluster,
        notices: useStore(notices),
        statusUrl,
        offersTrial: (plan ?? account?.suspension) ? undefined : account && !account.hasHadFreeTrial,
      }}
    />
  )
}

/** Milliseconds between two requests that ask why no block comes. */
const ASK_WHY_MS = 5_000

/**
 * Puts the request of a link (`?request=`, as the docs make them) into the editor, once: it is removed from the
 * address, so that a reload keeps what was typed since. Nothing is started.
 *
 * @returns whether the page was opened by such a link
 */
function useLinkedRequest(): boolean {
  const [search, setSearch] = useSearchParams()
  const linked = search.get('request')
  const [isLinked] = useState(linked !== null)

  useEffect(() => {
    if (linked === null) return
    if (linked) requestText.write(linked)
    search.delete('request')
    setSearch(search, { replace: true })
  }, [linked, search, setSearch])

  return isLinked
}
