import { type MouseEvent, type ReactNode, useEffect, useRef } from 'react'
import { Button } from '../../../components/button.tsx'
import './request-drawer.css'

/**
 * The request on narrower screens: a drawer on the left, on phones a sheet at the bottom. A modal dialog, whose content
 * stays in the page while it is closed, so that the editor keeps its undo history.
 */
export function RequestDrawer({
  isOpen,
  onClose,
  children,
}: {
  isOpen: boolean
  onClose: () => void
  children: ReactNode
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    if (isOpen) dialog.current?.showModal()
    else dialog.current?.close()
  }, [isOpen])
  const onPress = (event: MouseEvent) => {
    if (event.target === dialog.current) onClose()
  }
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it as well
    <dialog className="request-drawer" ref={dialog} aria-label="Request" onClose={onClose} onClick={onPress}>
      <div className="drawer-head aligned">
        <h2>Request</h2>
        <Button variant="ghost" icon="close" aria-label="Close" onClick={onClose} />
      </div>
      <div className="drawer-body">{children}</div>
    </dialog>
  )
}
