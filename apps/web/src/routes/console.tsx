import { useEffect } from 'react'
import { useConfig } from '../api/config-store.ts'
import { useAccount } from '../api/use-account.ts'
import { useStore } from '../components/store.ts'
import { Console } from '../features/console/console.tsx'
import { liveFeed } from '../features/console/live-feed.ts'
import { MenuStream } from '../features/console/menu-stream.tsx'
import { currentSession } from '../session/session.ts'
import { setMenuFoot, setWireLive } from '../shell/wire.ts'

/** /dashboard/console. Gives the console its access, and shows the shell that a stream is open. */
export default function ConsoleRoute() {
  const { account } = useAccount()
  const { streamUrl, simulated } = useConfig()
  const isLive = useStore(liveFeed.connection) === 'streaming'

  useEffect(() => {
    if (!isLive) return
    setWireLive(true)
    setMenuFoot(<MenuStream />)
    return () => {
      setWireLive(false)
      setMenuFoot(null)
    }
  }, [isLive])

  return (
    <Console
      readAccess={() => (currentSession() ? { url: streamUrl, key: account?.user.APIKey ?? '' } : undefined)}
      planName={account?.activeSubscription?.planName}
      connectionLimit={account?.activeSubscription?.connectionLimit}
      isSimulated={simulated}
    />
  )
}
