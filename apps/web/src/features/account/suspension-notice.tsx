import type { Account } from '../../api/account.ts'
import { useConfig } from '../../api/config-store.ts'
import { Notice } from '../../components/notice.tsx'
import { formatDate } from '../../locale/locale.ts'

/** What a suspended account may and may not do, with what its operator says to it; nothing for any other account. */
export function SuspensionNotice({ account: { suspension, paidSubscription } }: { account: Account }) {
  const { supportEmail } = useConfig()
  if (!suspension) return null
  return (
    <Notice tone="danger">
      <span>
        <b>Your account has been suspended since {formatDate(suspension.since)}.</b> {suspension.message} Your
        key opens no stream, and you cannot choose a plan or order history.{' '}
        {paidSubscription ? 'Your plan is still charged: you can cancel it with Manage Plan. ' : ''}Write to{' '}
        <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
      </span>
    </Notice>
  )
}
