import { type FormEvent, useRef, useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../api/api.ts'
import { useConfig } from '../../api/config-store.ts'
import { useCall } from '../../api/use-call.ts'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { PageHeading } from '../../components/page.tsx'
import { SIGN_IN_WORDS } from '../../specified-words.ts'
import { CheckYourEmail } from './check-your-email.tsx'
import { EmailField } from './email-field.tsx'
import { loginFault } from './sign-in-faults.ts'
import { typedEmail } from './typed-email.ts'

/** Asks for an email and sends a login link to it. `exchangeFault` says why a link that was opened failed. */
export function LoginForm({ exchangeFault }: { exchangeFault?: string | undefined }) {
  const [email, setEmail] = useState(typedEmail.read)
  const [missing, setMissing] = useState(false)
  const [sentTo, setSentTo] = useState<string>()
  const input = useRef<HTMLInputElement>(null)
  const { registration } = useConfig()
  const { run, busy, failure } = useCall(async () => {
    if (email.trim() === '' || !input.current?.validity.valid) {
      setMissing(true)
      input.current?.focus()
      return
    }
    await api.login({ email: email.trim() })
    setSentTo(email.trim())
  })

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!busy) void run()
  }

  if (sentTo !== undefined) return <CheckYourEmail email={sentTo} onDifferent={() => setSentTo(undefined)} />

  return (
    <>
      <div>
        <PageHeading title="Sign in">Sign in</PageHeading>
        <p className="sign-in-lead">We email you a link. There is no password.</p>
      </div>
      <div className="sign-in-alert" role="alert">
        {exchangeFault && !failure ? (
          <Notice tone="danger">
            <span>{exchangeFault}</span>
            {exchangeFault === SIGN_IN_WORDS.loginRefused ? (
              <span>This link was used or has expired. Send yourself a new one.</span>
            ) : null}
          </Notice>
        ) : null}
      </div>
      <form noValidate onSubmit={submit}>
        <EmailField
          ref={input}
          value={email}
          error={missing ? SIGN_IN_WORDS.emailMissing : undefined}
          onType={(typed) => {
            setEmail(typed)
            setMissing(false)
          }}
        />
        <div className="sign-in-alert" role="alert">
          {failure ? <Notice tone="danger">{loginFault(failure.error)}</Notice> : null}
        </div>
        <Button type="submit" variant="primary" size="xl" icon="mail" block busy={busy !== undefined}>
          Send login link
        </Button>
      </form>
      {registration ? null : (
        <p className="second">
          New here?{' '}
          <Link className="strong-link" to="/dashboard/register">
            Register
          </Link>
        </p>
      )}
    </>
  )
}
