import { useNavigate } from 'react-router'
import { api } from '../../api/api.ts'
import type { ApiError } from '../../api/api-error.ts'
import { useAccount } from '../../api/use-account.ts'
import { useCall } from '../../api/use-call.ts'
import { Dialog } from '../../components/dialog.tsx'
import { formatDate } from '../../locale/locale.ts'
import { ACCOUNT_WORDS, UNKNOWN_ERROR } from '../../specified-words.ts'
import { resetChat } from '../../third-parties/chat.ts'

/** Actions that need a confirmation. */
export type AccountAction = 'disconnect' | 'reset' | 'everywhere' | 'delete'

type Question = Readonly<{
  title: string
  body: string
  firstFocus: 'cancel' | 'confirm'
  danger?: true
  call: () => Promise<void>
  failure: (error: ApiError) => string
}>

const QUESTIONS: Readonly<Record<AccountAction, Question>> = {
  disconnect: {
    title: 'Disconnect All',
    body: 'Closes every open connection that uses your key. Clients can reconnect.',
    firstFocus: 'confirm',
    call: api.disconnect,
    failure: () => ACCOUNT_WORDS.disconnectFailed,
  },
  reset: {
    title: 'Reset Key',
    body: 'Your current key stops working at once. Anything that uses it needs the new key.',
    firstFocus: 'cancel',
    call: api.resetKey,
    failure: () => ACCOUNT_WORDS.resetFailed,
  },
  everywhere: {
    title: 'Sign out everywhere',
    body: 'Signs you out on all your devices. Your API key and open connections keep working.',
    firstFocus: 'confirm',
    call: api.logoutAll,
    failure: () => 'Failed to sign out everywhere. Please try again.',
  },
  delete: {
    title: 'Delete Account',
    body: 'Deletes your account and API key. This cannot be undone.',
    firstFocus: 'cancel',
    danger: true,
    call: async () => {
      await api.deleteAccount()
      resetChat()
    },
    failure: (error) => (error.errorType === 'ACTIVE_SUBSCRIPTION' && error.serverMessage) || UNKNOWN_ERROR,
  },
}

type AccountDialogProps = {
  action: AccountAction
  onDone: (action: AccountAction) => Promise<void> | void
  onCancel: () => void
}

/** Asks, acts, and stays open with the reason if that failed. */
export default function AccountDialog({ action, onDone, onCancel }: AccountDialogProps) {
  const question = QUESTIONS[action]
  const { account } = useAccount()
  const { planName, isFreeTrial, willCancel } = account?.activeSubscription ?? {}
  const loss =
    action === 'delete' && willCancel && !isFreeTrial
      ? ` You lose ${planName}, paid until ${formatDate(willCancel)}.`
      : ''
  const navigate = useNavigate()
  const { run, busy, failure } = useCall(async () => {
    await question.call()
    // This session has ended too: the sign-out page forgets it.
    if (action === 'everywhere') navigate('/logout')
    else await onDone(action)
  })

  return (
    <Dialog
      title={question.title}
      body={question.body + loss}
      confirmLabel={question.title}
      firstFocus={question.firstFocus}
      confirmVariant={question.danger ? 'danger' : 'primary'}
      busy={busy !== undefined}
      error={failure && question.failure(failure.error)}
      onConfirm={() => run()}
      onCancel={onCancel}
    />
  )
}
