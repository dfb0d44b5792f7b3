import { Button } from '../../components/button.tsx'
import { KeyboardPlaces } from '../../components/keyboard-places.tsx'
import { showModal } from '../../components/page.tsx'
import { MODIFIER_KEY } from '../../shell/palette-opener.tsx'
import { areShortcutsShown } from './shortcuts-shown.ts'

/** All keyboard shortcuts, in a modal dialog. The focus returns to its previous place. */
export default function ShortcutList() {
  const close = () => areShortcutsShown.write(false)
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it as well
    <dialog
      className="dialog shortcut-list"
      ref={showModal}
      aria-label="Keyboard shortcuts"
      onClose={close}
      onClick={(event) => event.target === event.currentTarget && close()}
    >
      <div className="shortcut-head aligned">
        <h2>Keyboard shortcuts</h2>
        <Button variant="ghost" icon="close" aria-label="Close" onClick={close} />
      </div>
      <KeyboardPlaces modifier={MODIFIER_KEY} />
    </dialog>
  )
}
