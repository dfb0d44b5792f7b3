import type { HistoryOrder } from '@pairwire/accounts'
import { HISTORY_OFFERS, type Plan } from '@pairwire/contract'
import { dayText, minuteText } from '../day-text.ts'
import { type Html, html } from './html.ts'
import { planPictures } from './plan-pictures.ts'
import { SERVICE } from './sandbox-frame.ts'

/** The item on sale, and where its buyer comes from and goes. */
export type Sale = Readonly<{
  name: string
  usd: number
  per: string
  /** Its details beside the amount due today: a name and a text each. */
  facts: readonly (readonly [string, string])[]
  pictures: Html | false
  /** The page behind "Cancel and go back", and the one after a payment. */
  shop: string
  after: string
}>

/** A plan on sale. */
export function planSale(plan: Plan, renewsAt: Date): Sale {
  return {
    name: plan.name,
    usd: plan.usdPerMonth,
    per: '/month',
    facts: [['Renews', dayText(renewsAt)]],
    pictures: planPictures(plan),
    shop: '/dashboard/upgrade',
    after: '/dashboard/account?s=subscription',
  }
}

/** An order of history on sale. */
export function orderSale({ offer, usd, from, to }: HistoryOrder): Sale {
  return {
    name: `${HISTORY_OFFERS.find(({ id }) => id === offer)?.label} of history`,
    usd,
    per: '',
    facts: [
      ['From', minuteText(from)],
      ['To', minuteText(to)],
    ],
    pictures: false,
    shop: '/dashboard/historical',
    after: '/dashboard/historical/orders',
  }
}

/** The payment form, with the item beside it, and the `outcome` of the last attempt. */
export function checkoutPage({ sale, email }: { sale: Sale; email: string }, outcome = ''): Html {
  const notice = NOTICES.get(outcome)
  return html`<div class="checkout">
<section class="bought" aria-labelledby="bought">
<h1 id="bought">${sale.name}</h1>
<p class="plan-card-price"><b>$${sale.usd}</b><span>${sale.per}</span></p>
<dl class="facts"><div><dt>Due today</dt><dd>$${sale.usd}.00</dd></div>${sale.facts.map(([name, text]) => html`<div><dt>${name}</dt><dd>${text}</dd></div>`)}</dl>
${sale.pictures}
</section>
<form class="panel pay" method="post" aria-labelledby="pay">
<h2 id="pay">Pay by card</h2>
<div role="alert">${notice !== undefined && html`<p class="fault" tabindex="-1" autofocus>${FAULT_ICON}<span>${notice}</span></p>`}</div>
<div class="field"><label for="email">Email</label><input id="email" class="input" type="email" value="${email}" readonly autocomplete="off"></div>
<div class="field"><label for="card">Card number</label><input id="card" class="input mono" inputmode="numeric" value="4242 4242 4242 4242" autocomplete="off"></div>
<div class="pair"><div class="field"><label for="expiry">Expiry</label><input id="expiry" class="input mono" value="12 / 34" autocomplete="off"></div>
<div class="field"><label for="code">Security code</label><input id="code" class="input mono" inputmode="numeric" value="123" autocomplete="off"></div></div>
<div class="field"><label for="name">Name on the card</label><input id="name" class="input" value="Test Card" autocomplete="off"></div>
<button class="btn btn-primary btn-block btn-xl" name="outcome" value="pay">Pay $${sale.usd}.00</button>
<fieldset><legend>Try another outcome</legend>
<button class="btn" name="outcome" value="decline">Decline</button>
<button class="btn" name="outcome" value="3ds">Needs 3-D Secure</button>
<button class="btn" name="outcome" value="network">Network error</button>
</fieldset>
<p class="second fine">Nothing you type here is sent.</p>
<p class="fine"><a href="${sale.shop}">Cancel and go back</a></p>
</form>
</div>`
}

const NOTICES: ReadonlyMap<string, string> = new Map([
  ['decline', 'The test card was declined. Nothing was charged. Pay again to try another outcome.'],
  ['network', 'The connection failed before the payment was made. Nothing was charged. Pay again.'],
])

/** The bank's confirmation, between Pay and the result. */
export function securePage(sale: Sale): Html {
  return html`<form class="panel note" method="post">
<h1>Confirm with your bank</h1>
<p>Your test bank asks whether you want to pay <b>$${sale.usd}.00</b> to ${SERVICE}.</p>
<p class="actions"><button class="btn btn-primary" name="outcome" value="pay">Approve</button> <button class="btn" name="outcome" value="decline">Refuse</button></p>
</form>`
}

/** Shown for a moment before the browser returns by itself. */
export function paidPage({ name, after }: Sale): Html {
  return html`<div class="panel note" data-continue="${after}" role="status">
<svg class="check" viewBox="0 0 48 48" aria-hidden="true"><circle cx="24" cy="24" r="21"/><path d="m15 25 6.5 6.5L34 18"/></svg>
<h1>Paid</h1>
<p>${name} is yours. Taking you back to your account…</p>
<p class="actions"><a class="btn" href="${after}">Back to ${SERVICE}</a></p></div>`
}

/** For a session that was paid, or whose money is back, and for people who already have a plan. */
export function settledPage(sale: Sale, isRefunded: boolean): { title: string; main: Html } {
  const title = isRefunded ? 'Refunded' : 'Already paid'
  const [said, back] = sale.per
    ? ['This account has a paid plan.', '/dashboard/account']
    : ['This order is paid.', sale.after]
  const main = html`<div class="panel note"><h1>${title}</h1>
<p>${isRefunded ? 'This payment was refunded.' : said} Nothing more was charged.</p>
<p class="actions"><a class="btn btn-primary" href="${back}">Back to ${SERVICE}</a></p></div>`
  return { title, main }
}

const FAULT_ICON = html`<svg class="icon" viewBox="0 0 24 24" width="18" height="18" aria-hidden="true"><circle cx="12" cy="12" r="9"/><path d="M12 7.5v5.5M12 16v.5"/></svg>`
