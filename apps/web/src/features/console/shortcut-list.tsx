import { type MouseEvent, useEffect, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { KeyboardPlaces } from '../../components/keyboard-places.tsx'
import { MODIFIER_KEY } from '../../shell/palette-opener.tsx'
import { areShortcutsShown } from './shortcuts-shown.ts'

/** All keyboard shortcuts, in a modal dialog. The focus returns to its previous place. */
export default function ShortcutList() {
  const dialog = useRef<HTMLDialogElement>(null)
  const close = () => areShortcutsShown.write(false)
  useEffect(() => {
    const opener = document.activeElement
    const element = dialog.current
    element?.showModal()
    return () => {
      element?.close()
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  const onPress = (event: MouseEvent) => {
    if (event.target === dialog.current) close()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it as well
    <dialog
      className="dialog shortcut-list"
      ref={dialog}
      aria-label="Keyboard shortcuts"
      onClose={close}
      onClick={onPress}
    >
      <div className="shortcut-head aligned">
        <h2>Keyboard shortcuts</h2>
        <Button variant="ghost" icon="close" aria-label="Close" onClick={close} />
      </div>
      <KeyboardPlaces modifier={MODIFIER_KEY} />
    </dialog>
  )
}
