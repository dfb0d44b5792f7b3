import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import type { IconName } from '../../components/icon.tsx'
import { placeBeside } from './place-beside.ts'
import './view-menu.css'

type PopupButtonProps = {
  label: string
  /** Stands in place of the label. */
  icon?: IconName
  /** Stands in a button, whose name the label is; in red where it says another thing. */
  face?: string
  children: (close: () => void) => ReactNode
}

/** A small command that opens a popup beside it. What the popup holds is made when it opens, and may come later. */
export function PopupButton({ label, icon, face, children }: PopupButtonProps) {
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
      {icon ? (
        <Button {...opener} size="sm" icon={icon} className="view-button" aria-label={label} title={label} />
      ) : face ? (
        <Button {...opener} size="sm" aria-label={label} className={face === label ? '' : 'recording'}>
          {face}
        </Button>
      ) : (
        <button {...opener} type="button" className="text-button">
          {label}
        </button>
      )}
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
