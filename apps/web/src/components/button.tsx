import type { ComponentProps, KeyboardEvent, MouseEvent, ReactNode } from 'react'
import { Link } from 'react-router'
import { Icon, type IconName } from './icon.tsx'

/** How a button looks: `primary` at most once in a group, `danger` for irreversible actions, `ghost` in tools. */
export type ButtonVariant = 'default' | 'primary' | 'danger' | 'ghost'

type Look = {
  variant?: ButtonVariant
  /** 30, 36, 44 or 48 px high; at least 44 with a coarse pointer. */
  size?: 'sm' | 'md' | 'lg' | 'xl'
  icon?: IconName
  /** As wide as its container. */
  block?: boolean
  className?: string | undefined
  children?: ReactNode
}

type ButtonProps = Look &
  Omit<ComponentProps<'button'>, keyof Look> & {
    /** Shows a spinner after 200 ms, keeps width and focus, and ignores further presses. */
    busy?: boolean
  }

/** A button for an action on this page. Without `children` it is square and needs an `aria-label`. */
export function Button({
  variant,
  size,
  icon,
  block,
  className,
  children,
  busy = false,
  ...rest
}: ButtonProps) {
  const onClick = rest.onClick
  const press = (event: MouseEvent<HTMLButtonElement>) => {
    if (busy) event.preventDefault()
    else onClick?.(event)
  }
  return (
    <button
      type="button"
      {...rest}
      onClick={press}
      className={lookOf({ variant, size, block, className, children })}
      aria-busy={busy || undefined}
      aria-disabled={busy || rest['aria-disabled']}
    >
      <Face icon={icon} busy={busy}>
        {children}
      </Face>
    </button>
  )
}

/** `role="button"` for what the specification calls a button though it leads to a page; Space then presses it. */
type LinkButtonProps = Look &
  Omit<ComponentProps<'a'>, keyof Look | 'href'> & { to: string; external?: never } & { href?: never }
type AnchorButtonProps = Look &
  Omit<ComponentProps<'a'>, keyof Look> & {
    href: string
    /** Opens in a new tab, with a mark that says so. */
    external?: boolean
    to?: never
  }

/** A link that looks like a button: `to` for a page of the dashboard, `href` for anything else. */
export function LinkButton(props: LinkButtonProps | AnchorButtonProps) {
  const { variant, size, icon, block, className, children, to, href, external, ...given } = props
  const rest = given.role === 'button' ? { onKeyDown: pressOnSpace, ...given } : given
  const look = lookOf({ variant, size, block, className, children })
  if (to !== undefined) {
    return (
      <Link {...rest} to={to} className={look}>
        <Face icon={icon}>{children}</Face>
      </Link>
    )
  }
  return (
    <a {...rest} href={href} className={look} {...(external ? { target: '_blank', rel: 'noopener' } : {})}>
      <Face icon={icon}>{children}</Face>
      {external ? <Icon name="external" size={15} /> : null}
    </a>
  )
}

function pressOnSpace(event: KeyboardEvent<HTMLAnchorElement>): void {
  if (event.key !== ' ') return
  event.preventDefault()
  event.currentTarget.click()
}

function Face({
  icon,
  busy,
  children,
}: {
  icon?: IconName | undefined
  busy?: boolean
  children?: ReactNode
}) {
  return (
    <>
      {busy ? <span className={icon ? 'spin' : 'spin spin-added'} aria-hidden="true" /> : null}
      {icon && !busy ? <Icon name={icon} /> : null}
      {children === undefined || children === null ? null : <span className="btn-label">{children}</span>}
      {busy ? (
        <span className="btn-working" aria-hidden="true">
          Working
        </span>
      ) : null}
    </>
  )
}

function lookOf({
  variant = 'default',
  size = 'md',
  block,
  className,
  children,
}: { [key in keyof Look]: Look[key] | undefined }): string {
  const names = ['btn', `btn-${variant}`, `btn-${size}`]
  if (block) names.push('btn-block')
  if (children === undefined || children === null) names.push('btn-square')
  if (className) names.push(className)
  return names.join(' ')
}
