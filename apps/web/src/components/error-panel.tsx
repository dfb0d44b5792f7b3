import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'
import './error-panel.css'

type ErrorPanelProps = {
  title: string
  /** In small text under it. */
  detail?: ReactNode
  action: string
  busy?: boolean
  onAction: () => void
}

/** Stands where a part could not be shown: what happened, and the one thing to do about it. */
export function ErrorPanel({ title, detail, action, busy = false, onAction }: ErrorPanelProps) {
  return (
    <div className="panel error-panel">
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
