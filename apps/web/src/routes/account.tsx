import { type ComponentProps, type ComponentType, useEffect, useState, useSyncExternalStore } from 'react'
import { Link, useSearchParams } from 'react-router'
import type { Account } from '../api/account.ts'
import { serverData } from '../api/server-data.ts'
import { forgetAccounts, useAccount } from '../api/use-account.ts'
import { useUsage } from '../api/use-usage.ts'
import { Button } from '../components/button.tsx'
import { ErrorPanel } from '../components/error-panel.tsx'
import { lazyPart } from '../components/lazy-part.tsx'
import { Notice } from '../components/notice.tsx'
import { focusHeading, Page } from '../components/page.tsx'
import { Panel } from '../components/panel.tsx'
import { useLate } from '../components/skeleton.tsx'
import type { AccountAction } from '../features/account/account-dialogs.tsx'
import { AccountSkeleton } from '../features/account/account-skeleton.tsx'
import { CodeExamples } from '../features/account/code-examples.tsx'
import { GuideCards } from '../features/account/guide-cards.tsx'
import { KeyPanel } from '../features/account/key-panel.tsx'
import { PlanPanel } from '../features/account/plan-panel.tsx'
import { SuspensionNotice } from '../features/account/suspension-notice.tsx'
import { lastUseWords } from '../features/usage/last-use-words.ts'
import type { UsageDaysProps } from '../features/usage/usage-days.tsx'
import { UsagePanel } from '../features/usage/usage-panel.tsx'
import { formatDate } from '../locale/locale.ts'
import { signOut } from '../session/session.ts'
import { setAlert } from '../shell/alert.ts'
import { loadChunk } from '../shell/chunk-load-error.ts'
import { readTheme, watchTheme } from '../shell/theme.ts'
import { ACCOUNT_WORDS, UNEXPECTED_ERROR } from '../specified-words.ts'
import './account.css'

/** Panels beside what is specified: the page goes without one whose code is missing. */
const connections = optionalPart(() => import('../features/usage/connections-panel.tsx'))
const webhooks = optionalPart<{ account: Account }>(() =>
  import('../features/webhooks/webhooks-panel.tsx').then(({ loadWhole }) => loadWhole()),
)
const days = optionalPart<UsageDaysProps>(() => import('../features/usage/usage-days.tsx'))
const dialog = lazyPart(() => loadChunk(() => import('../features/account/account-dialogs.tsx')))

/** /dashboard and /dashboard/account: the plan, the key, and the steps to the first event. */
export default function AccountRoute() {
  const { account, state, reading, reload } = useAccount()
  const usage = useUsage()
  const hasPanels = [connections.useLoaded(), webhooks.useLoaded(), days.useLoaded()].every(Boolean)
  const isReading = state === 'ready' && (usage.state === 'reading' || !hasPanels)
  const isLate = useLate(PANELS_WAIT_MS, isReading)
  const waiting = isReading && !isLate
  const [search] = useSearchParams()
  const updated = search.get('s') === 'subscription'
  const [asking, setAsking] = useState<AccountAction>()
  const [resets, setResets] = useState(0)
  const theme = useSyncExternalStore(watchTheme, readTheme)

  // Loaded before anyone presses; a failure here is silent, and the press tries again and shows it.
  useEffect(() => void dialog.preload().catch(() => {}), [])

  const onDone = async (action: AccountAction) => {
    if (action === 'disconnect') setAlert(ACCOUNT_WORDS.disconnected)
    if (action === 'reset') {
      // The key in view is a dead one.
      if ((await reload()).isError) await serverData.resetQueries()
      setAlert(ACCOUNT_WORDS.keyReset)
      setResets(resets + 1)
    }
    if (action === 'delete') {
      setAlert(ACCOUNT_WORDS.deleted)
      forgetAccounts()
      // In place, without a reload, so that the banner is seen above the login form.
      signOut()
      requestAnimationFrame(focusHeading)
    }
    setAsking(undefined)
  }

  return (
    <Page
      title="Account"
      aside={
        // While the account is being read, blank lines keep its space.
        <>
          <div className="account-email">{account?.user.Email ?? '\u00a0'}</div>
          {account?.user.CreatedAt ? `Joined ${formatDate(account.user.CreatedAt)}` : '\u00a0'}
        </>
      }
    >
      {updated ? (
        <Notice tone="success">
          <span>{ACCOUNT_WORDS.subscriptionUpdated}</span>
          <Button size="sm" icon="reset" busy={reading} onClick={reload}>
            Refresh
          </Button>
        </Notice>
      ) : null}
      {state === 'loading' || waiting ? <AccountSkeleton /> : null}
      {state === 'failed' ? (
        <ErrorPanel title={UNEXPECTED_ERROR} action="Try again" busy={reading} onAction={reload} />
      ) : null}
      {account && !waiting ? (
        <>
          <SuspensionNotice account={account} />
          {usage.state === 'absent' ? (
            <PlanPanel account={account} hideUpgrade={updated} />
          ) : (
            <div className="account-top">
              <PlanPanel account={account} hideUpgrade={updated} />
              <UsagePanel usage={usage} hasPlan={account.activeSubscription !== undefined} Days={days.Part} />
            </div>
          )}
          <KeyPanel
            apiKey={account.user.APIKey}
            lastUse={usage.state === 'ready' ? lastUseWords(usage.connections) : undefined}
            resets={resets}
            onDisconnect={() => setAsking('disconnect')}
            onReset={() => setAsking('reset')}
          />
          {usage.state === 'ready' && usage.connections ? (
            <connections.Part connections={usage.connections} />
          ) : null}
          <webhooks.Part key={account.user.ID} account={account} />
          <CodeExamples apiKey={account.user.APIKey} theme={theme} />
          <GuideCards />
          <p className="small">
            <Link to="/dashboard/historical">Historical data</Link>
          </p>
          <Step
            title="Sign out everywhere"
            lead="Signs you out on every device, including this one."
            icon="leave"
            onClick={() => setAsking('everywhere')}
          />
          <Step
            title="Delete Account"
            lead="Removes your account and API key. Cancel an active subscription first."
            variant="danger"
            icon="trash"
            onClick={() => setAsking('delete')}
          />
          {asking ? (
            <dialog.Part action={asking} onDone={onDone} onCancel={() => setAsking(undefined)} />
          ) : null}
        </>
      ) : null}
    </Page>
  )
}

/** A next step at the foot of the page: its title, what it does, and its button. */
function Step({ title, lead, ...button }: ComponentProps<typeof Button> & { title: string; lead: string }) {
  return (
    <Panel className="account-step aligned" aria-label={title}>
      <div>
        <h2>{title}</h2>
        <p className="second small">{lead}</p>
      </div>
      <Button {...button}>{title}</Button>
    </Panel>
  )
}

function optionalPart<Props extends object>(load: () => Promise<{ default: ComponentType<Props> }>) {
  return lazyPart(() => load().catch(() => ({ default: () => null })))
}

/** Milliseconds that the account waits for usage and panels, so that what is drawn does not move afterwards. */
const PANELS_WAIT_MS = 400
