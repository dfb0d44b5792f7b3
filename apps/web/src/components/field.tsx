import { type ReactNode, useId } from 'react'
import { Icon } from './icon.tsx'

/** Ids that connect the control inside a {@link Field} with its label and error. */
type FieldIds = Readonly<{
  id: string
  'aria-invalid': true | undefined
  'aria-describedby': string | undefined
}>

type FieldProps = {
  label: ReactNode
  /** Shown under the control; absent without an error. */
  error?: ReactNode
  children: (ids: FieldIds) => ReactNode
}

/** A label above a control and its error below. */
export function Field({ label, error, children }: FieldProps) {
  const id = useId()
  const errorId = `${id}-error`
  const failed = error !== undefined && error !== null
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        'aria-invalid': failed || undefined,
        'aria-describedby': failed ? errorId : undefined,
      })}
      {failed ? <FieldError id={errorId}>{error}</FieldError> : null}
    </div>
  )
}

/** The error text of a control, with a mark that does not rely on colour. */
export function FieldError({ id, children }: { id?: string; children: ReactNode }) {
  return (
    <p className="field-error" id={id}>
      <Icon name="warning" size={15} />
      <span>{children}</span>
    </p>
  )
}

/** The place for the error of an action, which is read out when it comes. */
export function ActionError({ children }: { children: ReactNode }) {
  return <div role="alert">{children ? <FieldError>{children}</FieldError> : null}</div>
}
