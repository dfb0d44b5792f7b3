import { useEffect, useLayoutEffect, useRef } from 'react'
import { type Location, useNavigationType } from 'react-router'
import { focusHeading } from '../components/page.tsx'

/**
 * After a change of path: top of the page, focus on its heading. Back and Forward return to where the page was left,
 * and keep a focus that still exists. A change of the query alone moves nothing.
 */
export function usePageChange({ key, pathname, hash }: Location): void {
  const kind = useNavigationType()
  const last = useRef({ key, pathname })
  /** CSS pixels from the top of the page, now and where each history entry was left. */
  const top = useRef(0)
  const tops = useRef(new Map<string, number>())
  // The event of a script's scrolling, such as `goTo`'s, comes a frame later: the page may be left before.
  if (last.current.pathname !== pathname) top.current = window.scrollY

  useEffect(() => {
    const note = () => {
      top.current = window.scrollY
    }
    // The browser would scroll there before the page is rendered; it still does after a reload.
    const leave = () => {
      history.scrollRestoration = 'auto'
    }
    history.scrollRestoration = 'manual'
    window.addEventListener('scroll', note, { passive: true })
    window.addEventListener('pagehide', leave)
    return () => {
      leave()
      window.removeEventListener('scroll', note)
      window.removeEventListener('pagehide', leave)
    }
  }, [])
  useLayoutEffect(() => {
    const before = last.current
    if (before.key === key) return
    last.current = { key, pathname }
    tops.current.set(before.key, top.current)
    const isOther = before.pathname !== pathname
    const hasFocus = document.activeElement !== null && document.activeElement !== document.body
    if (isOther && !(kind === 'POP' && hasFocus)) focusHeading()
    // Within the page the browser scrolls itself, as for the skip link.
    if (kind === 'POP') return hash === '' ? goTo(tops.current.get(key) ?? 0) : undefined
    if (isOther) window.scrollTo(0, 0)
  }, [key, pathname, hash, kind])
}

/** Milliseconds in which a page may grow to where it was left: as long as a call may take. */
const GROW_MS = 10_000

/** What somebody does who scrolls or opens something; a screen reader clicks without a pointer. */
const ACTS = ['wheel', 'touchmove', 'keydown', 'pointerdown', 'click']

/** Scrolls to `top`, repeatedly while the page grows, until somebody acts. @returns a function that stops it */
function goTo(top: number): () => void {
  const stop = () => {
    sizes.disconnect()
    clearTimeout(timer)
    for (const name of ACTS) window.removeEventListener(name, stop)
  }
  const sizes = new ResizeObserver(() => window.scrollTo(0, top))
  const timer = setTimeout(stop, GROW_MS)
  for (const name of ACTS) window.addEventListener(name, stop, { passive: true })
  sizes.observe(document.body)
  return stop
}
