import { useEffect, useState } from 'react'
import { useNavigate } from 'react-router'
import { useCall } from '../api/use-call.ts'
import { Button } from '../components/button.tsx'
import { Field } from '../components/field.tsx'
import { focusHeading, Page } from '../components/page.tsx'
import { callRoom, forgetLinkToken, readLinkToken, room } from './call-room.ts'
import { CodeForm } from './code-prompt.tsx'
import { sessionQuery } from './room-data.ts'

/** Signs in: asks for the email, or with the link that came for it for the code. */
export function SignIn() {
  const [token, setToken] = useState(readLinkToken)
  const navigate = useNavigate()
  const open = async (code: string) => {
    await callRoom('session/open', { body: { t: token, code } })
    forgetLinkToken()
    await room.resetQueries(sessionQuery)
    navigate('/', { replace: true })
  }
  const startAgain = () => {
    forgetLinkToken()
    setToken('')
    navigate('/', { replace: true })
  }
  return (
    <Page title="Sign in">
      <div className="panel panel-body room-sign-in">
        {token === '' ? (
          <EmailForm />
        ) : (
          <CodeForm submit={open} label="Sign in">
            <Button onClick={startAgain}>Ask for another link</Button>
          </CodeForm>
        )}
      </div>
    </Page>
  )
}

function EmailForm() {
  const [sentTo, setSentTo] = useState<string>()
  useEffect(focusHeading, [])
  useEffect(() => focusHeading, []) // of the page that comes back
  const { run, busy, failure } = useCall(async (email: string) => {
    await callRoom('session/link', { body: { email } })
    setSentTo(email)
  })
  return (
    <form
      className="room-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!busy) void run(String(new FormData(event.currentTarget).get('email')).trim())
      }}
    >
      <Field label="Email" error={failure?.error.message}>
        {(ids) => (
          <input {...ids} className="input" name="email" type="email" required autoComplete="email" />
        )}
      </Field>
      <p role="status" className="second">
        {sentTo === undefined
          ? 'Operators get a link by mail, and enter a code of their authenticator app.'
          : `If ${sentTo} is an operator’s, a link is on its way. Open it in this browser within 10 minutes. No mail? On the machine, “pairwire operator link ${sentTo}” prints one.`}
      </p>
      <div className="dialog-actions">
        <Button type="submit" variant="primary" busy={busy !== undefined}>
          Send the link
        </Button>
      </div>
    </form>
  )
}
