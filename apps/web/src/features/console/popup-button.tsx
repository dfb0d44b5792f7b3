import { type ReactNode, useId, useRef, useState } from 'react'
import { placeBeside } from './place-beside.ts'

type PopupButtonProps = {
  label: string
  children: (close: () => void) => ReactNode
}

/** A small command that opens a popup beside it. What the popup holds is made when it opens. */
export function PopupButton({ label, children }: PopupButtonProps) {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const popup = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)

  const onToggle = (opens: boolean) => {
    setIsOpen(opens)
    if (opens && popup.current && button.current) placeBeside(popup.current, button.current)
    if (!opens && document.activeElement === document.body) button.current?.focus()
  }
  return (
    <>
      <button ref={button} type="button" className="text-button" popoverTarget={id} aria-expanded={isOpen}>
        {label}
      </button>
      <div
        className="view-popup"
        id={id}
        ref={popup}
        popover="auto"
        onToggle={(event) => onToggle(event.newState === 'open')}
      >
        {isOpen ? children(() => popup.current?.hidePopover()) : null}
      </div>
    </>
  )
}
