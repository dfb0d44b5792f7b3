import type { PaidSubscription, Payment } from '@pairwire/accounts'
import { type Plan, planById } from '@pairwire/contract'
import { dayText } from '../day-text.ts'
import { type Html, html } from './html.ts'
import { SERVICE } from './sandbox-frame.ts'

/** Actions of the portal's buttons: the payer's two, and three that a provider takes by itself. */
export const PORTAL_ACTIONS = ['cancel', 'keep', 'refund', 'refund-other', 'reprice'] as const

/** A page to cancel or keep a plan and to download invoices. `subscription` is undefined once it has ended. */
export function portalPage(parts: {
  email: string
  subscription: PaidSubscription | undefined
  payments: readonly Payment[]
  /** Address of this page, below which the invoices are. */
  path: string
}): Html {
  const { email, subscription, payments, path } = parts
  return html`<div class="portal">
<div class="head"><h1>Manage plan</h1><p class="second payer">${email}</p></div>
${subscription ? planPanel(subscription) : html`<section class="panel"><h2>No plan</h2><p>This account has no paid plan.</p></section>`}
<section class="panel" aria-labelledby="invoices"><h2 id="invoices">Invoices</h2>
${
  payments.length === 0
    ? html`<p class="second">None yet.</p>`
    : html`<div class="table" role="region" aria-label="List of invoices" tabindex="0"><table>
<thead><tr><th scope="col">Date</th><th scope="col" class="until">Paid until</th><th scope="col" class="number">Amount</th><th scope="col"><span class="unseen">Download</span></th></tr></thead>
<tbody>${payments.map(
        (payment) =>
          html`<tr><th scope="row">${dayText(payment.paidAt)}</th><td class="until">${dayText(payment.until)}</td><td class="number">${amountText(payment)}</td><td class="fetch"><a href="${path}/invoices/${payment.transactionId}" download aria-label="Download the invoice of ${dayText(payment.paidAt)}">Download</a></td></tr>`,
      )}</tbody></table></div>`
}
</section>
<p class="actions"><a class="btn" href="/dashboard/account">Back to ${SERVICE}</a></p>
</div>`
}

function planPanel(subscription: PaidSubscription): Html {
  const plan = planOf(subscription)
  const { renewsAt, endsAt, isCancelled, isPastDue } = subscription
  const end = endsAt ? dayText(endsAt) : 'the end of its period'

  return html`<section class="panel" aria-labelledby="plan">
<div class="plan-top"><div><p class="second">Plan</p><h2 id="plan" class="plan-name">${plan.name}</h2></div>${badge(subscription)}</div>
<dl class="facts">
<div><dt>Price</dt><dd>$${plan.usdPerMonth}/month</dd></div>
${isCancelled || isPastDue ? html`<div><dt>Ends</dt><dd>${end}</dd></div>` : html`<div><dt>Next payment</dt><dd>${renewsAt ? dayText(renewsAt) : end}</dd></div>`}
<div><dt>Card</dt><dd>ending <span class="figure">4242</span></dd></div>
</dl>
${
  isCancelled
    ? html`<form class="actions" method="post"><button class="btn btn-primary" name="action" value="keep">Keep plan</button></form>`
    : html`<p class="actions"><button class="btn btn-danger" type="button" data-opens="cancel-dialog">Cancel plan</button></p>
<dialog id="cancel-dialog" class="dialog" aria-labelledby="cancel-title" aria-describedby="cancel-words">
<form class="dialog-card" method="post"><h2 id="cancel-title">Cancel plan</h2>
<p id="cancel-words">You keep ${plan.name} until ${renewsAt ? dayText(renewsAt) : end} and pay nothing more. Your streams stop on that day.</p>
<div class="dialog-actions"><button class="btn" type="button" data-closes autofocus>Go back</button> <button class="btn btn-danger" name="action" value="cancel">Cancel plan</button></div></form>
</dialog>`
}
<form method="post"><fieldset><legend>Simulate provider events</legend>
<button class="btn" name="action" value="refund">Refund the last payment</button>
<button class="btn" name="action" value="refund-other">Refund something else</button>
<button class="btn" name="action" value="reprice">Move to an unknown price</button>
</fieldset></form>
</section>`
}

function badge({ isCancelled, isPastDue }: PaidSubscription): Html {
  if (isCancelled) return html`<span class="badge badge-warning badge-lg">Cancelled</span>`
  if (isPastDue) return html`<span class="badge badge-warning badge-lg">Payment failed</span>`
  return html`<span class="badge badge-success badge-lg">Active</span>`
}

/** An invoice as plain text. */
export function invoiceText(parts: {
  service: string
  email: string
  payment: Payment
  planName: string | undefined
}): string {
  const { service, email, payment, planName } = parts
  return [
    'TEST MODE. No card was charged.',
    '',
    service,
    `Invoice    ${payment.transactionId}`,
    `Date       ${dayText(payment.paidAt)}`,
    `For        ${email}`,
    `Plan       ${planName ?? 'a plan'} until ${dayText(payment.until)}`,
    `Amount     ${amountText(payment)}`,
    '',
  ].join('\n')
}

/** Cents as dollars, without passing through a fraction. */
function amountText({ amount, currency }: Pick<Payment, 'amount' | 'currency'>): string {
  const cents = String(amount % 100n).padStart(2, '0')
  return `${amount / 100n}.${cents} ${currency}`
}

/** The plan whose price is exactly this amount. */
export function planOfAmount(amount: bigint): Plan | undefined {
  return ([1, 2, 3] as const)
    .map((planId) => planById(planId))
    .find((plan) => plan !== undefined && BigInt(plan.usdPerMonth) * 100n === amount)
}

function planOf({ planId }: PaidSubscription): Plan {
  const plan = planById(planId)
  if (!plan) throw new Error(`there is no plan ${planId}`)
  return plan
}
