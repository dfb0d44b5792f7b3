import { Navigate } from 'react-router'
import { RegisterForm } from '../features/sign-in/register-form.tsx'
import { SignInPage } from '../features/sign-in/sign-in-page.tsx'
import { useSession } from '../session/session.ts'

/** /dashboard/register. */
export default function RegisterRoute() {
  if (useSession()) return <Navigate to="/dashboard" replace />
  return (
    <SignInPage>
      <RegisterForm />
    </SignInPage>
  )
}
