import { PageHeading } from '../../components/page.tsx'

/** Shown while a mailed token is exchanged. */
export function SigningIn() {
  return (
    <div role="status">
      <PageHeading title="Signing you in">Signing you in</PageHeading>
      <p className="sign-in-lead">One moment.</p>
      <div className="signing-in-wire" aria-hidden="true" />
    </div>
  )
}
