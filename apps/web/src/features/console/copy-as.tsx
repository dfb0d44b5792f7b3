import { useId, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { lazyPart } from '../../components/lazy-part.tsx'
import { placeBeside } from './place-beside.ts'
import './copy-as.css'

/** Loaded when it is first opened: most visits to the console do without. */
const copyMenu = lazyPart(() => import('./copy-menu.tsx'))

type CopyAsProps = {
  /** Address and key of the stream; `undefined` when nobody is signed in any more. */
  readAccess: () => Readonly<{ url: string; key: string }> | undefined
}

/**
 * The request as a command or a program: a menu of eight forms with a preview of the one that is pointed at. The key
 * stays out of them until it is asked for, at each visit anew.
 */
export function CopyAs({ readAccess }: CopyAsProps) {
  const [isOpen, setIsOpen] = useState(false)
  const id = useId()
  const popup = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLDivElement>(null)

  const onToggle = (opens: boolean) => {
    setIsOpen(opens)
    if (opens) {
      if (popup.current && button.current) placeBeside(popup.current, button.current)
      return
    }
    // A press elsewhere has moved the focus already.
    if (document.activeElement === document.body) button.current?.querySelector('button')?.focus()
  }
  return (
    <div className="copy-as" ref={button}>
      <Button icon="code" popoverTarget={id} aria-haspopup="menu" aria-expanded={isOpen}>
        Copy as
      </Button>
      <div
        className="copy-popup"
        id={id}
        ref={popup}
        popover="auto"
        onToggle={(event) => onToggle(event.newState === 'open')}
      >
        {isOpen ? (
          <copyMenu.Part readAccess={readAccess} onDone={() => popup.current?.hidePopover()} />
        ) : null}
      </div>
    </div>
  )
}
