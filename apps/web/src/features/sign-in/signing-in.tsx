import { PageHeading } from '../../components/page.tsx'

/** Shown while a mailed token is exchanged. */
export function SigningIn() {
  return (
    <div className="signing-in" role="status">
      <div>
        <PageHeading title="Signing you in">Signing you in</PageHeading>
        <p className="sign-in-lead">One moment.</p>
      </div>
      <div className="signing-in-wire" aria-hidden="true" />
    </div>
  )
}
