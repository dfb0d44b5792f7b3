import { PLANS, TRIAL_DAYS } from '@pairwire/contract'
import { html } from '../html.ts'
import { codeFigure, framesFigure, requestFigure } from './code-figure.ts'
import type { DocPage, DocsSettings } from './doc-page.ts'
import {
  EARLY_FRAME,
  PAIR_UPDATE_FRAME,
  SLOT_DROPPED_FRAME,
  SWAP_FRAME,
  subscribed,
  subscribeRequest,
} from './example-frames.ts'
import { table } from './fields.ts'

/** /docs/messages: requests, answers, and the frames that are neither. */
export function messagesPage({ publicUrl }: DocsSettings): DocPage {
  return {
    path: '/docs/messages',
    title: 'Messages and errors',
    description: 'Every frame of the stream: requests, answers, events, errors and last words.',
    group: 'Streams',
    lead: html`<p>A request is one text frame with one JSON object. You get exactly one answer, with the same <code>id</code>. All other frames are events or errors.</p>`,
    leadCode: framesFigure('A request and its answer', [
      subscribeRequest(1, 'swapSubscribe'),
      subscribed(1, 1),
    ]),
    sections: [
      {
        id: 'requests',
        heading: 'Requests',
        text: html`<p>The form is JSON-RPC 2.0. You may leave out <code>jsonrpc</code>, <code>id</code> and <code>params</code>. The service ignores unknown members. An <code>id</code> can be text, an object or an integer up to 2<sup>53</sup>, and comes back unchanged. If a request has none, its answer has none.</p>
${table(
  ['Method', 'Params', 'Answer'],
  [
    [
      'newPairSubscribe, swapSubscribe, latestBlockSubscribe',
      'see their pages',
      html`<code>{"subscription_id":1}</code>`,
    ],
    [
      'newPairUnsubscribe, swapUnsubscribe, latestBlockUnsubscribe',
      'subscription_id',
      html`<code>true</code>`,
    ],
    ['updateSubscriptionParams', 'subscription_id, params (or update)', html`<code>true</code>`],
    ['ping', 'none', html`<code>"pong"</code>`],
    ['heartbeat', 'none', html`<code>{"message":"pong"}</code>`],
  ],
)}
<p>A frame holds at most 64 KiB. An account may send 20 requests and 1 MiB a second, after bursts of 100 and 4 MiB. All its connections share these limits. Far beyond them the service reads more slowly, and refuses what it reads.</p>`,
        code: html`${requestFigure('Two streams on one connection', subscribeRequest(1, 'newPairSubscribe', { include_launchpad_tokens: true }))}${requestFigure('The second', subscribeRequest(2, 'swapSubscribe', { include: { usdValue: 10_000 } }))}`,
      },
      {
        id: 'failed',
        heading: 'When a request fails',
        text: html`<p>The answer has an <code>error</code>: a number, a sentence that says what to do, and in <code>data</code> the name of the error and the address of its page.</p>
<p>If there is no <code>id</code> to answer, for example because a frame is not JSON, you get <code>requestFailed</code>. More than 20 of these within 10 seconds end the connection.</p>
<p>You find all of them under <a href="/docs/errors">errors and close codes</a>.</p>`,
        code: framesFigure('With an id, and without', [
          {
            jsonrpc: '2.0',
            id: 1,
            error: {
              code: -32602,
              message:
                'include.walletAccount is an empty list. Name at least one address, or leave walletAccount out.',
              data: { errorType: 'EMPTY_LIST', docs: `${publicUrl}/docs/errors/empty-list` },
            },
          },
          {
            method: 'requestFailed',
            params: { code: -32700, message: 'The frame is not JSON: see line 1, column 12.' },
          },
        ]),
      },
      {
        id: 'events',
        heading: 'Events',
        text: html`<p>An event never has an <code>id</code>. It carries the <code>subscription_id</code>, the <code>method</code> of its kind, its <code>params</code> and a <a href="/docs/cursors">cursor</a>. Events come after the answer to the subscribe, and stop before the answer to the unsubscribe.</p>
<p>Events come in the order of the chain: block, transaction, place within the transaction. If the service reads program logs, they come in order of arrival, without a cursor.</p>
<p>Any frame may get new members. Ignore what you do not know.</p>`,
        code: framesFigure('An event', [SWAP_FRAME]),
      },
      {
        id: 'gaps',
        heading: 'Gaps',
        text: html`<p>The stream never loses events in silence. A <code>gapNotification</code> names the first and the last slot in which something is missing. Every subscription gets it, whatever its filter. Its <code>params</code> hold the subscription’s number. It is not counted.</p>
<p><code>cause</code> is <code>upstream</code> if the source of the chain did not give the slots. The stream waits up to 10 s for another source, then goes on. <code>resume_from</code> is then null: nobody has these events. <code>cause</code> is <code>deploy</code> if this service was down or could not keep what it published, and <code>slow_consumer</code> if you read too slowly. Then subscribe with the <a href="/docs/cursors#resume">cursor</a> in <code>resume_from</code> to get the events.</p>`,
        code: framesFigure('Twelve slots that are lost', [
          {
            method: 'gapNotification',
            params: {
              subscription_id: 1,
              fromSlot: 454790130,
              toSlot: 454790141,
              cause: 'upstream',
              resume_from: null,
            },
          },
        ]),
      },
      {
        id: 'pair-updates',
        heading: 'Names and pictures that come later',
        text: html`<p>A new pair is sent at once, with what the service knows of its token. Then the service asks the chain for the rest, and the page that the token names for the picture and the links. If it learns something within a minute, the subscriptions that got the pair get a <code>pairUpdateNotification</code>. Its <code>baseToken</code> replaces the one in the pair. Its <code>params</code> hold the subscription’s number. It is not counted, has no cursor and is not replayed. Later, <a href="/docs/http-api">/api/tokens</a> gives the same. It gives the names of traded tokens too. If the service has an RPC, it looks up what it does not know: ask again some seconds later.</p>`,
        code: framesFigure('The token’s picture is known', [PAIR_UPDATE_FRAME]),
      },
      {
        id: 'early',
        heading: 'Before they are confirmed',
        text: html`<p>Subscribe with <code>"commitment": "processed"</code> to get events as they are executed, some hundred milliseconds to a few seconds before they are confirmed. They come in order of arrival. Each says <code>"commitment": "processed"</code> and has no cursor: such a subscription cannot be resumed. A confirmed subscription of the same kind may stand beside it.</p>
<p>What is executed may still be undone. Then you get a <code>slotDroppedNotification</code>. It lists the signatures in that slot of which this subscription got events: take them back. The same signature may come again, in this slot or in another one. The notification is not counted. Events count once, and taking them back does not change that.</p>
<p>After a <code>latestBlockNotification</code> nothing in its slot, or in an earlier one, is taken back. What you did not get early comes before it. So at each block you have exactly what is confirmed. When your connection ends, take back what no block has covered, or <a href="/docs/cursors#resume">resume</a> a confirmed subscription.</p>
<p>Confirmed events may differ in <code>usdValue</code>, <code>blockTime</code> and what is known of tokens: early events carry what is known at that moment. A <code>usdValue</code> in a filter uses the early value.</p>
<p>The simulator and Yellowstone sources serve it. In the simulator, a slot dies every two minutes or so. Other sources give confirmed data only: then the subscribe is refused with <a href="/docs/errors/not-available">-32602</a>.</p>`,
        code: html`${requestFigure('Request', subscribeRequest(2, 'swapSubscribe', { commitment: 'processed', include: { usdValue: 10_000 } }))}${framesFigure('An event, and its end', [EARLY_FRAME, SLOT_DROPPED_FRAME])}`,
      },
      {
        id: 'last-words',
        heading: 'Last words',
        text: html`<p>When the service ends a subscription, it sends one last frame that says why.</p>`,
        code: framesFigure('A plan whose swaps are used up', [
          {
            subscription_id: 2,
            method: 'subscriptionClosed',
            reason:
              'The 1,000 swap events of the plan NewPairs Only are used up for this billing period. Other streams go on.',
          },
        ]),
      },
    ],
  }
}

