import { PLANS, TRIAL_DAYS } from '@pairwire/contract'
import { html } from '../html.ts'
import { codeFigure, framesFigure, requestFigure } from './code-figure.ts'
import type { DocPage, DocsSettings } from './doc-page.ts'
import { PAIR_UPDATE_FRAME, SWAP_FRAME, subscribed, subscribeRequest } from './example-frames.ts'
import { table } from './fields.ts'

/** /docs/messages: requests, answers, and the frames that are neither. */
export function messagesPage({ publicUrl }: DocsSettings): DocPage {
  return {
    path: '/docs/messages',
    title: 'Messages and errors',
    description:
      'Every frame that travels over the stream: requests, answers, events, failures and last words.',
    group: 'Streams',
    lead: html`<p>A request is one text frame with one JSON object. It has exactly one answer, with the same <code>id</code>. All other frames are events, or say that something could not be done.</p>`,
    leadCode: framesFigure('A request and its answer', [
      subscribeRequest(1, 'swapSubscribe'),
      subscribed(1, 1),
    ]),
    sections: [
      {
        id: 'requests',
        heading: 'Requests',
        text: html`<p>The form is JSON-RPC 2.0. <code>jsonrpc</code>, <code>id</code> and <code>params</code> may be left out, and members that are not known are passed over. An <code>id</code> can be text, an object or an integer up to 2<sup>53</sup>; it comes back as it was. Without one a request that succeeds is answered without one.</p>
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
<p>A frame holds at most 64 KiB. An account may send 20 requests and 1 MiB a second, after bursts of 100 and 4 MiB; its connections share them. What is far beyond is read more slowly, and refused when it is read.</p>`,
        code: html`${requestFigure('Two streams on one connection', subscribeRequest(1, 'newPairSubscribe', { include_launchpad_tokens: true }))}${requestFigure('The second', subscribeRequest(2, 'swapSubscribe', { include: { usdValue: 10_000 } }))}`,
      },
      {
        id: 'failed',
        heading: 'When a request fails',
        text: html`<p>The answer has an <code>error</code>: a number, a sentence that says how to do it right, and in <code>data</code> the name of the error and the address of its page here.</p>
<p>What cannot be answered by an <code>id</code>, such as a frame that is not JSON, comes as <code>requestFailed</code>. More than 20 of those within 10 seconds end the connection.</p>
<p>All of them are listed under <a href="/docs/errors">errors and close codes</a>.</p>`,
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
        text: html`<p>An event never has an <code>id</code>. It carries the <code>subscription_id</code>, the <code>method</code> of its kind, its <code>params</code> and a <a href="/docs/cursors">cursor</a>. No event comes before the answer to its subscribe, and none after the answer to its unsubscribe.</p>
<p>Events leave in the order of the chain: block, transaction, and place within the transaction; where the service reads program logs, in order of arrival and without a cursor.</p>
<p>New members may be added to any frame. Pass over what you do not know.</p>`,
        code: framesFigure('An event', [SWAP_FRAME]),
      },
      {
        id: 'gaps',
        heading: 'Gaps',
        text: html`<p>What could not be delivered is said, never left out in silence. A <code>gapNotification</code> names the slots, both inclusive, of which something is missing, and goes to every subscription whatever its filter. The subscription’s number stands in its <code>params</code>. It is not counted.</p>
<p><code>cause</code> is <code>upstream</code> when the source of the chain did not give it: the stream has waited up to 10 s for it to be fetched elsewhere, and goes on behind it. <code>resume_from</code> is null then: nobody has it. It is <code>deploy</code> when this service was away, or could not keep what it had published, and <code>slow_consumer</code> when you did not take it in time: a subscribe with the <a href="/docs/cursors#resume">cursor</a> in <code>resume_from</code> gets it after all.</p>`,
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
        text: html`<p>A new pair leaves at once, with what is known of its token by then. What its own transactions do not tell is asked of the chain, and the picture and the links of the page that the token names. If any of it is known within a minute, a <code>pairUpdateNotification</code> follows the pair, to the subscriptions that wanted it: <code>baseToken</code> in it takes the place of the pair’s. The subscription’s number stands in its <code>params</code>. It is not counted, has no cursor and is not replayed: <a href="/docs/http-api">/api/tokens</a> gives the same later.</p>`,
        code: framesFigure('The token’s picture is known', [PAIR_UPDATE_FRAME]),
      },
      {
        id: 'last-words',
        heading: 'Last words',
        text: html`<p>When the service ends a subscription it says so in a frame of its own, with the reason in words.</p>`,
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
    description: 'The place of an event in the stream, and what can be done with it.',
    group: 'Streams',
    lead: html`<p>Every event carries a <code>cursor</code>: its place in the stream of this deployment. Where the service reads the chain from program logs, events come in order of arrival and carry none.</p>`,
    leadCode: codeFigure('A cursor', SWAP_FRAME.cursor),
    sections: [
      {
        id: 'use',
        heading: 'What it is good for',
        text: html`<ul>
<li><b>Order.</b> Cursors compare as text: an event with a greater one came later.</li>
<li><b>No doubles.</b> A cursor belongs to one event, so it is the key under which to store one. A signature is not: one transaction can hold several.</li>
</ul>
<p>Take it as one piece of text. What stands in it can change; that it orders will not. Cursors of two deployments cannot be compared.</p>`,
        code: codeFigure(
          'Store each event once',
          `const stored = new Map()\n\nfunction keep({ cursor, params }) {\n  if (!stored.has(cursor)) stored.set(cursor, params)\n}`,
        ),
      },
      {
        id: 'resume',
        heading: 'Resuming',
        text: html`<p>Put the last cursor that you have read into the params of a subscribe as <code>resume_from</code>, beside the filter. After the answer come all events after it that match, then the stream goes on live: nothing is lost or repeated between the two. They are sent as fast as you read them, and count like live ones. Gaps come again too.</p>
<p>Subscribes with <code>resume_from</code> that you send together, without waiting for their answers, are replayed together in the order of the chain, each from its own cursor. One that comes while a replay runs waits for it. An unsubscribe ends a replay. An update keeps it going under the new params, and takes no <code>resume_from</code>.</p>
<p>A cursor whose events are not held any more answers <code>-32014</code> with the oldest one that can be had in <code>data.oldest</code>. A cursor that lies ahead of the service waits 5 s for it, then answers the same code. 60 connections of a key may resume within a minute.</p>
<p>When the service restarts (1001), or lets you go because you read too slowly (4008), the closing frames name the cursor to come back with behind <code>resume_from:</code>. It is never older than the last one that you got, and newer where a filter has let nothing through for long.</p>`,
        code: framesFigure('Come back', [
          subscribeRequest(1, 'swapSubscribe', { resume_from: SWAP_FRAME.cursor }),
          subscribed(1, 1),
          {
            jsonrpc: '2.0',
            id: 1,
            error: {
              code: -32014,
              message: `What follows this cursor is not held any more. The oldest that is held is ${SWAP_FRAME.cursor}. Resume from there, or leave resume_from out.`,
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
    lead: html`<p>Figures on this page are the ones that the service enforces.</p>`,
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
<p>All plans: commercial use and live chat. The free trial lasts ${TRIAL_DAYS} days and is given once per user. For more connections write to <a href="mailto:${supportEmail}">${supportEmail}</a>.</p>`,
      },
      {
        id: 'counting',
        heading: 'What is counted',
        text: html`<p>Notifications that were sent to you, by kind, in each billing period, by UTC. Blocks and answers are never counted. When the swaps of a plan are used up, that subscription ends with its sentence, a new one is refused with <a href="/docs/errors/plan-used-up">PLAN_USED_UP</a>, and the connection and its other streams go on.</p>
<p>The entries of all lists of a filter, those of <code>exclude</code> too, count together.</p>`,
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
              '4 MiB, less when the service as a whole is short of memory',
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
