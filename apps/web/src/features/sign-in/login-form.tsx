import { type FormEvent, useRef, useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../api/api.ts'
import { Button } from '../../components/button.tsx'
import { Field } from '../../components/field.tsx'
import { Notice } from '../../components/notice.tsx'
import { PageHeading } from '../../components/page.tsx'
import { SIGN_IN_WORDS } from '../../specified-words.ts'
import { CheckYourEmail } from './check-your-email.tsx'
import { loginFault } from './sign-in-faults.ts'
import { typedEmail } from './typed-email.ts'

/** Asks for an email and sends a login link to it. `exchangeFault` says why a link that was opened failed. */
export function LoginForm({ exchangeFault }: { exchangeFault?: string | undefined }) {
  const [email, setEmail] = useState(typedEmail.read)
  const [missing, setMissing] = useState(false)
  const [fault, setFault] = useState<string>()
  const [busy, setBusy] = useState(false)
  const [sentTo, setSentTo] = useState<string>()
  const input = useRef<HTMLInputElement>(null)

  const submit = async (event: FormEvent) => {
    event.preventDefault()
    if (busy) return
    setFault(undefined)
    if (email.trim() === '' || !input.current?.validity.valid) {
      setMissing(true)
      input.current?.focus()
      return
    }
    setBusy(true)
    try {
      await api.login({ email: email.trim() })
      setSentTo(email.trim())
    } catch (error) {
      setFault(loginFault(error))
    } finally {
      setBusy(false)
    }
  }

  if (sentTo !== undefined) return <CheckYourEmail email={sentTo} onDifferent={() => setSentTo(undefined)} />

  return (
    <>
      <div>
        <PageHeading title="Sign in">Sign in</PageHeading>
        <p className="sign-in-lead">We email you a link. There is no password.</p>
      </div>
      <div className="sign-in-alert" role="alert">
        {exchangeFault && fault === undefined ? (
          <Notice tone="danger">
            <span>{exchangeFault}</span>
            {exchangeFault === SIGN_IN_WORDS.loginRefused ? (
              <span>This link was used or has expired. Send yourself a new one.</span>
            ) : null}
          </Notice>
        ) : null}
      </div>
      <form noValidate onSubmit={submit}>
        <Field label="Email" error={missing ? SIGN_IN_WORDS.emailMissing : undefined}>
          {(ids) => (
            <input
              {...ids}
              ref={input}
              className="input input-xl"
              type="email"
              name="email"
              required
              autoComplete="email"
              inputMode="email"
              autoCapitalize="none"
              spellCheck={false}
              value={email}
              onChange={(event) => {
                setEmail(event.target.value)
                typedEmail.write(event.target.value)
                setMissing(false)
              }}
            />
          )}
        </Field>
        <div className="sign-in-alert" role="alert">
          {fault === undefined ? null : <Notice tone="danger">{fault}</Notice>}
        </div>
        <Button type="submit" variant="primary" size="xl" icon="mail" block busy={busy}>
          Send login link
        </Button>
      </form>
      <p className="second">
        New here?{' '}
        <Link className="strong-link" to="/dashboard/register">
          Register
        </Link>
      </p>
    </>
  )
}
