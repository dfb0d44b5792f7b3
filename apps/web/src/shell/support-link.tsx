import type { ReactNode } from 'react'
import { useConfig } from '../api/config-store.ts'

/** Begins a mail to support: its address, or other words. */
export function SupportLink({ children, className }: { children?: ReactNode; className?: string }) {
  const { supportEmail } = useConfig()
  return (
    <a className={className} href={`mailto:${supportEmail}`}>
      {children ?? supportEmail}
    </a>
  )
}
