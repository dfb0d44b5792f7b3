import { type ReactNode, useLayoutEffect, useRef } from 'react'
import './page.css'

/** The name of the service: the title that the first HTML has. */
export const SERVICE = document.title

/** Sets the window's title to `<prefix><title> · <service>` while the component is mounted. */
export function usePageTitle(title: string, prefix = ''): void {
  useLayoutEffect(() => {
    document.title = `${prefix}${title} · ${SERVICE}`
  }, [title, prefix])
}

/** Whether the next heading that appears should take the focus, because the page has changed. */
let headingWanted = false

/**
 * Moves the focus to the page's heading, now or once the page's code has loaded. The shell calls it after a change of
 * path.
 */
export function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>('main h1[tabindex="-1"]')
  // While the next page loads, the previous one's heading still exists, but hidden.
  headingWanted = !heading?.checkVisibility()
  if (!headingWanted) heading?.focus({ preventScroll: true })
}

/** The `ref` of what goes when it is pressed: the heading, in a dialog its first button, takes the focus that would be lost. */
export function passFocus(element: HTMLElement | null): () => void {
  return () => {
    if (!element?.contains(document.activeElement)) return
    focusHeading()
    element.closest('dialog')?.querySelector('button')?.focus()
  }
}

/** The `ref` of a button that goes when it is pressed: the one before it takes the focus. */
export function passFocusBack(button: HTMLButtonElement | null): () => void {
  return () =>
    void (
      button === document.activeElement && (button?.previousElementSibling as HTMLElement | null)?.focus()
    )
}

/** Opens a modal dialog as its `ref`, until it is unmounted: then the focus returns to where it was. */
export function showModal(dialog: HTMLDialogElement): () => void {
  dialog.showModal()
  return () => dialog.close()
}

/** The page's one `h1`. Sets the title first, then takes the focus if the page was just changed. */
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
  /** The window's title, if several pages share a heading. */
  windowTitle?: string
  /** At the end of the heading's line. */
  aside?: ReactNode
  children: ReactNode
}

/** An ordinary page: title, heading, and its parts below each other. */
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
