import type { CodeSamples } from '../code-samples.ts'
import { html } from '../html.ts'
import { codeFigure, framesFigure, samplesFigure } from './code-figure.ts'
import type { DocPage, DocsSettings } from './doc-page.ts'
import { SWAP_FRAME } from './example-frames.ts'
import { table } from './fields.ts'

/** /docs/keys: how a connection is opened, kept and ended. */
export function keysPage({ streamUrl }: DocsSettings, samples: CodeSamples): DocPage {
  return {
    path: '/docs/keys',
    title: 'Keys and connections',
    description:
      'How to send the API key, how many connections a plan allows, and when one is refused or closed.',
    group: 'Start',
    lead: html`<p>A connection is a websocket to <code>${streamUrl}</code> with an API key: 32 hexadecimal characters in lower case.</p>`,
    leadCode: samplesFigure('Open a connection', 'all-swaps', samples),
    sections: [
      {
        id: 'send-the-key',
        heading: 'Send the key',
        text: html`<p>Send it as the header <code>X-API-KEY</code>, or where headers cannot be set, as in browsers, as <code>key</code> in the address. The header is better: addresses end up in logs. This service logs neither.</p>
<p>For programs that were written for other services, <code>apiKey</code>, <code>api_key</code> and <code>api-key</code> in the address work too.</p>
<p><b>Reset Key</b> on the account page ends the connections of the old key at once. <b>Disconnect All</b> ends them and keeps the key.</p>`,
        code: codeFigure(
          'The same key, two ways',
          `GET / HTTP/1.1\nUpgrade: websocket\nX-API-KEY: <key>\n\n${streamUrl}?key=<key>`,
        ),
      },
      {
        id: 'limit',
        heading: 'Connections at a time',
        text: html`<p>Every plan has a number of connections that may be open at a time, mostly one. One more has the server ping the others: a connection that gives no sign of life within two seconds is cut and makes room, so a dropped network does not lock you out; while all live, the new one is refused. Streams share a connection: one of each kind, with as many tokens and wallets in its filter as the <a href="/docs/limits">plan</a> allows.</p>
<p>One key may open a new connection each second, ten in a burst.</p>`,
      },
      {
        id: 'alive',
        heading: 'Staying alive',
        text: html`<p>The server pings every 20 seconds, more often while much is sent, and websocket libraries answer by themselves. Whoever sends nothing at all for 60 seconds, not even a pong, is closed.</p>
<p>Where a library hides pings, send <code>ping</code> or <code>heartbeat</code> as a request; it is answered when it has an <code>id</code>.</p>`,
        code: framesFigure('Ping as a request', [
          { jsonrpc: '2.0', id: 7, method: 'ping' },
          { jsonrpc: '2.0', id: 7, result: 'pong' },
        ]),
      },
      {
        id: 'refused',
        heading: 'When a connection is refused',
        text: html`<p>The answer to the upgrade has one of these statuses and a sentence as its body; its <code>Link</code> header leads to a page here. Browsers hide such an answer, so a browser is let in and closed at once with the close code beside it.</p>
${table(
  ['Status', 'In browsers', 'Why'],
  [
    ['401', html`<a href="/docs/errors/key-unknown">4001</a>`, 'No key, or one that is not known'],
    ['403', html`<a href="/docs/errors/no-plan">4003</a>`, 'The account has no active plan'],
    ['429', html`<a href="/docs/errors/connection-limit">4029</a>`, 'All connections of the plan are in use'],
    ['429', '–', 'Too many new connections from one key or address'],
    ['400', '–', 'No handshake of a websocket, such as one over HTTP/1.0'],
    ['404', '–', 'Not the stream’s path'],
    ['426', '–', 'Another version of the websocket protocol than 13'],
    ['503', '–', 'The service starts, stops, or cannot check keys'],
  ],
)}`,
      },
      {
        id: 'closed',
        heading: 'When a connection is closed',
        text: html`<p>What was queued for you is still sent, as long as you go on reading, for 60 seconds at most. Each subscription gets a last frame that says why. Then the connection is closed with a code; its page says whether to come back. All are under <a href="/docs/errors#close">errors and close codes</a>.</p>
<p>After 1001 connect again by yourself, with a little chance in the delay, and <a href="/docs/cursors#resume">resume</a> from the cursor that the last frame names. After 4001 and 4003 do not: nothing changes until a person does something.</p>`,
        code: framesFigure('Last frame before 1001', [
          {
            subscription_id: 1,
            method: 'subscriptionClosed',
            reason: `The service restarts. Come back in a moment. resume_from: ${SWAP_FRAME.cursor}`,
          },
        ]),
      },
    ],
  }
}
