import { type ReactNode, useLayoutEffect, useRef } from 'react'
import './page.css'

const PRODUCT = 'Pairwire'

/** Puts `<prefix><title> · Pairwire` into the window's title for as long as the component stands. */
export function usePageTitle(title: string, prefix = ''): void {
  useLayoutEffect(() => {
    document.title = `${prefix}${title} · ${PRODUCT}`
  }, [title, prefix])
}

/** Whether the next heading that appears should take the focus, because the page has changed. */
let headingWanted = false

/**
 * Moves the focus to the page's heading, now or as soon as the page's code has come. Called by the shell after
 * a change of path.
 */
export function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('main h1[tabindex="-1"]')
  // While a page is waited for, the heading of the one before is there, but hidden.
  headingWanted = !heading?.checkVisibility()
  if (!headingWanted) heading?.focus({ preventScroll: true })
}

/** The page's one `h1`. Sets the title first, then takes the focus if the page was just changed to. */
export function PageHeading({ children, title }: { children: ReactNode; title: string }) {
  const heading = useRef<HTMLHeadingElement>(null)
  usePageTitle(title)
  useLayoutEffect(() => {
    if (!headingWanted) return
    headingWanted = false
    heading.current?.focus({ preventScroll: true })
  }, [])
  return (
    <h1 ref={heading} tabIndex={-1}>
      {children}
    </h1>
  )
}

type PageProps = {
  title: string
  /** What the window is titled, where several pages share a heading. */
  windowTitle?: string
  /** At the end of the heading's line. */
  aside?: ReactNode
  children: ReactNode
}

/** An ordinary page: title, heading, and its parts under one another. */
export function Page({ title, windowTitle = title, aside, children }: PageProps) {
  return (
    <div className="page">
      <div className="page-head">
        <PageHeading title={windowTitle}>{title}</PageHeading>
        {aside ? <div className="page-aside">{aside}</div> : null}
      </div>
      {children}
    </div>
  )
}
