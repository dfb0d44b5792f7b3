import { PLANS, type PlanId, planByName, TRIAL } from '@pairwire/contract/plans'
import { useNavigate } from 'react-router'
import type { Account } from '../api/account.ts'
import { api } from '../api/api.ts'
import { useConfig } from '../api/config-store.ts'
import { serverData } from '../api/server-data.ts'
import { useAccount } from '../api/use-account.ts'
import { unlessLeft, useCall } from '../api/use-call.ts'
import { Button } from '../components/button.tsx'
import { ErrorPanel } from '../components/error-panel.tsx'
import { ActionError } from '../components/field.tsx'
import { Icon } from '../components/icon.tsx'
import { Notice } from '../components/notice.tsx'
import { Page, passFocus } from '../components/page.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { TrialBlocks } from '../features/account/period-bar.tsx'
import { ManagePlan } from '../features/account/plan-panel.tsx'
import { readPlanState } from '../features/account/plan-state.ts'
import { SuspensionNotice } from '../features/account/suspension-notice.tsx'
import { openCheckout } from '../features/plans/open-checkout.ts'
import { PlanCard } from '../features/plans/plan-card.tsx'
import { connectionsLabel } from '../features/plans/plan-facts.ts'
import { formatDate } from '../locale/locale.ts'
import { setAlert } from '../shell/alert.ts'
import { SupportLink } from '../shell/support-link.tsx'
import { UNEXPECTED_ERROR, UPGRADE_WORDS } from '../specified-words.ts'
import '../features/plans/plans.css'

/** Shown under a button whose checkout did not open. */
const CHECKOUT_FAILED = 'The checkout did not open. Try again.'

/** /dashboard/upgrade: the three plans; the free trial is started here, once, and plans are bought after it. */
export default function UpgradeRoute() {
  const { account, state, reading, reload } = useAccount()
  const { payment } = useConfig()
  const navigate = useNavigate()
  const paid = account?.paidSubscription
  const mayChoose = account !== undefined && !paid && !account.suspension
  const trialOffered = mayChoose && !account.hasHadFreeTrial
  const currentName = (account?.paidSubscription ?? account?.activeSubscription)?.planName
  const current = currentName === undefined ? undefined : planByName(currentName)?.id

  const buy = async (planId: PlanId) => {
    if (!account || !payment) return
    // Nobody else asks before Paddle's window opens: meanwhile a plan may be bought in another one, or the account suspended.
    const known = payment.provider === 'paddle' ? await unlessLeft(api.getAccount()) : account
    if (known.paidSubscription || known.suspension) await reload()
    else await openCheckout(payment, { planId, userId: account.user.ID, email: account.user.Email })
  }
  const startTrial = async (planId: PlanId) => {
    const { pathname } = window.location
    await api.startTrial({ plan_id: planId })
    // What is in view has no plan.
    if ((await reload()).isError) await serverData.resetQueries()
    setAlert(UPGRADE_WORDS.trialStarted)
    if (window.location.pathname === pathname) navigate('/dashboard/account')
  }
  const choice = useCall(async (planId: PlanId, isTrial: boolean) => {
    try {
      await (isTrial ? startTrial : buy)(planId)
    } catch (error) {
      // It may have been refused because a plan was bought, or the trial started, in another tab.
      void reload()
      throw error
    }
  })
  const busy = choice.busy?.[0]
  const [failedPlan, wasTrial] = choice.failure?.args ?? []
  const shared = connectionsLabel()

  return (
    <Page title="Choose a plan">
      {state === 'loading' ? <Skeleton width="100%" height={620} /> : null}
      {state === 'failed' ? (
        <ErrorPanel title={UNEXPECTED_ERROR} action="Try again" busy={reading} onAction={reload} />
      ) : null}
      {account ? (
        <>
          <SuspensionNotice account={account} />
          {paid ? (
            <Notice tone="info">
              <span>{paidAdvice(account)}</span>
              {paid.forbidManageSubscription ? <SupportLink /> : <ManagePlan />}
            </Notice>
          ) : null}
          {trialOffered ? <TrialStrip /> : null}
          {mayChoose && !trialOffered && !payment ? (
            <Notice tone="info">
              <span>
                {TRIAL.days > 0 ? 'You have used your free trial. ' : ''}To subscribe, write to{' '}
                <SupportLink />.
              </span>
            </Notice>
          ) : null}
          <div className="panel plans">
            {PLANS.map((plan) => (
              <PlanCard key={plan.id} plan={plan} current={plan.id === current}>
                {trialOffered || (mayChoose && payment) ? (
                  <>
                    <Button
                      ref={passFocus}
                      size="lg"
                      block
                      variant={trialOffered && plan.id === 3 ? 'primary' : 'default'}
                      busy={busy === plan.id}
                      disabled={busy !== undefined && busy !== plan.id}
                      {...(trialOffered ? { 'aria-label': `Start free trial of ${plan.name}` } : {})}
                      onClick={() => choice.run(plan.id, trialOffered)}
                    >
                      {trialOffered ? 'Start free trial' : `Choose ${plan.name}`}
                    </Button>
                    <ActionError>
                      {failedPlan === plan.id && (wasTrial ? UPGRADE_WORDS.trialFailed : CHECKOUT_FAILED)}
                    </ActionError>
                  </>
                ) : null}
              </PlanCard>
            ))}
          </div>
          <div className="panel all-plans aligned">
            <b>All plans</b>
            {shared ? (
              <span>
                <Icon name="plug" />
                {shared}
              </span>
            ) : null}
            <span>
              <Icon name="check" />
              Commercial use
            </span>
            <span>
              <Icon name="chat" />
              Live chat
            </span>
          </div>
          <p className="second plans-more">
            Enterprise or more {shared === '1 connection' ? 'than one connection' : 'connections'}?{' '}
            <SupportLink className="strong-link">Contact us</SupportLink>
          </p>
        </>
      ) : null}
    </Page>
  )
}

/** Why a paying user cannot choose a plan here, and what to do about it. */
function paidAdvice(account: Account): string {
  const { name, badge, end } = readPlanState(account, Date.now())
  if (badge !== 'Cancelled' || account.paidSubscription?.forbidManageSubscription)
    return 'You already have a paid subscription. Cancel it before you choose another plan.'
  const until = end ? formatDate(end.date) : 'the end of its period'
  return `You cancelled ${name}. You keep it until ${until}, and can choose another plan after that. To keep it, use Manage Plan.`
}

function TrialStrip() {
  return (
    <div className="panel trial">
      <TrialBlocks days={TRIAL.days} gone={0} sentence={`None of ${TRIAL.days} trial days used`} />
      <span>
        <b>
          Try {PLANS[2]?.name} first: everything is open for {TRIAL.days} days.
        </b>{' '}
        <span className="second">Starts when you choose a plan. Once per user.</span>
      </span>
    </div>
  )
}
