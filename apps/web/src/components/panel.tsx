import type { ComponentProps, ReactNode } from 'react'
import { Icon, type IconName } from './icon.tsx'

type PanelProps = Omit<ComponentProps<'section'>, 'title'> & {
  /** Heading of the panel; one without needs an `aria-label` if it is worth a landmark. */
  title?: ReactNode
  icon?: IconName
  /** At the end of the header. */
  aside?: ReactNode
}

/** A region of a page with its own background, separated by a hairline, never by a shadow. */
export function Panel({ title, icon, aside, className, children, ...rest }: PanelProps) {
  return (
    <section {...rest} className={className ? `panel ${className}` : 'panel'}>
      {title === undefined ? null : (
        <header className="panel-head">
          {icon ? <Icon name={icon} /> : null}
          <h2>{title}</h2>
          {aside ? <span className="panel-aside">{aside}</span> : null}
        </header>
      )}
      {children}
    </section>
  )
}
