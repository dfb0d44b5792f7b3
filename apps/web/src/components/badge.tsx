import type { ReactNode } from 'react'
import { EventGlyph, Icon, type IconName } from './icon.tsx'

/** The meaning of a badge. The first three are the stream's events and are used for nothing else. */
export type BadgeTone = 'buy' | 'sell' | 'pair' | 'success' | 'warning' | 'danger' | 'info' | 'quiet'

type BadgeProps = {
  tone: BadgeTone
  /** Drawn before the word; the three event tones have their own mark. */
  icon?: IconName
  size?: 'md' | 'lg'
  children: ReactNode
}

/** A short word on a background of its colour, always with its mark: colour never carries the meaning alone. */
export function Badge({ tone, icon, size = 'md', children }: BadgeProps) {
  return (
    <span className={`badge badge-${tone} badge-${size}`}>
      {tone === 'buy' || tone === 'sell' || tone === 'pair' ? <EventGlyph name={tone} /> : null}
      {icon ? <Icon name={icon} size={13} /> : null}
      {children}
    </span>
  )
}
