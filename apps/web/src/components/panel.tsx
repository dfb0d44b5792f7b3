import { type ComponentProps, type ReactNode, useId } from 'react'
import { Icon, type IconName } from './icon.tsx'

type PanelProps = Omit<ComponentProps<'section'>, 'title'> & {
  /** Heading of the panel; without one give an `aria-label`. */
  title?: ReactNode
  icon?: IconName
  /** At the end of the head. */
  aside?: ReactNode
}

/** A region of a page on its own ground, parted by a hairline, never by a shadow. */
export function Panel({ title, icon, aside, className, children, ...rest }: PanelProps) {
  const headingId = useId()
  return (
    <section
      {...rest}
      className={className ? `panel ${className}` : 'panel'}
      {...(title === undefined ? {} : { 'aria-labelledby': headingId })}
    >
      {title === undefined ? null : (
        <header className="panel-head">
          {icon ? <Icon name={icon} /> : null}
          <h2 id={headingId}>{title}</h2>
          {aside ? <span className="panel-aside">{aside}</span> : null}
        </header>
      )}
      {children}
    </section>
  )
}
