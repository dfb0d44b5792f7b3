import { TRIAL_DAYS } from '@pairwire/contract/plans'
import { SOURCE_AWAY } from '@pairwire/contract/simulated-notice'
import { type KeyboardEvent, type MouseEvent, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { Button } from '../../components/button.tsx'
import { lazyPart } from '../../components/lazy-part.tsx'
import { Notice } from '../../components/notice.tsx'
import { PageHeading, usePageTitle } from '../../components/page.tsx'
import { useStore } from '../../components/store.ts'
import type { ConsoleFeed } from './console-feed.ts'
import { EventList } from './event-list.tsx'
import { exampleFor } from './examples.ts'
import { explorerQuery } from './explorer-link.tsx'
import { figures } from './figures.ts'
import { liveFeed } from './live-feed.ts'
import { MirroredChart } from './mirrored-chart.tsx'
import { Readouts } from './readouts.tsx'
import { RequestDrawer } from './request-drawer.tsx'
import { RequestPanel, RestartButton, ResumeButton, StartButton } from './request-panel.tsx'
import { requestText, suggestRequest } from './request-text.ts'
import { areShortcutsShown } from './shortcuts-shown.ts'
import { useSpokenStates } from './spoken-summary.ts'
import { PauseButton, StreamTools } from './stream-tools.tsx'
import { useMedia } from './use-media.ts'
import './console.css'
import './json-popup.css'

/** Loaded when it is first asked for. */
const shortcutList = lazyPart(() => import('./shortcut-list.tsx'))
/** Loaded when the first token is opened. */
const tokenDrawer = lazyPart(() => import('./token-drawer.tsx'))
/** Loaded once the rest is drawn, so that they are there before a row is opened, and before the service is away. */
const jsonPopup = lazyPart(() => import('./json-popup.tsx'))
const standingError = lazyPart(() => import('./standing-error.tsx'))

type ConsoleProps = {
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
  cluster?: string | undefined
  /** What the service says of itself, the banner's words first. */
  notices: readonly string[]
  statusUrl: string
  /** Of an account without a plan: whether it may have a free trial; `undefined` with a plan. */
  offersTrial: boolean | undefined
  /** Whether the request is to be seen at once, also where it stands in a drawer. */
  opensRequest: boolean
  /** The key to hold for a command, as it is written on this device's keyboard. */
  modifier: string
}

/**
 * The test console: the request at the left, the stream beside it. Leaving it closes the connection, which is the
 * only one that the user has; the rows stay for the visit.
 */
export function Console({
  readAccess,
  isAccessComing,
  planName,
  connectionLimit,
  openConnections,
  isSimulated,
  cluster,
  notices,
  statusUrl,
  offersTrial,
  opensRequest,
  modifier,
}: ConsoleProps) {
  const feed = liveFeed
  const isWide = useMedia(WIDE)
  const areKeysShown = useStore(areShortcutsShown)
  const openToken = useStore(feed.openToken)
  const [isDrawerOpen, setIsDrawerOpen] = useState(opensRequest && !isWide)
  const region = useRef<HTMLElement>(null)
  const [isStartWaiting, setIsStartWaiting] = useState(false)
  const start = () => {
    if (isAccessComing) setIsStartWaiting(true)
    else feed.start(readAccess(), requestText.read())
  }

  const resume = () => feed.start(readAccess(), requestText.read(), true)
  const restart = () => feed.restart(readAccess(), requestText.read())

  // Whoever presses Start while the page still reads the key means it all the same.
  useEffect(() => {
    if (!isStartWaiting || isAccessComing) return
    setIsStartWaiting(false)
    feed.start(readAccess(), requestText.read())
  }, [isStartWaiting, isAccessComing, readAccess])

  useLayoutEffect(() => {
    explorerQuery.write(isSimulated ? undefined : cluster ? `?cluster=${cluster}` : '')
  }, [isSimulated, cluster])
  useClosing(feed)
  useFilterKey()
  useEffect(() => suggestRequest(exampleFor(planName).text), [planName])
  useSpokenStates(feed, region)
  useEffect(() => setIsDrawerOpen((isOpen) => isOpen && !isWide), [isWide])

  // Where the request is out of sight, what became of it stands over the bar at the foot.
  const isSourceAway = notices.some((notice) => notice.startsWith(SOURCE_AWAY))
  const hasErrorInPanel = isWide || isDrawerOpen
  const lead = offersTrial === undefined ? null : <PlanLead offersTrial={offersTrial} />
  const error = <standingError.Part feed={feed} planName={planName} lead={lead} />
  const panel = (
    <RequestPanel
      feed={feed}
      readAccess={readAccess}
      planName={planName}
      connectionLimit={connectionLimit}
      openConnections={openConnections}
      isSourceAway={isSourceAway}
      onStart={start}
      onResume={resume}
      onRestart={restart}
      isStartWaiting={isStartWaiting}
      error={hasErrorInPanel ? error : undefined}
      lead={lead}
    />
  )
  return (
    <div className="console">
      <div className="console-title">
        <PageHeading title={TITLE}>{TITLE}</PageHeading>
        <RunningTitle feed={feed} />
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
        onKeyDown={(event) => onRegionKey(event, feed)}
        onClick={(event) => onRegionPress(event, feed)}
      >
        <Readouts {...{ feed, isSimulated, notices, isSourceAway, statusUrl }} />
        <MirroredChart feed={feed} />
        <StreamTools feed={feed} />
        <EventList feed={feed} />
        <jsonPopup.Part feed={feed} />
        {hasErrorInPanel ? null : <div className="stream-notices">{error}</div>}
        <div className="console-bar">
          <StartButton feed={feed} onStart={start} isWaiting={isStartWaiting} size="xl" />
          <ResumeButton feed={feed} onResume={resume} size="xl" />
          <RestartButton feed={feed} isSourceAway={isSourceAway} onRestart={restart} size="xl" />
          <PauseButton feed={feed} size="xl" />
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
      {openToken === undefined ? null : (
        <tokenDrawer.Part feed={feed} readAccess={readAccess} onStart={start} />
      )}
      {areKeysShown ? <shortcutList.Part modifier={modifier} /> : null}
    </div>
  )
}

const TITLE = 'Test Console'
/** From here on the request stands beside the stream. */
const WIDE = '(min-width: 1100px)'

/** Leads to a plan before Start is pressed: without one every connection is refused. */
function PlanLead({ offersTrial }: { offersTrial: boolean }) {
  return (
    <Notice tone="info">
      <p>
        {offersTrial
          ? `Your account has no plan yet. The free trial lasts ${TRIAL_DAYS} days and needs no card.`
          : 'Your account has no plan, so the stream stays closed.'}
      </p>
      <Link className="strong-link" to="/dashboard/upgrade">
        {offersTrial ? 'Start the free trial' : 'Choose a plan'}
      </Link>
    </Notice>
  )
}

/** `/` leads to the filter from wherever nobody types. */
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

/** Keys that work while the focus is in the stream; `?` shows them all. */
function onRegionKey(event: KeyboardEvent<HTMLElement>, feed: ConsoleFeed) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return
  const target = event.target as HTMLElement // keys come from elements
  const isTyping = target.closest('input, textarea, select') !== null
  if (event.key === 'Escape') {
    const { kind, text } = feed.filter.read()
    if (kind !== 'all' || text !== '') feed.choose({ kind: 'all', text: '' })
    return
  }
  if (isTyping) return
  if (event.key === '?') areShortcutsShown.write(true)
  if (event.key === ' ' && target.closest('button, a, [role="slider"]') === null) {
    event.preventDefault()
    if (feed.hold.read().isPaused) feed.resume()
    else if (feed.connection.read() === 'streaming') feed.pause()
  }
}

