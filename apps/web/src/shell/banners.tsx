import { SIMULATED_NOTICE, splitSimulated } from '@pairwire/contract/simulated-notice'
import { useEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { useStore } from '../components/store.ts'
import { alertMessage } from './alert.ts'
import { Announced } from './live-regions.tsx'
import { dismissNotice, notice, watchNotice } from './notice.ts'
import { serverAway, watchServer } from './server-away.ts'

/** Page changes that a success banner survives: the redirect that follows its action. */
const ALERT_OUTLIVES = 1

/**
 * The banners under the wire: server away, success, info; the last two can be dismissed. They are in the page's
 * polite live region, where other announcements are read out too.
 */
export function Banners() {
  const success = useStore(alertMessage)
  const info = useStore(notice)
  const isAway = useStore(serverAway)
  useAlertEnd(success)
  useEffect(watchNotice, [])
  useEffect(watchServer, [])

  return (
    <div className="banners" role="status" aria-atomic="false">
      <Announced by="status" />
      {isAway && (
        <Banner tone="warning" text="The server cannot be reached. What you see may be out of date." />
      )}
      {success === undefined ? null : (
        <Banner tone="success" text={success} onDismiss={() => alertMessage.write(undefined)} />
      )}
      {info === undefined ? null : <Banner tone="info" text={info} onDismiss={dismissNotice} />}
    </div>
  )
}

type BannerProps = { tone: 'success' | 'info' | 'warning'; text: string; onDismiss?: () => void }

function Banner({ tone, text, onDismiss }: BannerProps) {
  const dismiss = () => {
    onDismiss?.()
    document.querySelector<HTMLElement>('main')?.focus()
  }
  const [before, simulated] = splitSimulated(text)
  return (
    <div className={`banner banner-${tone}`}>
      <Icon name={tone === 'success' ? 'check' : tone} />
      <span className="banner-text">
        {before}
        {simulated && <a href={SIMULATED_NOTICE.path}>{simulated}</a>}
      </span>
      {onDismiss && <Button variant="ghost" size="sm" icon="close" aria-label="Dismiss" onClick={dismiss} />}
    </div>
  )
}

/** Clears the alert on the second change of page after it appeared. */
function useAlertEnd(message: string | undefined): void {
  const { pathname } = useLocation()
  const shown = useRef({ message, pathname, changes: 0 })
  useEffect(() => {
    const state = shown.current
    if (state.message !== message) {
      shown.current = { message, pathname, changes: 0 }
      return
    }
    if (state.pathname === pathname) return
    state.pathname = pathname
    state.changes += 1
    if (message !== undefined && state.changes > ALERT_OUTLIVES) alertMessage.write(undefined)
  }, [message, pathname])
}
