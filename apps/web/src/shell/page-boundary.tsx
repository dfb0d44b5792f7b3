import { Component, type ReactNode, Suspense } from 'react'
import { ErrorPanel } from '../components/error-panel.tsx'
import { PageHeading } from '../components/page.tsx'
import { UNEXPECTED_ERROR } from '../specified-words.ts'
import { type ChunkFailure, ChunkLoadError } from './chunk-load-error.ts'
import { PageWait } from './page-wait.tsx'

/** `isLate` says that the page has been waited for before, so that the wait is drawn at once. */
type Props = { children: ReactNode; path: string; isLate: boolean }
type State = { error: unknown; path: string }

const KINDS: Readonly<Record<ChunkFailure, string>> = {
  missing: 'missing: its code could not be fetched',
  timeout: 'timeout: its code did not come within 120 seconds',
  other: 'other: its code came but did not run',
}

/** Holds a page: draws a wait while its code comes, and a panel when it fails, with the shell left whole. */
export class PageBoundary extends Component<Props, State> {
  static getDerivedStateFromError(error: unknown): Partial<State> {
    return { error }
  }

  /** Another page is another try. */
  static getDerivedStateFromProps(props: Props, state: State): Partial<State> | null {
    return props.path === state.path ? null : { error: undefined, path: props.path }
  }

  override state: State = { error: undefined, path: this.props.path }

  override componentDidCatch(error: unknown): void {
    if (error instanceof ChunkLoadError && reloadOnce()) window.location.reload()
  }

  override render(): ReactNode {
    const { error } = this.state
    const { children, isLate } = this.props
    if (error === undefined) return <Suspense fallback={<PageWait isLate={isLate} />}>{children}</Suspense>

    const title = error instanceof ChunkLoadError ? 'This page did not load.' : UNEXPECTED_ERROR
    return (
      <div className="page">
        <div className="unseen">
          <PageHeading title="Not loaded">Not loaded</PageHeading>
        </div>
        <ErrorPanel
          title={title}
          detail={error instanceof ChunkLoadError ? KINDS[error.kind] : undefined}
          action="Reload"
          onAction={() => window.location.reload()}
        />
      </div>
    )
  }
}

const RELOADED_KEY = 'chunk.reloaded'

/** Whether the page may reload by itself: once for each build, which its first script's hashed address names. */
function reloadOnce(): boolean {
  try {
    const build = document.querySelector<HTMLScriptElement>('script[type="module"]')?.src ?? ''
    if (sessionStorage.getItem(RELOADED_KEY) === build) return false
    sessionStorage.setItem(RELOADED_KEY, build)
    return true
  } catch {
    return false
  }
}
