import { type ComponentProps, type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { placeBeside } from './place-beside.ts'
import './stream/view-menu.css'

type PopupButtonProps = {
  /** The opener's label. */
  label: string
  /** The opener as a button; without it, it is the label in a line of text. */
  button?: ComponentProps<typeof Button>
  /** Class of the popup. */
  className?: string
  children: (close: () => void) => ReactNode
}

/** A small command that opens a popup beside it. The popup's contents are created on opening, and may load later. */
export function PopupButton({ label, button: look, className = 'view-popup', children }: PopupButtonProps) {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const popup = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  const opener = { ref: button, popoverTarget: id, 'aria-expanded': isOpen }

  useEffect(() => {
    const [opened, beside] = [popup.current, button.current]
    if (!isOpen || !opened || !beside) return
    const sizes = new ResizeObserver(() => placeBeside(opened, beside))
    sizes.observe(opened)
    return () => sizes.disconnect()
  }, [isOpen])

  const onToggle = (opens: boolean) => {
    setIsOpen(opens)
    if (!opens && document.activeElement === document.body) button.current?.focus()
  }
  return (
    <>
      {look ? (
        <Button {...opener} aria-label={label} {...look} />
      ) : (
        <button {...opener} type="button" className="text-button">
          {label}
        </button>
      )}
      <div
        className={`popup ${className}`}
        id={id}
        ref={popup}
        popover="auto"
        // `toggle` comes later, and tells of no closing if the popup was opened again by then.
        onBeforeToggle={(event) => event.newState === 'closed' && setIsOpen(false)}
        onToggle={(event) => onToggle(event.newState === 'open')}
      >
        {isOpen ? children(() => popup.current?.hidePopover()) : null}
      </div>
    </>
  )
}