/** A plain press on a token opens its drawer; with a key held its link does what links do. */
function onRegionPress(event: MouseEvent<HTMLElement>, feed: ConsoleFeed) {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return
  const target = event.target as HTMLElement // presses come from elements
  const mint = target.closest<HTMLElement>('[data-mint]')?.dataset.mint
  if (!mint) return
  event.preventDefault()
  feed.openToken.write(mint)
}

/** Closes the connection when the console or the page is left. */
function useClosing(feed: ConsoleFeed) {
  // A layout effect also ends when the console is hidden, because the next page is still waited for.
  useLayoutEffect(() => {
    const close = () => {
      feed.open(undefined)
      feed.openToken.write(undefined)
      feed.stop()
      areShortcutsShown.write(false)
    }
    window.addEventListener('pagehide', close)
    return () => {
      window.removeEventListener('pagehide', close)
      close()
    }
  }, [feed])
}

/** Puts a dot and the rate before the title while the stream runs, at most every two seconds. */
function RunningTitle({ feed }: { feed: ConsoleFeed }) {
  const isRunning = useStore(feed.connection) === 'streaming'
  const [prefix, setPrefix] = useState('')
  useEffect(() => {
    if (!isRunning) {
      setPrefix('')
      return
    }
    const write = () => setPrefix(`● ${figures.whole(feed.perSecond.read())}/s · `)
    write()
    const timer = setInterval(write, TITLE_MS)
    return () => clearInterval(timer)
  }, [isRunning, feed])
  usePageTitle(TITLE, prefix)
  return null
}

/** Milliseconds between two changes of the title. */
const TITLE_MS = 2_000
