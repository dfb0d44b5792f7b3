import { type KeyboardEvent, type MouseEvent, type ReactNode, useEffect, useId, useRef } from 'react'
import { Button, type ButtonVariant } from './button.tsx'
import { ActionError } from './field.tsx'

type DialogProps = {
  title: string
  body: ReactNode
  /** The confirm button repeats the action's name. */
  confirmLabel: string
  /** The initial focus: on Cancel if a hasty Enter would destroy something. */
  firstFocus: 'cancel' | 'confirm'
  confirmVariant?: ButtonVariant
  busy: boolean
  /** Shown inside: while a modal dialog is open, nothing outside it is read out. */
  error?: string | undefined
  onConfirm: () => void
  onCancel: () => void
}

/**
 * Asks before an action. Uses the platform's modal dialog: focus stays inside and returns to the opener. Escape and a
 * press outside cancel, unless it is busy. Mount it to open it.
 */
export function Dialog(props: DialogProps) {
  const { title, body, confirmLabel, firstFocus, confirmVariant = 'primary', busy, error } = props
  const { onConfirm, onCancel } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const cancelButton = useRef<HTMLButtonElement>(null)
  const confirmButton = useRef<HTMLButtonElement>(null)
  const id = useId()

  useEffect(() => {
    const opener = document.activeElement
    const element = dialog.current
    element?.showModal()
    ;(firstFocus === 'cancel' ? cancelButton : confirmButton).current?.focus()
    return () => {
      element?.close()
      if (opener instanceof HTMLElement && opener.isConnected && opener !== document.body) opener.focus()
      else document.querySelector<HTMLElement>('h1')?.focus()
    }
  }, [firstFocus])

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    event.preventDefault()
    if (!busy) onCancel()
  }
  const onPress = (event: MouseEvent) => {
    if (event.target === dialog.current && !busy) onCancel()
  }

  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={`${id}-title`}
      aria-describedby={`${id}-body`}
      onKeyDown={onKeyDown}
      onClick={onPress}
      onCancel={(event) => event.preventDefault()}
    >
      <div className="dialog-card">
        <h2 id={`${id}-title`}>{title}</h2>
        <p id={`${id}-body`} className="second">
          {body}
        </p>
        <ActionError>{error}</ActionError>
        <div className="dialog-actions">
          <Button ref={cancelButton} aria-disabled={busy} onClick={busy ? undefined : onCancel}>
            Cancel
          </Button>
          <Button ref={confirmButton} variant={confirmVariant} busy={busy} onClick={onConfirm}>
            {confirmLabel}
          </Button>
        </div>
      </div>
    </dialog>
  )
}
