import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'
import './notice.css'

const ICONS = {
  success: 'check',
  info: 'info',
  warning: 'warning',
  danger: 'warning',
} as const satisfies Record<string, IconName>

/** A permanent sentence within a page: what happened, or what to know first. */
export function Notice({ tone, children }: { tone: keyof typeof ICONS; children: ReactNode }) {
  return (
    <div className={`notice notice-${tone}`}>
      <Icon name={ICONS[tone]} />
      <div className="notice-body aligned">{children}</div>
    </div>
  )
}
