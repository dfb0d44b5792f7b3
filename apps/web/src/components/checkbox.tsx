import { type ComponentProps, type ReactNode, useId } from 'react'
import { FieldError } from './field.tsx'

type CheckboxProps = Omit<ComponentProps<'input'>, 'type' | 'children'> & {
  label: ReactNode
  error?: ReactNode
}

/** A checkbox in a row of 44 px. Links inside the label open and do not tick it. */
export function Checkbox({ label, error, ...rest }: CheckboxProps) {
  const id = useId()
  const errorId = `${id}-error`
  const failed = error !== undefined && error !== null
  return (
    <div className="check">
      <label className="check-row">
        <input
          {...rest}
          type="checkbox"
          className="check-box"
          aria-invalid={failed || undefined}
          aria-describedby={failed ? errorId : undefined}
        />
        <span>{label}</span>
      </label>
      {failed ? <FieldError id={errorId}>{error}</FieldError> : null}
    </div>
  )
}
