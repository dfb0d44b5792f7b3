import { EXCHANGES, exchangeName, PAIR_EXCHANGES, UNSEEN_EXCHANGES, WHALE_USD } from '@pairwire/contract'
import type { CodeSamples } from '../code-samples.ts'
import { type Html, html } from '../html.ts'
import { figure, framesFigure, requestFigure, samplesFigure } from './code-figure.ts'
import type { DocPage } from './doc-page.ts'
import { pairRow, swapRow } from './event-row.ts'
import {
  LATEST_BLOCK_FRAME,
  NEW_PAIR_FRAME,
  SWAP_FRAME,
  subscribed,
  subscribeRequest,
} from './example-frames.ts'
import { fieldRows, table } from './fields.ts'
import { frameJson } from './frame-json.ts'
import { FRAME_FIELDS, LATEST_BLOCK_FIELDS, NEW_PAIR_FIELDS, SWAP_FIELDS } from './stream-fields.ts'

/** /docs/new-pairs. */
export function newPairsPage(samples: CodeSamples): DocPage {
  return {
    path: '/docs/new-pairs',
    title: 'newPairSubscribe',
    description: 'Stream pools and launchpad curves the moment they appear on Solana; every field explained.',
    group: 'Streams',
    lead: html`<p>New pairs on these exchanges: ${list(PAIR_EXCHANGES)}. By default you get pools. Set <code>include_launchpad_tokens</code> to also get tokens on a launchpad's curve.</p>`,
    leadCode: html`${pairRow(NEW_PAIR_FRAME.params.pair)}${figure('The frame of this row', frameJson(NEW_PAIR_FRAME))}`,
    sections: [
      {
        id: 'request',
        heading: 'Request',
        text: html`${table(
          ['Param', 'Type', 'Does'],
          [
            [
              html`<code>include_launchpad_tokens</code>`,
              'boolean, default false',
              'Adds pairs on launchpad curves',
            ],
            [
              html`<code>include_pumpfun</code>, <code>include_raydium_launchlab</code>`,
              'boolean',
              'Older names for the same flag. Set any one of them',
            ],
            [html`<code>sourceExchange</code>`, 'list of exchanges', 'Only pairs on these'],
            TIMESTAMPS_ROW,
            RESUME_ROW,
            COMMITMENT_ROW,
          ],
        )}<p>The flag also works beside <code>params</code>. New pairs are unlimited on every plan. A connection can have one subscription of this kind per commitment.</p>`,
        code: html`${requestFigure('Request', subscribeRequest(1, 'newPairSubscribe', { include_launchpad_tokens: true }))}${framesFigure('Answer', [subscribed(1, 1)])}${samplesFigure('Print each new pair', 'new-pairs', samples)}`,
      },
      {
        id: 'fields',
        heading: 'Fields',
        text: html`<p>Point at a field to see its place in the frame.</p>${fieldRows([...FRAME_FIELDS, ...NEW_PAIR_FIELDS])}`,
        code: figure('The frame', frameJson(NEW_PAIR_FRAME)),
      },
      unsubscribeSection('newPairUnsubscribe'),
    ],
  }
}

