import { drawDots, type Plan, swapFlow } from '@pairwire/contract'
import { type Html, html } from './html.ts'

/** A plan's two pictures: how its swaps flow, and its accounts among a thousand, to scale. */
export function planPictures(plan: Plan): Html {
  const { swapFilterAccounts: filled } = plan
  const accounts = filled >= 1_000 ? `${filled / 1_000}K` : String(filled)

  return html`<div class="picture"><p class="plan-card-caption"><span>Swap events</span><b>${swapWords(plan)}</b></p>
<span class="flow flow-${swapFlow(plan)}" aria-hidden="true"><span></span></span></div>
<div class="picture"><p class="plan-card-caption"><span>Accounts in the swap filter</span><b>${accounts}</b></p>
<svg class="dot-field" viewBox="0 0 620 62" role="img" aria-label="${filled.toLocaleString('en-GB')} of 1,000 dots filled"><path class="dot-field-empty" d="${drawDots(filled, 1_000)}"/><path class="${filled === 1_000 ? 'dot-field-filled dot-field-full' : 'dot-field-filled'}" d="${drawDots(0, filled)}"/></svg></div>`
}

function swapWords(plan: Plan): string {
  if (plan.swapEventsPerPeriod !== null) return plan.swapEventsPerPeriod.toLocaleString('en-GB')
  return plan.swapFilterRequired ? 'Unlimited filtered' : 'Unlimited'
}
