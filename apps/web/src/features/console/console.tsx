import { TRIAL } from '@pairwire/contract/plans'
import { SOURCE_AWAY } from '@pairwire/contract/simulated-notice'
import { type KeyboardEvent, type MouseEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { Button } from '../../components/button.tsx'
import { lazyPart } from '../../components/lazy-part.tsx'
import { Notice } from '../../components/notice.tsx'
import { PageHeading, passFocus, usePageTitle } from '../../components/page.tsx'
import { useStore } from '../../components/store.ts'
import { MirroredChart } from './chart/mirrored-chart.tsx'
import { ConsoleContext, type ConsoleSettings } from './console-context.ts'
import { feed, useFeed } from './feed/feed.ts'
import { figures } from './figures.ts'
import { exampleFor } from './request/examples.ts'
import { RequestDrawer } from './request/request-drawer.tsx'
import { requestText, suggestRequest } from './request/request-text.ts'
import { RequestPanel, RestartButton, ResumeButton, StartButton } from './request-panel.tsx'
import { EventList } from './rows/event-list.tsx'
import { explorerQuery } from './rows/explorer-link.tsx'
import { areShortcutsShown } from './shortcuts-shown.ts'
import { Readouts } from './stream/readouts.tsx'
import { useSpokenStates } from './stream/spoken-summary.ts'
import { PauseButton, StreamTools } from './stream/stream-tools.tsx'
import { useMedia } from './use-media.ts'
import './console.css'
import './rows/json-popup.css'

/** Loaded on first use. */
const shortcutList = lazyPart(() => import('./shortcut-list.tsx'))
/** Loaded when the first token is opened. */
const tokenDrawer = lazyPart(() => import('./token-drawer.tsx'))
/** Loaded once the rest is drawn, so that they are ready before a row is opened, and before the service is away. */
const jsonPopup = lazyPart(() => import('./rows/json-popup.tsx'))
const standingError = lazyPart(() => import('./request/standing-error.tsx'))

type ConsoleProps = {
  settings: ConsoleSettings
  /** Whether to show the request at once, even in a drawer. */
  opensRequest: boolean
}

/**
 * The test console: the request on the left, the stream next to it. Leaving it closes the connection, which is the
 * user's only one; the rows stay for the visit.
 */
export function Console({ settings, opensRequest }: ConsoleProps) {
  const { readAgain, offersTrial, planName, isSimulated, cluster, notices } = settings
  const isWide = useMedia(WIDE)
  const areKeysShown = useStore(areShortcutsShown)
  const openToken = useFeed('openToken')
  const [isDrawerOpen, setIsDrawerOpen] = useState(opensRequest && !isWide)
  const region = useRef<HTMLElement>(null)
  const starts = useStarts(settings)

  useLayoutEffect(() => {
    explorerQuery.write(isSimulated ? undefined : cluster ? `?cluster=${cluster}` : '')
  }, [isSimulated, cluster])
  useClosing()
  useFilterKey()
  useEffect(() => suggestRequest(exampleFor(planName).text), [planName])
  useSpokenStates(region)
  useEffect(() => setIsDrawerOpen((isOpen) => isOpen && !isWide), [isWide])

  // If the request is out of sight, its result is shown above the bottom bar.
  const isSourceAway = notices.some((notice) => notice.startsWith(SOURCE_AWAY))
  const hasErrorInPanel = isWide || isDrawerOpen
  const planLead = offersTrial === undefined ? null : <PlanLead offersTrial={offersTrial} />
  const lead = readAgain ? <AccountLost readAgain={readAgain} /> : planLead
  const error = <standingError.Part lead={lead} />
  const panel = <RequestPanel error={hasErrorInPanel ? error : undefined} lead={lead} />
  return (
    <ConsoleContext value={{ ...settings, ...starts, isSourceAway }}>
      <div className="console">
        <div className={isWide ? 'console-title' : 'unseen'}>
          <PageHeading title={TITLE}>{TITLE}</PageHeading>
          <RunningTitle />
        </div>
        {isWide ? (
          <aside className="console-request" aria-label="Request">
            {panel}
          </aside>
        ) : (
          <RequestDrawer isOpen={isDrawerOpen} onClose={() => setIsDrawerOpen(false)}>
            {panel}
          </RequestDrawer>
        )}
        <section
          className="stream"
          ref={region}
          aria-label="Stream"
          tabIndex={-1}
          onKeyDown={onRegionKey}
          onClick={onRegionPress}
        >
          <Readouts />
          <MirroredChart />
          <StreamTools />
          <EventList />
          <jsonPopup.Part />
          {hasErrorInPanel ? null : <div className="stream-notices">{error}</div>}
          <div className="console-bar">
            <StartButton size="xl" />
            <ResumeButton size="xl" />
            <RestartButton size="xl" />
            <PauseButton size="xl" />
            <Button
              size="xl"
              icon="braces"
              aria-haspopup="dialog"
              aria-expanded={isDrawerOpen}
              onClick={() => setIsDrawerOpen(true)}
            >
              Request
            </Button>
          </div>
        </section>
        {openToken === undefined ? null : <tokenDrawer.Part />}
        {areKeysShown ? <shortcutList.Part /> : null}
      </div>
    </ConsoleContext>
  )
}

/** Returns functions that start the stream, each with the current access and request. */
function useStarts({ readAccess, isAccessComing, readAgain }: ConsoleSettings) {
  const [isStartWaiting, setIsStartWaiting] = useState(false)
  // A press of Start counts while the page still reads the key.
  useEffect(() => {
    if (!isStartWaiting || isAccessComing) return
    setIsStartWaiting(false)
    if (!readAgain) feed.start(readAccess(), requestText.read())
  }, [isStartWaiting, isAccessComing, readAgain, readAccess])
  return {
    isStartWaiting,
    start: async () => {
      if (!readAgain && !isAccessComing) return feed.start(readAccess(), requestText.read())
      await readAgain?.()
      setIsStartWaiting(true)
    },
    resume: () => feed.start(readAccess(), requestText.read(), true),
    restart: () => feed.restart(readAccess(), requestText.read()),
  }
}

const TITLE = 'Test Console'
/** From this width on the request is next to the stream. */
const WIDE = '(min-width: 1100px)'

/** Takes the place of the lead to a plan while it is not known whether there is one. */
function AccountLost({ readAgain }: { readAgain: () => void }) {
  return (
    <Notice tone="danger">
      <p>Your account did not load.</p>
      <button type="button" className="text-button" ref={passFocus} onClick={readAgain}>
        Try again
      </button>
    </Notice>
  )
}

/** Leads to a plan before Start is pressed: without one every connection is refused. */
function PlanLead({ offersTrial }: { offersTrial: boolean }) {
  return (
    <Notice tone="info">
      <p>
        {offersTrial
          ? `Your account has no plan yet. The free trial lasts ${TRIAL.days} days and needs no card.`
          : 'Your account has no plan, so the stream stays closed.'}
      </p>
      <Link className="strong-link" to="/dashboard/upgrade">
        {offersTrial ? 'Start the free trial' : 'Choose a plan'}
      </Link>
    </Notice>
  )
}

/** Makes `/` focus the filter unless the user is typing. */
function useFilterKey() {
  useEffect(() => {
    const onKey = (event: globalThis.KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
        return
      const target = event.target as HTMLElement // keys come from elements
      if (target.closest('input, textarea, select') || document.querySelector('dialog:modal')) return
      event.preventDefault()
      document.querySelector<HTMLElement>('[data-filter]')?.focus()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}

/** Handles keys while the focus is in the stream; `?` lists them. */
function onRegionKey(event: KeyboardEvent<HTMLElement>) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  const target = event.target as HTMLElement // keys come from elements
  const { filter, hold, connection } = feed.read()
  if (event.key === 'Escape') {
    if (filter.kind !== 'all' || filter.text !== '') feed.choose({ kind: 'all', text: '' })
    return
  }
  if (target.closest('input, textarea, select')) return
  if (event.key === '?') areShortcutsShown.write(true)
  if (event.key === ' ' && !target.closest('button, a, [role="slider"]')) {
    event.preventDefault()
    if (hold.isPaused) feed.resume()
    else if (connection === 'streaming') feed.pause()
  }
}

/** A plain press on a token opens its drawer; with a modifier key its link works as usual. */
function onRegionPress(event: MouseEvent<HTMLElement>) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  const target = event.target as HTMLElement // presses come from elements
  const mint = target.closest<HTMLElement>('[data-mint]')?.dataset.mint
  if (!mint) return
  event.preventDefault()
  feed.write({ openToken: mint })
}

/** Closes the connection when the console or the page is left. */
function useClosing() {
  // A layout effect also ends when the console is hidden, while the next page still loads.
  useLayoutEffect(() => {
    const close = () => {
      feed.open(undefined)
      feed.write({ openToken: undefined })
      feed.stop()
      areShortcutsShown.write(false)
    }
    window.addEventListener('pagehide', close)
    return () => {
      window.removeEventListener('pagehide', close)
      close()
    }
  }, [])
}

/** Puts a dot and the rate before the title while the stream runs, at most every two seconds. */
function RunningTitle() {
  const isRunning = useFeed('connection') === 'streaming'
  const [prefix, setPrefix] = useState('')
  useEffect(() => {
    if (!isRunning) {
      setPrefix('')
      return
    }
    const write = () => setPrefix(`● ${figures.whole(feed.read().perSecond)}/s · `)
    write()
    const timer = setInterval(write, TITLE_MS)
    return () => clearInterval(timer)
  }, [isRunning])
  usePageTitle(TITLE, prefix)
  return null
}

/** Milliseconds between two changes of the title. */
const TITLE_MS = 2_000
