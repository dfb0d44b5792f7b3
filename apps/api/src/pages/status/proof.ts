import { type AuditState, exchangeName, type ProofState, UNSEEN_EXCHANGES } from '@pairwire/contract'
import { quantile } from '../../status/quantile.ts'
import type { Day } from '../../status/status-record.ts'
import { type Html, html } from '../html.ts'
import { asTable, table } from './table.ts'
import { clockOf, dateOf, grouped, secondsOf } from './words.ts'

/** Whether the data is right and complete: the comparison with the chain, unknown instructions, the lag of each exchange. */
export function proofPanel(
  { programs, decoderAlarms, lagsByExchange, audit }: ProofState,
  days: readonly Day[],
): Html {
  return html`<section class="panel source" aria-labelledby="proof"><header><h2 id="proof">Completeness ${
    audit && audit.events > 0
      ? html`<span class="figure">${percentRight(audit.events, faultsOf(audit))}</span>`
      : html`<span class="second">not checked yet</span>`
  }</h2><p class="legend second">one slot a minute is checked against the chain</p></header>
${auditWords(audit)}
${decoderAlarms.map(
  ({ exchange, program, share, usualShare, discriminator, example }) =>
    html`<p class="trouble">The service does not know ${percent(share)} of the instructions on ${exchangeName(exchange)} (program ${program}); before, it was ${percent(usualShare)}.${
      discriminator !== null && html` Most of them are <code>${discriminator}</code>, as in ${example ?? ''}.`
    }</p>`,
)}
${audit && audit.faults.length > 0 && faultTable(audit)}
${lagTable(programs, lagsByExchange)}
${asTable(
  'proof',
  'Completeness of the last 90 days, UTC',
  [
    'Day',
    'Checked',
    'Correct',
    'Missed by the source',
    'Missed by restarts',
    'Unknown instructions',
    'Named within a minute',
    'Lag, median',
    'Slowest 1%',
  ],
  [...days].reverse().flatMap(({ day, proof }) => {
    if (!proof) return []
    const { compared, faults, calls, unknownCalls, lags, names } = proof
    const { upstream, deploy } = proof.gaps ?? { upstream: proof.missedSlots, deploy: 0 }
    const all = Object.values(lags)
    return [
      [
        dateOf(day),
        grouped(compared),
        compared === 0 ? 'not checked' : percentRight(compared, faults),
        slotsOf(upstream),
        slotsOf(deploy),
        calls === 0 ? 'none' : percent(unknownCalls / calls),
        names ? percentRight(1_000_000, Math.round((1 - names.share) * 1_000_000)) : 'not known',
        all.length === 0 ? 'not known' : secondsOf(Math.max(...all.map(({ median }) => median))),
        all.length === 0 ? 'not known' : secondsOf(Math.max(...all.map(({ slowest }) => slowest))),
      ],
    ]
  }),
)}</section>`
}

function auditWords(audit: AuditState | undefined): Html {
  if (!audit) {
    return html`<p class="second">No RPC is set to compare with (SOLANA_RPC_URL).</p>`
  }
  const { events, slots, missing, extra, different, newest, trouble } = audit
  const sentence = newest
    ? html`<p>Since the start, ${grouped(events)} events in ${grouped(slots)} slots were checked against the chain: ${grouped(missing)} missing, ${grouped(extra)} extra, ${grouped(different)} different. The latest was slot ${grouped(newest.slot)} at ${clockOf(newest.at)}.</p>`
    : html`<p class="second">The first slot is checked against the chain within two minutes of the start.</p>`
  return html`${sentence}${trouble !== null && html`<p class="trouble">${trouble}</p>`}`
}

function faultTable({ faults }: AuditState): Html {
  const rows = faults.map(
    ({ kind, venue, signature, slot }) =>
      html`<tr><th scope="row">${kind}</th><td>${exchangeName(venue)}</td><td>${signature ?? 'whole block'}</td><td class="number">${grouped(slot)}</td></tr>`,
  )
  return table(
    'The last events that differ from the chain',
    ['Fault', 'Exchange', 'Signature', 'Slot'],
    3,
    rows,
  )
}

/** By exchange: the lag of its events since the start, and the share of unknown calls. */
function lagTable(programs: ProofState['programs'], lagsByExchange: ProofState['lagsByExchange']): Html {
  const calls = new Map<string, { understood: number; unknown: number }>()
  for (const { exchange, understood, unknown } of Object.values(programs)) {
    const sum = calls.get(exchange) ?? { understood: 0, unknown: 0 }
    calls.set(exchange, { understood: sum.understood + understood, unknown: sum.unknown + unknown })
  }
  const exchanges = [...new Set([...Object.keys(lagsByExchange), ...calls.keys()])]
  if (exchanges.length === 0) return html``
  const lagOf = (exchange: string, share: number) => {
    const lags = lagsByExchange[exchange]
    const lag = lags && quantile(lags.bounds, lags.counts, share)
    return lag === undefined ? 'not known' : secondsOf(lag)
  }
  const unknownOf = (exchange: string) => {
    const { understood, unknown } = calls.get(exchange) ?? { understood: 0, unknown: 0 }
    return understood + unknown === 0 ? 'none' : percent(unknown / (understood + unknown))
  }
  const heads = ['Exchange', 'Lag, median', 'Slowest 1%', 'Unknown instructions']
  const rows = exchanges.map(
    (exchange) =>
      html`<tr><th scope="row">${exchangeName(exchange)}</th><td class="number">${lagOf(exchange, 0.5)}</td><td class="number">${lagOf(exchange, 0.99)}</td><td class="number">${unknownOf(exchange)}</td></tr>`,
  )
  return html`${table('Lag and unknown instructions by exchange since the start', heads, 1, rows)}
<p class="legend second">Not tested on a recorded trade: ${UNSEEN_EXCHANGES.map(exchangeName).join(', ')}. They are read as public code describes them.</p>`
}

function slotsOf(count: number): string {
  return count === 0 ? 'none' : `${grouped(count)} ${count === 1 ? 'slot' : 'slots'}`
}

function faultsOf({ missing, extra, different }: AuditState): number {
  return missing + extra + different
}

/** Never rounded up to 100%. */
function percentRight(events: number, faults: number): string {
  if (faults === 0) return '100%'
  return `${(Math.floor(Math.max(0, 1 - faults / events) * 100_000) / 1_000).toFixed(3)}%`
}

/** Never rounded down to nothing. */
function percent(share: number): string {
  if (share === 0) return '0%'
  return share < 0.0001 ? 'under 0.01%' : `${(share * 100).toFixed(2)}%`
}
