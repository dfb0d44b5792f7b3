import type { ComponentProps, ReactNode } from 'react'
import { Field } from '../../components/field.tsx'
import { typedEmail } from './typed-email.ts'

type EmailFieldProps = {
  value: string
  error: ReactNode
  onType: (email: string) => void
} & Pick<ComponentProps<'input'>, 'ref'>

/** The address that a login link is sent to; what is typed is carried over to the next form. */
export function EmailField({ value, error, onType, ref }: EmailFieldProps) {
  return (
    <Field label="Email" error={error}>
      {(ids) => (
        <input
          {...ids}
          ref={ref}
          className="input input-xl"
          type="email"
          name="email"
          required
          autoComplete="email"
          inputMode="email"
          autoCapitalize="none"
          spellCheck={false}
          value={value}
          onChange={({ target }) => {
            typedEmail.write(target.value)
            onType(target.value)
          }}
        />
      )}
    </Field>
  )
}