/** /docs/cursors. */
export function cursorsPage({ publicUrl }: DocsSettings): DocPage {
  return {
    path: '/docs/cursors',
    title: 'Cursors',
    description: 'The place of an event in the stream, and what you can do with it.',
    group: 'Streams',
    lead: html`<p>Every event carries a <code>cursor</code>: its place in the stream of this deployment. If the service reads program logs, events come in order of arrival and have no cursor.</p>`,
    leadCode: codeFigure('A cursor', SWAP_FRAME.cursor),
    sections: [
      {
        id: 'use',
        heading: 'What it is good for',
        text: html`<ul>
<li><b>Order.</b> Compare cursors as text: the event with the greater one came later.</li>
<li><b>No doubles.</b> A cursor belongs to exactly one event, so store events under it. A signature does not: one transaction can hold several events.</li>
</ul>
<p>Treat it as one piece of text. Its content can change, its order will not. Do not compare cursors of two deployments.</p>`,
        code: codeFigure(
          'Store each event once',
          `const stored = new Map()\n\nfunction keep({ cursor, params }) {\n  if (!stored.has(cursor)) stored.set(cursor, params)\n}`,
        ),
      },
      {
        id: 'resume',
        heading: 'Resuming',
        text: html`<p>Subscribe with <code>resume_from</code> in the params, beside the filter, and set it to the last cursor that you read. First you get every matching event after it, as fast as you read. Then the stream goes on live, without a loss or a repeat between the two. Replayed events count like live ones. Gaps come again too.</p>
<p>If you send several subscribes with <code>resume_from</code> together, without waiting for answers, the service replays them together in the order of the chain, each from its own cursor. A subscribe that comes during a replay waits for its end. An unsubscribe ends a replay. An update changes its params, and takes no <code>resume_from</code>.</p>
<p>If the service no longer keeps the events after a cursor, it answers <code>-32014</code>, with the oldest usable cursor in <code>data.oldest</code>. If a cursor is ahead of the service, it waits 5 s, then answers the same code. With one key, 60 connections may resume within a minute.</p>
<p>When the service restarts (1001), or closes because you read too slowly (4008), the last frames name the cursor to resume from, after <code>resume_from:</code>. It is never older than the last cursor that you got, and newer if your filter let nothing through for a while.</p>`,
        code: framesFigure('Come back', [
          subscribeRequest(1, 'swapSubscribe', { resume_from: SWAP_FRAME.cursor }),
          subscribed(1, 1),
          {
            jsonrpc: '2.0',
            id: 1,
            error: {
              code: -32014,
              message: `The events after this cursor are no longer kept. The oldest cursor that is kept is ${SWAP_FRAME.cursor}. Resume from there, or leave resume_from out.`,
              data: {
                errorType: 'CURSOR_TOO_OLD',
                docs: `${publicUrl}/docs/errors/cursor-too-old`,
                oldest: SWAP_FRAME.cursor,
              },
            },
          },
        ]),
      },
    ],
  }
}

