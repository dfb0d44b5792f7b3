import { type Plan, swapFlow } from '@pairwire/contract'
import { type Html, html } from './html.ts'

/** Dots of a full field, 100 in a row: the largest plan's accounts. */
const DOTS = 1_000
const COLUMNS = 100

/** Distance between two dots, and of the first one from the edge, in the drawing's units. */
const PITCH = 6.2
const FIRST = 2.2

/** A plan's two pictures: how its swaps flow, and its accounts among a thousand, to scale. */
export function planPictures(plan: Plan): Html {
  const { swapFilterAccounts: filled } = plan
  const accounts = filled >= 1_000 ? `${filled / 1_000}K` : String(filled)

  return html`<div class="picture"><p class="plan-card-caption"><span>Swap events</span><b>${swapWords(plan)}</b></p>
<span class="flow flow-${swapFlow(plan)}" aria-hidden="true"><span></span></span></div>
<div class="picture"><p class="plan-card-caption"><span>Accounts in the swap filter</span><b>${accounts}</b></p>
<svg class="dot-field" viewBox="0 0 ${COLUMNS * PITCH} ${(DOTS / COLUMNS) * PITCH}" role="img" aria-label="${filled.toLocaleString('en-GB')} of 1,000 dots filled"><path class="dot-field-empty" d="${drawDots(filled, DOTS)}"/><path class="${filled === DOTS ? 'dot-field-filled dot-field-full' : 'dot-field-filled'}" d="${drawDots(0, filled)}"/></svg></div>`
}

function swapWords(plan: Plan): string {
  if (plan.swapEventsPerPeriod !== null) return plan.swapEventsPerPeriod.toLocaleString('en-GB')
  return plan.swapFilterRequired ? 'Unlimited filtered' : 'Unlimited'
}

/** A short round-capped stroke for each dot from number `from` (inclusive) to `to` (exclusive). */
function drawDots(from: number, to: number): string {
  let path = ''
  for (let dot = from; dot < to; dot++) {
    const x = FIRST + (dot % COLUMNS) * PITCH
    const y = FIRST + Math.floor(dot / COLUMNS) * PITCH
    path += `M${x.toFixed(1)} ${y.toFixed(1)}h.01`
  }
  return path
}
