import { type MouseEvent, useEffect, useRef } from 'react'
import { Button } from '../../components/button.tsx'
import { areShortcutsShown, SHORTCUTS } from './shortcuts.ts'
import './shortcut-list.css'

/** All keys of the console, in a modal dialog. The focus goes back to where it was. */
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
      className="shortcut-list"
      ref={dialog}
      aria-label="Keyboard shortcuts"
      onClose={close}
      onClick={onPress}
    >
      <div className="shortcut-head">
        <h2>Keyboard shortcuts</h2>
        <Button variant="ghost" icon="close" aria-label="Close" onClick={close} />
      </div>
      <div className="shortcut-places">
        {SHORTCUTS.map(({ place, keys }) => (
          <section key={place}>
            <h3>{place}</h3>
            <dl>
              {keys.map(([names, does]) => (
                <div key={names}>
                  <dt>{does}</dt>
                  <dd>
                    {names.split(' ').map((name) => (
                      <kbd key={name} className="key-cap">
                        {name}
                      </kbd>
                    ))}
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </dialog>
  )
}
