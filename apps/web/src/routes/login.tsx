import { useEffect, useState } from 'react'
import { Navigate, useMatch, useNavigate } from 'react-router'
import { LoginForm } from '../features/sign-in/login-form.tsx'
import { mailedExchange, mailedExchangeHeard } from '../features/sign-in/mailed-exchange.ts'
import { loginFault } from '../features/sign-in/sign-in-faults.ts'
import { SignInPage } from '../features/sign-in/sign-in-page.tsx'
import { SigningIn } from '../features/sign-in/signing-in.tsx'
import { currentSession, signIn, useSession } from '../session/session.ts'

/**
 * /dashboard/login, and the form in place of every page that requires sign-in. A mailed link's token is
 * exchanged before the form is shown.
 */
export default function LoginRoute() {
  const navigate = useNavigate()
  const session = useSession()
  const isHere = useMatch('/dashboard/login') !== null
  const [exchange] = useState(mailedExchange)
  const [outcome, setOutcome] = useState<'waiting' | 'none' | { fault: string }>(
    exchange ? 'waiting' : 'none',
  )

  useEffect(() => {
    let left = false
    exchange?.then(
      (token) => {
        if (left) return
        mailedExchangeHeard()
        signIn(token)
        // An unreadable token signs nobody in: the form is shown again, with the reason.
        setOutcome(currentSession() ? 'none' : { fault: loginFault(undefined) })
        navigate('/dashboard', { replace: true })
      },
      (error: unknown) => {
        if (left) return
        mailedExchangeHeard()
        setOutcome({ fault: loginFault(error) })
      },
    )
    return () => {
      left = true
    }
  }, [exchange, navigate])

  if (outcome === 'none' && session && isHere) return <Navigate to="/dashboard" replace />

  return (
    <SignInPage>
      {outcome === 'waiting' ? (
        <SigningIn />
      ) : (
        <LoginForm exchangeFault={outcome === 'none' ? undefined : outcome.fault} />
      )}
    </SignInPage>
  )
}
