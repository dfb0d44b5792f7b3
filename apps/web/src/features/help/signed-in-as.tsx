import { useAccount } from '../../api/use-account.ts'

/** The account for a mail to support. */
export default function SignedInAs() {
  const { account } = useAccount()
  if (!account) return null
  return (
    <>
      Signed in as <b className="strong-link">{account.user.Email}</b>
    </>
  )
}
