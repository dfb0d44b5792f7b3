import { useConfig } from '../api/config-store.ts'
import { Notice } from '../components/notice.tsx'
import { PageHeading } from '../components/page.tsx'
import { AlreadyRegistered, RegisterForm } from '../features/sign-in/register-form.tsx'
import { SignInPage } from '../features/sign-in/sign-in-page.tsx'
import { SupportLink } from '../shell/support-link.tsx'

/** /dashboard/register, also when signed in: somebody may register another address. */
export default function RegisterRoute() {
  const { registration } = useConfig()
  return <SignInPage>{registration ? <RegistrationClosed /> : <RegisterForm />}</SignInPage>
}

/** In place of the form where only those whom the operator invites become customers. */
function RegistrationClosed() {
  return (
    <>
      <PageHeading title="Register">Register</PageHeading>
      <Notice tone="info">
        <span>
          Registration is closed. Ask for an invitation at <SupportLink />.
        </span>
      </Notice>
      <AlreadyRegistered />
    </>
  )
}
