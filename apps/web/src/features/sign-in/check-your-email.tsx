import { useEffect, useState } from 'react'
import { api } from '../../api/api.ts'
import { useConfig } from '../../api/config-store.ts'
import { useCall } from '../../api/use-call.ts'
import { announce } from '../../components/announce.ts'
import { Button, LinkButton } from '../../components/button.tsx'
import { Notice } from '../../components/notice.tsx'
import { focusHeading, PageHeading } from '../../components/page.tsx'
import { loginFault } from './sign-in-faults.ts'

/** Seconds before another link can be requested. */
const RESEND_SECONDS = 30

type CheckYourEmailProps = { email: string; onDifferent: () => void }

/** Says that a login link was sent, and offers what to do when it does not arrive. */
export function CheckYourEmail({ email, onDifferent }: CheckYourEmailProps) {
  const { devMailbox } = useConfig()
  const [wait, setWait] = useState(RESEND_SECONDS)
  const { run, busy, failure } = useCall(async () => {
    await api.login({ email })
    setWait(RESEND_SECONDS)
    // The button is disabled now.
    focusHeading()
    announce(`Sent again to ${email}.`, 'status')
  })

  useEffect(focusHeading, [])
  // As it goes, that of the form that takes its place.
  useEffect(() => focusHeading, [])
  useEffect(() => {
    if (wait === 0) return
    const timer = setTimeout(() => setWait(wait - 1), 1_000)
    return () => clearTimeout(timer)
  }, [wait])

  return (
    <>
      <div>
        <PageHeading title="Check your email">Check your email</PageHeading>
        <p className="sign-in-lead">
          We sent a login link to <b>{email}</b>. Now check your email and open it on this device.
        </p>
      </div>
      <div className="sign-in-alert" role="alert">
        {failure ? <Notice tone="danger">{loginFault(failure.error)}</Notice> : null}
      </div>
      {devMailbox === undefined ? null : (
        <LinkButton variant="primary" size="xl" icon="mail" block href={devMailbox}>
          Open the dev mailbox
        </LinkButton>
      )}
      <div className="actions">
        <Button size="lg" busy={busy !== undefined} disabled={wait > 0} onClick={() => run()}>
          {wait > 0 ? `Resend in ${wait} s` : 'Resend'}
        </Button>
        <Button size="lg" variant="ghost" onClick={onDifferent}>
          Use a different email
        </Button>
      </div>
    </>
  )
}
