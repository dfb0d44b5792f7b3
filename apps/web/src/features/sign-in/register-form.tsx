import { ORIGINS, type Origin } from '@pairwire/contract/paths'
import { TRIAL } from '@pairwire/contract/plans'
import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { Link } from 'react-router'
import { api } from '../../api/api.ts'
import { useConfig } from '../../api/config-store.ts'
import { useCall } from '../../api/use-call.ts'
import { Button } from '../../components/button.tsx'
import { Checkbox } from '../../components/checkbox.tsx'
import { Field } from '../../components/field.tsx'
import { Icon } from '../../components/icon.tsx'
import { Notice } from '../../components/notice.tsx'
import { PageHeading, passFocus } from '../../components/page.tsx'
import { SIGN_IN_WORDS } from '../../specified-words.ts'
import { CheckYourEmail } from './check-your-email.tsx'
import { EmailField } from './email-field.tsx'
import { createFormCaptcha } from './form-captcha.ts'
import {
  type Fault,
  type FaultPlace,
  type RegisterForm as Form,
  firstFault,
  registerFault,
} from './sign-in-faults.ts'
import { typedEmail } from './typed-email.ts'

const ORIGIN_LABELS: Readonly<Record<Origin, string>> = {
  reddit_post: 'Reddit post',
  reddit_ads: 'Reddit ad',
  google_search: 'Google search',
  friend: 'Friend',
  other: 'Other',
}

/** Creates an account and has its first login link mailed. */
export function RegisterForm() {
  const [form, setForm] = useState<Form>(emptyForm)
  const [fault, setFault] = useState<Fault>()
  const [sentTo, setSentTo] = useState<string>()
  const [captcha] = useState(createFormCaptcha)
  const { documents = [] } = useConfig()
  const element = useRef<HTMLFormElement>(null)

  // After the render, so that the message is already there when its control gets the focus.
  useEffect(() => {
    if (fault && fault.place !== 'form') control(element.current, fault.place)?.focus()
  }, [fault])

  const change = (changed: Partial<Form>, place: FaultPlace) => {
    setForm({ ...form, ...changed })
    if (fault?.place === place) setFault(undefined)
  }

  const { run, busy, failure } = useCall(async () => {
    const input = control(element.current, 'email')
    const found = firstFault({
      ...form,
      emailValid: input instanceof HTMLInputElement && input.validity.valid,
    })
    setFault(found)
    if (found || form.origin === '') return

    const token = await captcha.take()
    if (token === undefined) return setFault({ place: 'form', message: SIGN_IN_WORDS.captchaMissing })
    await api.register({
      email: form.email.trim(),
      recaptcha_token: token,
      enable_marketing_emails: form.marketing,
      origin: form.origin,
    })
    setSentTo(form.email.trim())
  })
  useEffect(() => {
    if (!failure) return
    setFault(registerFault(failure.error))
    captcha.warm()
  }, [failure, captcha])

  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!busy) void run()
  }

  if (sentTo !== undefined) return <CheckYourEmail email={sentTo} onDifferent={() => setSentTo(undefined)} />

  const faultAt = (place: FaultPlace) => (fault?.place === place ? fault.message : undefined)
  return (
    <>
      <div>
        <PageHeading title="Register">Register</PageHeading>
        <p className="sign-in-lead">
          You get an API key{TRIAL.days > 0 ? ` and a ${TRIAL.days}-day free trial` : ''}.
        </p>
      </div>
      {window.isSecureContext ? null : (
        <Notice tone="warning">
          This page was loaded over plain http, where browsers cannot solve the captcha. Open it over https or
          on localhost to register.
        </Notice>
      )}
      <form noValidate ref={element} onSubmit={submit} onFocus={captcha.warm}>
        <EmailField
          value={form.email}
          error={emailFault(faultAt('email'))}
          onType={(email) => change({ email }, 'email')}
        />
        <Field label="How did you find us?" error={faultAt('origin')}>
          {(ids) => (
            <div className="select">
              <select
                {...ids}
                className="input input-xl"
                name="origin"
                required
                value={form.origin}
                onChange={({ target }) =>
                  change({ origin: ORIGINS.find((origin) => origin === target.value) ?? '' }, 'origin')
                }
              >
                <option value="" disabled>
                  Choose one
                </option>
                {ORIGINS.map((origin) => (
                  <option key={origin} value={origin}>
                    {ORIGIN_LABELS[origin]}
                  </option>
                ))}
              </select>
              <Icon name="chevron" />
            </div>
          )}
        </Field>
        <div className="sign-in-checks">
          <Checkbox
            name="terms"
            required
            checked={form.terms}
            error={faultAt('terms')}
            onChange={({ target }) => change({ terms: target.checked }, 'terms')}
            label={
              <>
                I agree to the <Document to="terms">terms</Document> and{' '}
                <Document to="privacy">privacy policy</Document>
              </>
            }
          />
          <Checkbox
            name="disclaimer"
            required
            checked={form.disclaimer}
            error={faultAt('disclaimer')}
            onChange={({ target }) => change({ disclaimer: target.checked }, 'disclaimer')}
            label={
              <>
                I agree to the <Document to="disclaimer">disclaimer</Document>
              </>
            }
          />
          <Checkbox
            name="marketing"
            checked={form.marketing}
            onChange={({ target }) => change({ marketing: target.checked }, 'form')}
            label={
              <>
                Send me marketing emails <span className="third">(optional)</span>
              </>
            }
          />
        </div>
        <div className="sign-in-alert" role="alert">
          {fault?.place === 'form' ? (
            <Notice tone="danger">
              <span>{fault.message}</span>
              {fault.message === SIGN_IN_WORDS.captchaMissing ? (
                <Button size="sm" type="submit" ref={passFocus}>
                  Try again
                </Button>
              ) : null}
            </Notice>
          ) : null}
        </div>
        <Button type="submit" variant="primary" size="xl" block busy={busy !== undefined}>
          Register
        </Button>
      </form>
      {documents.map((name) => (
        <p key={name} className="second">
          <Document to={name}>{name === 'imprint' ? 'Imprint' : 'Refunds'}</Document>
        </p>
      ))}
      <AlreadyRegistered />
    </>
  )
}

/** The way to the login page. */
export function AlreadyRegistered() {
  return (
    <p className="second">
      Already registered?{' '}
      <Link className="strong-link" to="/dashboard/login">
        Sign In
      </Link>
    </p>
  )
}

function emptyForm(): Form {
  return {
    email: typedEmail.read(),
    emailValid: false,
    origin: '',
    terms: false,
    disclaimer: false,
    marketing: false,
  }
}

/** A known email is followed by the way to sign in with it. */
function emailFault(message: string | undefined): ReactNode {
  if (message !== SIGN_IN_WORDS.emailKnown) return message
  return (
    <>
      <span>{message}</span> <Link to="/dashboard/login">Sign In</Link>
    </>
  )
}

/** A page of the documents, opened in a new tab so that nothing typed is lost. */
function Document({ to, children }: { to: string; children: ReactNode }) {
  return (
    <a href={`/docs/${to}`} target="_blank" rel="noopener">
      {children}
    </a>
  )
}

function control(form: HTMLFormElement | null, name: FaultPlace): HTMLElement | null {
  const found = form?.elements.namedItem(name)
  return found instanceof HTMLElement ? found : null
}
