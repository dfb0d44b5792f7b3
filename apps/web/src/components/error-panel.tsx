import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import { passFocus } from './page.tsx'
import './error-panel.css'

type ErrorPanelProps = {
  title: string
  /** Small text below it. */
  detail?: ReactNode
  action: string
  busy?: boolean
  onAction: () => void
}

/** Replaces a part that could not be shown: what happened, and one action. */
export function ErrorPanel({ title, detail, action, busy = false, onAction }: ErrorPanelProps) {
  return (
    <div className="panel error-panel" ref={passFocus}>
      <Icon name="warning" size={22} />
      <div>
        <p className="error-panel-title">{title}</p>
        {detail ? <p className="third small">{detail}</p> : null}
      </div>
      <Button busy={busy} onClick={onAction}>
        {action}
      </Button>
    </div>
  )
}
