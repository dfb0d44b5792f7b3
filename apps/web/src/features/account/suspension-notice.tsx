import type { Account } from '../../api/account.ts'
import { Notice } from '../../components/notice.tsx'
import { formatDate } from '../../locale/locale.ts'
import { SupportLink } from '../../shell/support-link.tsx'

/** What a suspended account may and may not do, with what its operator says to it; nothing for any other account. */
export function SuspensionNotice({ account }: { account: Account }) {
  const { suspension, paidSubscription, activeSubscription } = account
  if (!suspension) return null
  const isCharged = paidSubscription?.forbidManageSubscription === false && !activeSubscription?.willCancel
  return (
    <Notice tone="danger">
      <span>
        <b>Your account has been suspended since {formatDate(suspension.since)}.</b> {suspension.message} Your
        key opens no stream, and you cannot choose a plan or order history.{' '}
        {isCharged ? 'Your plan is still charged: you can cancel it with Manage Plan. ' : ''}Write to{' '}
        <SupportLink />.
      </span>
    </Notice>
  )
}
