import { useEffect, useRef, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { useConfig } from '../api/config-store.ts'
import { Button } from '../components/button.tsx'
import { focusHeading } from '../components/page.tsx'
import { useStore } from '../components/store.ts'
import { useSession } from '../session/session.ts'
import { Brand } from './brand.tsx'
import { NavLinks } from './nav-links.tsx'
import { ThemeButton } from './theme-button.tsx'
import { menuFoot } from './wire.ts'
import { Wire } from './wire-line.tsx'

/** The phone's menu: a full-height sheet behind a button, with the rail's items and the top bar's links. */
export function NavSheet() {
  const sheet = useRef<HTMLDialogElement>(null)
  const [open, setOpen] = useState(false)
  const pageChanged = useRef(false)
  const location = useLocation()
  const session = useSession()
  const { registration } = useConfig()
  const foot = useStore(menuFoot)

  // biome-ignore lint/correctness/useExhaustiveDependencies: a change of page closes the sheet
  useEffect(() => {
    pageChanged.current = true
    setOpen(false)
  }, [location])
  useEffect(() => {
    if (open) {
      pageChanged.current = false
      sheet.current?.showModal()
    } else if (sheet.current?.open) {
      sheet.current.close()
      // Closing returns the focus to the button; after a page change it goes to the heading.
      if (pageChanged.current) focusHeading()
    }
  }, [open])
  useEffect(() => {
    const wide = window.matchMedia('(min-width: 860px)')
    const close = () => setOpen(false)
    wide.addEventListener('change', close)
    return () => wide.removeEventListener('change', close)
  }, [])

  return (
    <>
      <Button
        variant="ghost"
        className="tool menu-button"
        icon="menu"
        aria-label="Menu"
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      />
      <dialog className="sheet" ref={sheet} aria-label="Menu" onClose={() => setOpen(false)}>
        {open ? (
          <>
            <div className="topbar">
              <Button
                variant="ghost"
                className="tool"
                icon="close"
                aria-label="Close menu"
                onClick={() => setOpen(false)}
              />
              <Brand tabIndex={-1} />
              <ThemeButton />
            </div>
            <Wire />
            <nav className="sheet-nav" aria-label="Main">
              <NavLinks className="sheet-list" />
              <ul className="sheet-more">
                {session ? (
                  <>
                    <li>
                      <a href="/docs">Docs</a>
                    </li>
                    <li>
                      <Link to="/logout">Sign Out</Link>
                    </li>
                  </>
                ) : (
                  <>
                    <li>
                      <Link to="/dashboard/login">Sign In</Link>
                    </li>
                    {registration ? null : (
                      <li>
                        <Link to="/dashboard/register">Register</Link>
                      </li>
                    )}
                  </>
                )}
              </ul>
            </nav>
            {foot ? <div className="sheet-foot">{foot}</div> : null}
          </>
        ) : null}
      </dialog>
    </>
  )
}
