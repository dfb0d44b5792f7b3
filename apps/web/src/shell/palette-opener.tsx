import { type ComponentType, useEffect, useState } from 'react'
import { announce } from '../components/announce.ts'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { Notice } from '../components/notice.tsx'
import { passFocus, showModal } from '../components/page.tsx'
import { createStore, useStore } from '../components/store.ts'
import { loadChunk } from './chunk-load-error.ts'

/** A command palette. Mounting it opens it, with what was typed before. */
type Palette = ComponentType<{ typed: string; onClose: () => void }>

const isOpen = createStore(false)

/** Opens the command palette, whose code is loaded the first time. */
export function openPalette(): void {
  isOpen.write(true)
}

/** On a Mac, Ctrl+K deletes the rest of a line in every field. */
const isMac = /^Mac|^iP/.test(navigator.platform)

/** The modifier key for a command, as written on this device's keyboard. */
export const MODIFIER_KEY = isMac ? '⌘' : 'Ctrl'

/**
 * Opens what `load` gives on Ctrl+K (Cmd+K on a Mac); the same keys close it. Not over a dialog awaiting an answer. Until
 * its code has loaded, its field alone stands there.
 */
export function PaletteOpener({ load }: { load: () => Promise<{ default: Palette }> }) {
  const open = useStore(isOpen)
  const [Palette, setPalette] = useState<Palette>()
  const [hasFailed, setFailed] = useState(false)
  const [typed, setTyped] = useState('')

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || event.shiftKey || event.altKey || event.defaultPrevented) return
      if (isMac ? !event.metaKey || event.ctrlKey : !event.ctrlKey && !event.metaKey) return
      // The browser uses these keys itself, which would take the focus out of the page.
      event.preventDefault()
      if (event.repeat) return
      if (isOpen.read()) isOpen.write(false)
      else if (!document.querySelector('dialog:modal')) isOpen.write(true)
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [])
  useEffect(() => {
    if (!open) {
      setTyped('')
      return
    }
    setFailed(false)
    if (Palette) return
    loadChunk(load).then(
      (module) => setPalette(() => module.default),
      () => {
        isOpen.write(false)
        setFailed(true)
        announce(FAILED, 'alert')
      },
    )
  }, [open, Palette, load])

  if (hasFailed) {
    return (
      <div className="palette-failed" ref={passFocus}>
        <Notice tone="danger">
          {FAILED}
          <Button size="sm" onClick={openPalette}>
            Try again
          </Button>
          <Button size="sm" variant="ghost" onClick={() => setFailed(false)}>
            Dismiss
          </Button>
        </Notice>
      </div>
    )
  }
  if (!open) return null
  if (Palette) return <Palette typed={typed} onClose={close} />
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it as well
    <dialog
      className="dialog palette"
      ref={showModal}
      aria-label="Command palette"
      onCancel={close}
      onClick={(event) => event.target === event.currentTarget && close()}
    >
      <div className="palette-field aligned">
        <Icon name="search" />
        <input
          aria-label="Find a command"
          placeholder="Find a command"
          onChange={(event) => setTyped(event.target.value)}
        />
      </div>
    </dialog>
  )
}

const FAILED = 'The command palette did not load.'

function close(): void {
  isOpen.write(false)
}
