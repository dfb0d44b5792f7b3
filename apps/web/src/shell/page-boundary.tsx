import { Component, type ReactNode, Suspense } from 'react'
import { isServerThere } from '../api/http-client.ts'
import { ErrorPanel } from '../components/error-panel.tsx'
import { PageHeading } from '../components/page.tsx'
import { UNEXPECTED_ERROR } from '../specified-words.ts'
import { type ChunkFailure, ChunkLoadError } from './chunk-load-error.ts'
import { PageWait } from './page-wait.tsx'

/** `isLate` says that the page was already waited for, so that the wait is shown at once. */
type Props = { children: ReactNode; path: string; isLate: boolean }
type State = {
  error: unknown
  path: string
  /** Whether a request is checking that the server answers; what to say is not known yet. */
  isAsking: boolean
  isAway: boolean
  isTrying: boolean
}

const NO_FAILURE = { error: undefined, isAsking: false, isAway: false, isTrying: false }

const NOT_DOWNLOADED = "The page's code could not be downloaded."

/** What each kind of failure says, with its name for error reports. */
const KINDS: Readonly<Record<ChunkFailure, { title: string; detail: string }>> = {
  missing: { title: NOT_DOWNLOADED, detail: 'missing: the server does not have it' },
  timeout: { title: NOT_DOWNLOADED, detail: 'timeout: it did not arrive within 120 seconds' },
  other: { title: "The page's code did not run.", detail: 'other: it arrived but failed' },
}

const AWAY = 'The server cannot be reached. Pages that are already loaded still work.'

/** Wraps a page: shows a wait while its code loads, and a panel when it fails; the shell stays. */
export class PageBoundary extends Component<Props, State> {
  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error, isAsking: error instanceof ChunkLoadError }
  }

  /** Another page gets a new attempt. */
  static getDerivedStateFromProps(props: Props, state: State): Partial<State> | null {
    return props.path === state.path ? null : { ...NO_FAILURE, path: props.path }
  }

  override state: State = { ...NO_FAILURE, path: this.props.path }

  /** A newer build has other files: the page of that build is fetched, once. */
  override async componentDidCatch(error: unknown): Promise<void> {
    if (!(error instanceof ChunkLoadError)) return
    const isAway = !(await isServerThere())
    if (!isAway && reloadOnce()) window.location.reload()
    else this.setState({ isAsking: false, isAway })
  }

  /** Never leaves for the browser's own error page, where everything on this page would be lost. */
  private async reload(): Promise<void> {
    this.setState({ isTrying: true })
    const isThere = await isServerThere()
    if (isThere) window.location.reload()
    else this.setState({ isAway: true, isTrying: false })
  }

  override render(): ReactNode {
    const { error, isAsking, isAway, isTrying } = this.state
    const { children, isLate } = this.props
    if (error === undefined) return <Suspense fallback={<PageWait isLate={isLate} />}>{children}</Suspense>
    if (isAsking) return <PageWait isLate={isLate} />

    const kind = error instanceof ChunkLoadError ? KINDS[error.kind] : undefined
    return (
      <div className="page">
        <div className="unseen">
          <PageHeading title="Not loaded">Not loaded</PageHeading>
        </div>
        <ErrorPanel
          title={kind?.title ?? UNEXPECTED_ERROR}
          detail={isAway ? AWAY : kind?.detail}
          action={isAway ? 'Try again' : 'Reload'}
          busy={isTrying}
          onAction={() => void this.reload()}
        />
      </div>
    )
  }
}

const RELOADED_KEY = 'chunk.reloaded'

/** Milliseconds in which a page that was just reloaded is known to be of the newest build. */
const JUST_RELOADED_MS = 10_000

/** Whether the page may reload by itself: once per build, which its first script's hashed address identifies. */
function reloadOnce(): boolean {
  // What was stored just before a reload may not be there yet after it.
  const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
  if (navigation?.type === 'reload' && performance.now() < JUST_RELOADED_MS) return false
  try {
    const build = document.querySelector<HTMLScriptElement>('script[type="module"]')?.src ?? ''
    if (sessionStorage.getItem(RELOADED_KEY) === build) return false
    sessionStorage.setItem(RELOADED_KEY, build)
    return true
  } catch {
    return false
  }
}