/** /docs/swaps. */
export function swapsPage(samples: CodeSamples): DocPage {
  const { baseTokenMint, walletAccount } = SWAP_FRAME.params.swap
  const filter = {
    include: { baseTokenMint: [baseTokenMint], walletAccount: [walletAccount], usdValue: WHALE_USD },
  }
  const tighter = {
    include: { baseTokenMint: [baseTokenMint], usdValue: WHALE_USD },
    match: 'all',
    exclude: { walletAccount: [walletAccount] },
    swapType: ['buy'],
  }
  return {
    path: '/docs/swaps',
    title: 'swapSubscribe',
    description:
      'Stream every swap on Solana, or those of your tokens, wallets, pools and sizes; every field explained.',
    group: 'Streams',
    lead: html`<p>One event for each pool that a transaction trades in. A route through three pools produces three events with the same signature. A failed transaction produces none.</p><p>No recorded trade on ${UNSEEN_EXCHANGES.map(exchangeName).join(', ')} was available for testing. Their swaps, and the newest kinds of swap on BisonFi and ZeroFi, are read as public code describes them.</p>`,
    leadCode: html`${swapRow(SWAP_FRAME.params.swap)}${figure('The frame of this row', frameJson(SWAP_FRAME))}`,
    sections: [
      {
        id: 'request',
        heading: 'Request',
        text: html`<p>Without <code>include</code> you get all swaps. With it you get every swap that matches <em>any</em> of its entries.</p>
${table(
  ['Field of include', 'Type', 'Matches'],
  [
    [html`<code>baseTokenMint</code>`, 'list of addresses', 'Swaps of these tokens'],
    [html`<code>walletAccount</code>`, 'list of addresses', 'Swaps by these wallets'],
    [html`<code>ammAccount</code>`, 'list of addresses', 'Swaps in these pools or curves'],
    [
      html`<code>usdValue</code>`,
      'number',
      'Swaps worth at least this much. A swap of unknown value never matches',
    ],
  ],
)}
<p>Field names are not case-sensitive. A list must not be empty: leave it out instead. Your <a href="/docs/limits">plan</a> sets how many entries the three lists may hold together, and whether you need a filter.</p>
<p>These params narrow the filter further. A swap must also match each of them.</p>
${table(
  ['Param', 'Type', 'Does'],
  [
    [
      html`<code>exclude</code>`,
      'object',
      html`Leaves out swaps that match an entry of its lists <code>baseTokenMint</code>, <code>walletAccount</code> and <code>ammAccount</code>. These count as accounts in the filter`,
    ],
    [
      html`<code>match</code>`,
      html`<code>"any"</code> (default) or <code>"all"</code>`,
      html`With <code>"all"</code> a swap must match every field of <code>include</code>. One entry of each list is enough`,
    ],
    [html`<code>sourceExchange</code>`, 'list of exchanges', html`Only swaps on these: ${list(EXCHANGES)}`],
    [
      html`<code>swapType</code>`,
      html`list of <code>"buy"</code>, <code>"sell"</code>`,
      'Only buys or only sells',
    ],
    TIMESTAMPS_ROW,
    RESUME_ROW,
    COMMITMENT_ROW,
  ],
)}
<p>If your plan needs a filter, put an account or a <code>usdValue</code> above 0 into <code>include</code>.</p>`,
        code: html`${requestFigure('A token, a wallet, or any whale', subscribeRequest(1, 'swapSubscribe', filter))}${requestFigure('Buys of a token by whales, except one wallet', subscribeRequest(1, 'swapSubscribe', tighter))}${requestFigure('All swaps', subscribeRequest(1, 'swapSubscribe'))}${framesFigure('Answer', [subscribed(1, 2)])}${samplesFigure('Print each whale', 'whale-swaps', samples)}`,
      },
      {
        id: 'fields',
        heading: 'Fields',
        text: html`<p>Point at a field to see its place in the frame.</p>${fieldRows([...FRAME_FIELDS, ...SWAP_FIELDS])}`,
        code: figure('The frame', frameJson(SWAP_FRAME)),
      },
      {
        id: 'quote',
        heading: 'Which side is the quote',
        text: html`<p>The quote token is the first of USDC, USDT, USD1 and wrapped SOL that the pool holds. If it holds none of them, the pool's own order decides. <code>swapType</code> is the wallet's side: in a buy, the wallet gets the base token.</p>
<p>Amounts are what went into and out of the pool's vaults. Fees that never enter the pool are not included, so you can check every event against the balances in the block.</p>`,
      },
      {
        id: 'change',
        heading: 'Change the filter',
        text: html`<p><code>updateSubscriptionParams</code> replaces the filter between two events: none is lost and none repeated. Send the complete new params, not only the part that changes.</p>`,
        code: html`${requestFigure('Request', subscribeRequest(2, 'updateSubscriptionParams', { subscription_id: 2, params: { include: { usdValue: 50_000 } } }))}${framesFigure('Answer', [{ jsonrpc: '2.0', id: 2, result: true }])}`,
      },
      unsubscribeSection('swapUnsubscribe'),
    ],
  }
}

/** /docs/latest-block. */
export function latestBlockPage(): DocPage {
  return {
    path: '/docs/latest-block',
    title: 'latestBlockSubscribe',
    description: 'One notification for each Solana block: a clock for your program. Never counted.',
    group: 'Streams',
    lead: html`<p>One notification for each block, even if it holds none of your events. So you can tell a quiet market from a broken connection. Blocks are never counted, on any plan.</p>`,
    leadCode: figure('A block', frameJson(LATEST_BLOCK_FRAME)),
    sections: [
      {
        id: 'request',
        heading: 'Request',
        text: table(['Param', 'Type', 'Does'], [TIMESTAMPS_ROW, RESUME_ROW, COMMITMENT_ROW]),
        code: html`${requestFigure('Request', subscribeRequest(3, 'latestBlockSubscribe'))}${framesFigure('Answer', [subscribed(3, 3)])}`,
      },
      { id: 'fields', heading: 'Fields', text: fieldRows(LATEST_BLOCK_FIELDS) },
      unsubscribeSection('latestBlockUnsubscribe'),
    ],
  }
}

const TIMESTAMPS_ROW = [
  html`<code>timestamps</code>`,
  'boolean, default false',
  html`Adds <code>receivedAt</code> and <code>sentAt</code> beside the cursor: the times, in Unix milliseconds, when the service received the event and when it sent it`,
]

const RESUME_ROW = [
  html`<code>resume_from</code>`,
  'cursor',
  html`Starts with the event after this cursor, see <a href="/docs/cursors#resume">resuming</a>`,
]

const COMMITMENT_ROW = [
  html`<code>commitment</code>`,
  html`<code>"confirmed"</code> (default) or <code>"processed"</code>`,
  html`With <code>"processed"</code>, events arrive <a href="/docs/messages#early">before they are confirmed</a>`,
]

function unsubscribeSection(method: string) {
  return {
    id: 'end',
    heading: 'End the subscription',
    text: html`<p>After the answer you get no more events for the subscription. Its number is not used again on this connection.</p>`,
    code: html`${requestFigure('Request', subscribeRequest(9, method, { subscription_id: 1 }))}${framesFigure('Answer', [{ jsonrpc: '2.0', id: 9, result: true }])}`,
  }
}

function list(words: readonly string[]): Html {
  return html`${words.map((word, index) => html`${index > 0 && ', '}<code>${word}</code>`)}`
}
