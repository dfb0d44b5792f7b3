import type { Plan } from '@pairwire/contract'
import { type Html, html } from './html.ts'
import { planPictures } from './plan-pictures.ts'
import { dayText } from './sandbox-frame.ts'

/** Outcomes of a payment for which the form has a button. */
export const OUTCOMES = ['pay', 'decline', '3ds', 'network'] as const

/** What happened to the last attempt. */
export type CheckoutNotice = 'declined' | 'network' | undefined

/** The form on which a plan is paid for; what is bought at its side. */
export function checkoutPage(parts: {
  plan: Plan
  email: string
  renewsAt: Date
  notice: CheckoutNotice
}): Html {
  const { plan, email, renewsAt, notice } = parts
  return html`<div class="checkout">
<section class="bought" aria-labelledby="bought">
<h1 id="bought">${plan.name}</h1>
<p class="plan-card-price"><b>$${plan.usdPerMonth}</b><span>/month</span></p>
<dl class="facts"><div><dt>Due today</dt><dd>$${plan.usdPerMonth}.00</dd></div><div><dt>Renews</dt><dd>${dayText(renewsAt)}</dd></div></dl>
${planPictures(plan)}
</section>
<form class="panel pay" method="post" aria-labelledby="pay">
<h2 id="pay">Pay by card</h2>
<div role="alert">${notice !== undefined && html`<p class="fault" tabindex="-1" autofocus>${FAULT_ICON}<span>${NOTICES[notice]}</span></p>`}</div>
<div class="field"><label for="email">Email</label><input id="email" class="input" type="email" value="${email}" readonly autocomplete="off"></div>
<div class="field"><label for="card">Card number</label><input id="card" class="input mono" inputmode="numeric" value="4242 4242 4242 4242" autocomplete="off"></div>
<div class="pair"><div class="field"><label for="expiry">Expiry</label><input id="expiry" class="input mono" value="12 / 34" autocomplete="off"></div>
<div class="field"><label for="code">Security code</label><input id="code" class="input mono" inputmode="numeric" value="123" autocomplete="off"></div></div>
<div class="field"><label for="name">Name on the card</label><input id="name" class="input" value="Test Card" autocomplete="off"></div>
<button class="btn btn-primary btn-block btn-xl" name="outcome" value="pay">Pay $${plan.usdPerMonth}.00</button>
<fieldset><legend>Try another outcome</legend>
<button class="btn" name="outcome" value="decline">Decline</button>
<button class="btn" name="outcome" value="3ds">Needs 3-D Secure</button>
<button class="btn" name="outcome" value="network">Network error</button>
</fieldset>
<p class="second fine">Nothing you type here is sent.</p>
<p class="fine"><a href="/dashboard/upgrade">Cancel and go back</a></p>
</form>
</div>`
}

const NOTICES = {
  declined: 'The test card was declined. Nothing was charged. Pay again to try another outcome.',
  network: 'The connection failed before the payment was made. Nothing was charged. Pay again.',
} as const

/** The bank's question, as a person meets it between Pay and the answer. */
export function securePage(plan: Plan): Html {
  return html`<form class="panel note" method="post">
<h1>Confirm with your bank</h1>
<p>Your test bank asks whether you want to pay <b>$${plan.usdPerMonth}.00</b> to Pairwire.</p>
<p class="actions"><button class="btn btn-primary" name="outcome" value="pay">Approve</button> <button class="btn" name="outcome" value="decline">Refuse</button></p>
</form>`
}

/** Shown for a moment before the browser goes back by itself. */
export function paidPage(plan: Plan): Html {
  return html`<div class="panel note" data-continue="${ACCOUNT_AFTER_PAYMENT}" role="status">
<svg class="check" viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="21"/><path d="m15 25 6.5 6.5L34 18"/></svg>
<h1>Paid</h1>
<p>${plan.name} is yours. Taking you back to your account…</p>
<p class="actions"><a class="btn" href="${ACCOUNT_AFTER_PAYMENT}">Back to Pairwire</a></p></div>`
}

/** For a session that was paid, and for people who have a plan already. */
export function alreadyPaidPage(): Html {
  return html`<div class="panel note"><h1>Already paid</h1>
<p>This account has a paid plan. Nothing more was charged.</p>
<p class="actions"><a class="btn btn-primary" href="/dashboard/account">Back to Pairwire</a></p></div>`
}

/** Where a payment leads, as every provider of ours returns. */
const ACCOUNT_AFTER_PAYMENT = '/dashboard/account?s=subscription'

const FAULT_ICON = html`<svg class="icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><circle cx="12" cy="12" r="9"/><path d="M12 7.5v5.5M12 16v.5"/></svg>`
