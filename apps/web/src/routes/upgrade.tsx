import { PLANS, type PlanId, planByName, TRIAL_DAYS } from '@pairwire/contract/plans'
import { useNavigate } from 'react-router'
import type { Account } from '../api/account.ts'
import { api } from '../api/api.ts'
import { useConfig } from '../api/config-store.ts'
import { useAccount } from '../api/use-account.ts'
import { useCall } from '../api/use-call.ts'
import { Button } from '../components/button.tsx'
import { ErrorPanel } from '../components/error-panel.tsx'
import { FieldError } from '../components/field.tsx'
import { Icon } from '../components/icon.tsx'
import { Notice } from '../components/notice.tsx'
import { Page } from '../components/page.tsx'
import { Skeleton } from '../components/skeleton.tsx'
import { TrialBlocks } from '../features/account/period-bar.tsx'
import { ManagePlan } from '../features/account/plan-panel.tsx'
import { readPlanState } from '../features/account/plan-state.ts'
import { openCheckout } from '../features/plans/open-checkout.ts'
import { PlanCard } from '../features/plans/plan-card.tsx'
import { formatDate } from '../locale/locale.ts'
import { setAlert } from '../shell/alert.ts'
import { UNEXPECTED_ERROR, UPGRADE_WORDS } from '../specified-words.ts'
import '../features/plans/plans.css'

/** Shown under a button whose checkout did not open. */
const CHECKOUT_FAILED = 'The checkout did not open. Try again.'

/** /dashboard/upgrade: the three plans; the free trial is started here, once, and plans are bought after it. */
export default function UpgradeRoute() {
  const { account, state, reading, reload } = useAccount()
  const { supportEmail, payment } = useConfig()
  const navigate = useNavigate()
  const paid = account?.paidSubscription
  const trialOffered = account !== undefined && !paid && !account.hasHadFreeTrial
  const currentName = (account?.paidSubscription ?? account?.activeSubscription)?.planName
  const current = currentName === undefined ? undefined : planByName(currentName)?.id

  const buy = async (planId: PlanId) => {
    if (!account || !payment) return
    try {
      await openCheckout(payment, { planId, userId: account.user.ID, email: account.user.Email })
    } catch (error) {
      // It may have been refused because a plan was bought meanwhile.
      void reload()
      throw error
    }
  }
  const choice = useCall(async (planId: PlanId) => {
    if (!trialOffered) return buy(planId)
    await api.startTrial({ plan_id: planId })
    await reload()
    setAlert(UPGRADE_WORDS.trialStarted)
    navigate('/dashboard/account')
  })
  const busy = choice.busy?.[0]

  return (
    <Page title="Choose a plan">
      {state === 'loading' ? <Skeleton width="100%" height={620} /> : null}
      {state === 'failed' ? (
        <ErrorPanel title={UNEXPECTED_ERROR} action="Try again" busy={reading} onAction={reload} />
      ) : null}
      {account ? (
        <>
          {paid ? (
            <Notice tone="info">
              <span>{paidAdvice(account)}</span>
              {paid.forbidManageSubscription ? (
                <a href={`mailto:${supportEmail}`}>{supportEmail}</a>
              ) : (
                <ManagePlan />
              )}
            </Notice>
          ) : null}
          {trialOffered ? <TrialStrip /> : null}
          {!paid && !trialOffered && !payment ? (
            <Notice tone="info">
              <span>
                You have used your free trial. To subscribe, write to{' '}
                <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
              </span>
            </Notice>
          ) : null}
          <div className="panel plans">
            {PLANS.map((plan) => (
              <PlanCard key={plan.id} plan={plan} current={plan.id === current}>
                {trialOffered || (!paid && payment) ? (
                  <>
                    <Button
                      size="lg"
                      block
                      variant={trialOffered && plan.name === 'Pro' ? 'primary' : 'default'}
                      busy={busy === plan.id}
                      disabled={busy !== undefined && busy !== plan.id}
                      {...(trialOffered ? { 'aria-label': `Start free trial of ${plan.name}` } : {})}
                      onClick={() => choice.run(plan.id)}
                    >
                      {trialOffered ? 'Start free trial' : `Choose ${plan.name}`}
                    </Button>
                    <div role="alert">
                      {choice.failure?.args[0] === plan.id ? (
                        <FieldError>{trialOffered ? UPGRADE_WORDS.trialFailed : CHECKOUT_FAILED}</FieldError>
                      ) : null}
                    </div>
                  </>
                ) : null}
              </PlanCard>
            ))}
          </div>
          <div className="panel all-plans aligned">
            <b>All plans</b>
            <span>
              <Icon name="plug" />1 connection
            </span>
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
            Enterprise or more than one connection?{' '}
            <a className="strong-link" href={`mailto:${supportEmail}`}>
              Contact us
            </a>
          </p>
        </>
      ) : null}
    </Page>
  )
}

/** Why a paying user cannot choose a plan here, and what to do about it. */
function paidAdvice(account: Account): string {
  const { name, badge, end } = readPlanState(account, Date.now())
  if (badge !== 'Cancelled')
    return 'You already have a paid subscription. Cancel it before you choose another plan.'
  const until = end ? formatDate(end.date) : 'the end of its period'
  return `You cancelled ${name}. You keep it until ${until}, and can choose another plan after that. To keep it, use Manage Plan.`
}

function TrialStrip() {
  return (
    <div className="panel trial">
      <TrialBlocks days={TRIAL_DAYS} gone={0} sentence={`None of ${TRIAL_DAYS} trial days used`} />
      <span>
        <b>Try Pro first: everything is open for {TRIAL_DAYS} days.</b>{' '}
        <span className="second">Starts when you choose a plan. Once per user.</span>
      </span>
    </div>
  )
}
