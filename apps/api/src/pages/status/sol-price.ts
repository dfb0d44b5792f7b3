import { exchangeName, type SolPriceState } from '@pairwire/contract'
import { type Html, html } from '../html.ts'
import { table } from './table.ts'

/** The price of SOL behind USD values, its age, its pools and their spread. Without a source its age stops, so it hides. */
export function solPrice({ usdPerSol, ageSeconds, spread, pools }: SolPriceState, isSourceUp: boolean): Html {
  const isKnown = usdPerSol !== null && ageSeconds !== null && spread !== null
  const age = ageSeconds === 0 ? 'Updated now' : `Updated ${ageSeconds} s ago`
  return html`<section class="panel source" aria-labelledby="sol"><header><h2 id="sol">Price of SOL <span class="figure">${
    isKnown ? dollars(usdPerSol) : 'not known'
  }</span></h2><p class="legend second">${
    isKnown
      ? `${isSourceUp ? age : 'As of the last block'}. Pools differ by up to ${(spread * 100).toFixed(2)}%.`
      : 'USD values of swaps in SOL are null until two pools agree'
  }</p></header>
${
  isKnown &&
  table(
    'Pools that agree on the price of SOL',
    ['Pool', 'Exchange', 'Why trusted', 'USD'],
    3,
    pools.map(
      (pool) =>
        html`<tr><th scope="row" title="${pool.address}">${shortened(pool.address)}</th><td>${exchangeName(pool.exchange)}</td><td>${pool.isKnown ? 'well-known pool' : 'deep pool'}</td><td class="number">${pool.usdPerSol.toFixed(2)}</td></tr>`,
    ),
  )
}</section>`
}

/** `58oQ…YQo2`, as the dashboard shortens addresses. */
function shortened(address: string): string {
  return `${address.slice(0, 4)}…${address.slice(-4)}`
}

function dollars(usd: number): string {
  return `$${usd.toFixed(2)}`
}
