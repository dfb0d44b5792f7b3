import { useAccount } from '../../api/use-account.ts'

/** Whose account a mail to support should be about. */
export default function SignedInAs() {
  const { account } = useAccount()
  if (!account) return null
  return (
    <>
      Signed in as <b className="strong-link">{account.user.Email}</b>
    </>
  )
}
