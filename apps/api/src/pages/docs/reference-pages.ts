import {
  STREAM_LIMITS as LIMITS,
  PLANS,
  STREAM_SENTENCES,
  TRIAL_DAYS,
  STREAM_LIMIT_WORDS as WORDS,
} from '@pairwire/contract'
import { html } from '../html.ts'
import { codeFigure, figure, framesFigure, requestFigure } from './code-figure.ts'
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
import { frameJson } from './frame-json.ts'

/** /docs/messages: requests, answers, and the frames that are neither. */
export function messagesPage({ publicUrl }: DocsSettings): DocPage {
  return {
    path: '/docs/messages',
    title: 'Messages and errors',
    description: 'Every frame of the stream: requests, answers, events, errors and the last frame.',
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
        text: html`<p>Requests are JSON-RPC 2.0. You can leave out <code>jsonrpc</code>, <code>id</code> and <code>params</code>. The service ignores unknown members. An <code>id</code> can be a string, an object or an integer up to 2<sup>53</sup>, and is returned unchanged. If a request has no <code>id</code>, its answer has none.</p>
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
<p>A frame holds at most ${WORDS.frame}. An account can send ${LIMITS.requestsPerSecond} requests and ${WORDS.requestBytes} a second, with bursts of ${LIMITS.requestsBurst} requests and ${WORDS.requestBytesBurst}. All its connections share these limits. Well above them the service slows down and refuses requests.</p>`,
        code: html`${requestFigure('Two streams on one connection', subscribeRequest(1, 'newPairSubscribe', { include_launchpad_tokens: true }))}${requestFigure('The second', subscribeRequest(2, 'swapSubscribe', { include: { usdValue: 10_000 } }))}`,
      },
      {
        id: 'failed',
        heading: 'When a request fails',
        text: html`<p>The answer has an <code>error</code>: a code, a sentence that says what to do, and in <code>data</code> the name of the error and a link to its page.</p>
<p>If there is no <code>id</code> to answer, for example because a frame is not JSON, you get <code>requestFailed</code>. More than ${LIMITS.failuresPerTenSeconds} of these within 10 seconds close the connection.</p>
<p>See <a href="/docs/errors">errors and close codes</a> for the full list.</p>`,
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
<p>Events are in the order of the chain: block, transaction, position within the transaction. If the service reads program logs, they are in order of arrival and have no cursor.</p>
<p>Frames may gain new fields. Ignore the ones you do not know.</p>`,
        code: figure('An event', frameJson(SWAP_FRAME)),
      },
      {
        id: 'gaps',
        heading: 'Gaps',
        text: html`<p>The stream never loses events silently. A <code>gapNotification</code> names the first and the last slot with something missing. Every subscription gets it, whatever its filter. Its <code>params</code> hold the number of the subscription. It does not count towards your plan.</p>
<p><code>cause</code> is <code>upstream</code> if the chain’s source did not deliver the slots. The stream waits up to 10 s for another source, then continues. <code>resume_from</code> is then null: these events cannot be recovered. <code>cause</code> is <code>deploy</code> if this service was down or could not store what it published, and <code>slow_consumer</code> if you read too slowly. In both cases, subscribe with the <a href="/docs/cursors#resume">cursor</a> in <code>resume_from</code> to get the events.</p>`,
        code: framesFigure('A gap of twelve slots', [
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
        heading: 'Names and pictures that arrive later',
        text: html`<p>A new pair is sent at once, with what the service knows about its token. The service then asks the chain for the rest, and reads the token’s own page for the picture and the links. If it learns something within a minute, the subscriptions that got the pair get a <code>pairUpdateNotification</code>. Its <code>baseToken</code> replaces the one in the pair. Its <code>params</code> hold the number of the subscription. It does not count towards your plan, has no cursor and is not replayed. After that minute, <a href="/docs/http-api">/api/tokens</a> returns the same data. It also has the names of traded tokens. If the service has an RPC, it looks up tokens it does not know: ask again a few seconds later.</p>`,
        code: framesFigure('The token’s picture has arrived', [PAIR_UPDATE_FRAME]),
      },
      {
        id: 'early',
        heading: 'Before they are confirmed',
        text: html`<p>Subscribe with <code>"commitment": "processed"</code> to get events as soon as they are executed, a few hundred milliseconds to a few seconds before they are confirmed. They are in order of arrival. Each says <code>"commitment": "processed"</code> and has no cursor, so such a subscription cannot be resumed. You can have a confirmed subscription of the same kind beside it.</p>
<p>Executed transactions can still be dropped. Then you get a <code>slotDroppedNotification</code>. It lists the signatures in that slot whose events this subscription got: undo those events. The same signature may appear again, in this slot or in another one. The notification does not count towards your plan. Events count once, even if they are undone.</p>
<p>After a <code>latestBlockNotification</code>, nothing in its slot or in an earlier one is undone. Events that you did not get early arrive before it. So at each block you have exactly the confirmed events. When your connection ends, undo everything that no block has covered, or <a href="/docs/cursors#resume">resume</a> a confirmed subscription.</p>
<p>Confirmed events may differ in <code>usdValue</code>, <code>blockTime</code> and token details: early events carry what is known at that moment. A <code>usdValue</code> in a filter is compared with the early value.</p>
<p>The simulator and Yellowstone sources support this. The simulator drops a slot every two minutes or so. Other sources only have confirmed data, so the subscribe is refused with <a href="/docs/errors/not-available">-32602</a>.</p>`,
        code: html`${requestFigure('Request', subscribeRequest(2, 'swapSubscribe', { commitment: 'processed', include: { usdValue: 10_000 } }))}${framesFigure('An event, and the drop of its slot', [EARLY_FRAME, SLOT_DROPPED_FRAME])}`,
      },
      {
        id: 'last-words',
        heading: 'The last frame',
        text: html`<p>When the service ends a subscription, it sends one last frame with the reason.</p>`,
        code: framesFigure('The plan’s swaps are used up', [
          {
            subscription_id: 2,
            method: 'subscriptionClosed',
            reason: STREAM_SENTENCES.PLAN_USED_UP(),
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
    description: 'The position of an event in the stream: sort, deduplicate and resume with it.',
    group: 'Streams',
    lead: html`<p>Every event carries a <code>cursor</code>: its position in the stream of this deployment. If the service reads program logs, events are in order of arrival and have no cursor.</p>`,
    leadCode: codeFigure('A cursor', SWAP_FRAME.cursor),
    sections: [
      {
        id: 'use',
        heading: 'Uses',
        text: html`<ul>
<li><b>Order.</b> Compare cursors as text: the greater one is the later event.</li>
<li><b>No duplicates.</b> A cursor identifies exactly one event, so use it as the key when you store events. A signature does not: one transaction can hold several events.</li>
</ul>
<p>Treat it as opaque text. Its format may change; its order will not. Do not compare cursors from different deployments.</p>`,
        code: codeFigure(
          'Store each event once',
          `const stored = new Map()\n\nfunction keep({ cursor, params }) {\n  if (!stored.has(cursor)) stored.set(cursor, params)\n}`,
        ),
      },
      {
        id: 'resume',
        heading: 'Resuming',
        text: html`<p>Subscribe with <code>resume_from</code> in the params, beside the filter, and set it to the last cursor that you read. First you get every matching event after it, as fast as you can read. Then the stream continues live, with nothing lost or repeated in between. Replayed events count like live ones. Gap notifications are replayed too.</p>
<p>If you send several subscribes with <code>resume_from</code> together, without waiting for the answers, the service replays them together in the order of the chain, each from its own cursor. A subscribe sent during a replay waits until the replay ends. An unsubscribe ends a replay. An update changes the params of a replay, and cannot contain <code>resume_from</code>.</p>
<p>Keep a cursor for each subscription, and resume each from its own. After a break two replays may be at different places: if you keep only the newest cursor of both and the connection breaks again, the subscription that was behind resumes too late, and you lose its events in between. If you can keep only one cursor, keep the older one: then some events arrive twice, and you drop them by their cursor.</p>
<p>If the service no longer has the events after a cursor, it answers <code>-32014</code>, with the oldest usable cursor in <code>data.oldest</code>. If a cursor is ahead of the service, it waits ${WORDS.ahead} s and then answers the same code. An account can resume ${LIMITS.resumesPerMinute} times within a minute. Subscribes sent together count as one.</p>
<p>When the service restarts (1001) or closes the connection because you read too slowly (4008), the last frames name the cursor to resume from, after <code>resume_from:</code>. It is never older than the last cursor you got, and it is newer if your filter matched nothing for a while.</p>`,
        code: framesFigure('Resume', [
          subscribeRequest(1, 'swapSubscribe', { resume_from: SWAP_FRAME.cursor }),
          subscribed(1, 1),
          {
            jsonrpc: '2.0',
            id: 1,
            error: {
              code: -32014,
              message: STREAM_SENTENCES.CURSOR_TOO_OLD(SWAP_FRAME.cursor),
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
      'What each plan costs and allows, how events are counted, and the limits that apply to everyone.',
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
<p>All plans: commercial use and live chat. The free trial lasts ${TRIAL_DAYS} days, once per user. For more connections, write to <a href="mailto:${supportEmail}">${supportEmail}</a>.</p>`,
      },
      {
        id: 'counting',
        heading: 'What is counted',
        text: html`<p>The service counts the events it sends you, by kind, per billing period, in UTC. It never counts blocks and answers. When the swaps of your plan are used up, the swap subscription ends with a sentence that says so. A new one is refused with <a href="/docs/errors/plan-used-up">PLAN_USED_UP</a>. The connection and its other streams stay open.</p>
<p>All lists of a filter count together, including those of <code>exclude</code>.</p>`,
      },
      {
        id: 'everyone',
        heading: 'Limits for everyone',
        text: table(
          ['What', 'Limit', 'Above it'],
          [
            ['Size of a frame you send', WORDS.frame, html`<a href="/docs/errors/too-big">1009</a>`],
            [
              'Members, lists and objects in a frame; values',
              `${LIMITS.frameMaxMembers}; ${WORDS.values}`,
              html`<a href="/docs/errors/too-many-members">-32600</a>`,
            ],
            [
              'Fragments of a frame',
              WORDS.fragments,
              html`<a href="/docs/errors/too-many-fragments">1008</a>`,
            ],
            [
              'Requests per account',
              `${LIMITS.requestsPerSecond} a second, burst of ${LIMITS.requestsBurst}; ${WORDS.requestBytes} a second, burst of ${WORDS.requestBytesBurst}`,
              html`<a href="/docs/errors/too-many-requests">-32029</a>`,
            ],
            [
              'New connections per key',
              `${LIMITS.connectsPerSecondPerKey} a second, burst of ${LIMITS.connectsBurstPerKey}`,
              'HTTP 429',
            ],
            ['Silence', `${WORDS.idle} seconds`, html`<a href="/docs/errors/idle">1001</a>`],
            [
              'Unread data',
              `${WORDS.outbox}, less if the service is short of memory`,
              html`<a href="/docs/errors/slow-consumer">4008</a>`,
            ],
            [
              'Subscriptions per connection',
              'one of each kind',
              html`<a href="/docs/errors/already-subscribed">-32010</a>`,
            ],
          ],
        ),
      },
    ],
  }
}