/** /docs/limits, from the plans themselves. */
export function limitsPage({ supportEmail }: DocsSettings): DocPage {
  return {
    path: '/docs/limits',
    title: 'Limits by plan',
    description:
      'What each plan costs and allows, how events are counted, and the limits that hold for everyone.',
    group: 'Reference',
    lead: html`<p>The service enforces exactly the figures on this page.</p>`,
    sections: [
      {
        id: 'plans',
        heading: 'Plans',
        text: html`${table(
          ['Plan', 'Price', 'New pairs', 'Swaps', 'Accounts in the swap filter', 'Connections'],
          PLANS.map((plan) => [
            plan.name,
            `$${plan.usdPerMonth}/month`,
            'unlimited',
            plan.swapEventsPerPeriod === null
              ? `unlimited${plan.swapFilterRequired ? ', at least one filter' : ''}`
              : `${plan.swapEventsPerPeriod.toLocaleString('en-GB')} a month`,
            plan.swapFilterAccounts.toLocaleString('en-GB'),
            String(plan.connections),
          ]),
        )}
<p>All plans: commercial use and live chat. The free trial lasts ${TRIAL_DAYS} days, once per user. For more connections write to <a href="mailto:${supportEmail}">${supportEmail}</a>.</p>`,
      },
      {
        id: 'counting',
        heading: 'What is counted',
        text: html`<p>The service counts the events that it sends you, by kind, in each billing period, in UTC. It never counts blocks and answers. When you have used up the swaps of your plan, the swap subscription ends with a sentence that says so. A new one gets <a href="/docs/errors/plan-used-up">PLAN_USED_UP</a>. The connection and its other streams go on.</p>
<p>All lists of a filter count together, those of <code>exclude</code> too.</p>`,
      },
      {
        id: 'everyone',
        heading: 'For everyone',
        text: table(
          ['What', 'Limit', 'Beyond it'],
          [
            ['Size of a frame from you', '64 KiB', html`<a href="/docs/errors/too-big">1009</a>`],
            [
              'Members, lists and objects in a frame; values',
              '256; 4,096',
              html`<a href="/docs/errors/too-many-members">-32600</a>`,
            ],
            ['Fragments of a frame', '1,024', html`<a href="/docs/errors/too-many-fragments">1008</a>`],
            [
              'Requests of an account',
              '20 a second, burst of 100; 1 MiB a second, burst of 4 MiB',
              html`<a href="/docs/errors/too-many-requests">-32029</a>`,
            ],
            ['New connections with a key', '1 a second, burst of 10', 'HTTP 429'],
            ['Silence', '60 seconds', html`<a href="/docs/errors/idle">1001</a>`],
            [
              'Unread data',
              '4 MiB, less if the service is short of memory',
              html`<a href="/docs/errors/slow-consumer">4008</a>`,
            ],
            [
              'Subscriptions on a connection',
              'one of each kind',
              html`<a href="/docs/errors/already-subscribed">-32010</a>`,
            ],
          ],
        ),
      },
    ],
  }
}
