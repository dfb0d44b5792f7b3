import { RegisterForm } from '../features/sign-in/register-form.tsx'
import { SignInPage } from '../features/sign-in/sign-in-page.tsx'

/** /dashboard/register, also when signed in: somebody may register another address. */
export default function RegisterRoute() {
  return (
    <SignInPage>
      <RegisterForm />
    </SignInPage>
  )
}
