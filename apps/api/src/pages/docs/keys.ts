import { CLOSE_REASONS, STREAM_LIMITS as LIMITS, STREAM_LIMIT_WORDS as WORDS } from '@pairwire/contract'
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
      'How to send the API key, how many connections a plan allows, and when a connection is refused or closed.',
    group: 'Start',
    lead: html`<p>A connection is a websocket to <code>${streamUrl}</code> with an API key: 32 lower-case hexadecimal characters.</p>`,
    leadCode: samplesFigure('Open a connection', 'all-swaps', samples),
    sections: [
      {
        id: 'send-the-key',
        heading: 'Send the key',
        text: html`<p>Send it in the header <code>X-API-KEY</code>. If you cannot set headers, as in a browser, send it as <code>key</code> in the URL. Prefer the header, because many programs log URLs. This service logs neither.</p>
<p>Programs written for other services may use <code>apiKey</code>, <code>api_key</code> or <code>api-key</code> in the URL.</p>
<p><b>Reset Key</b> on the account page closes all connections of the old key at once. <b>Disconnect All</b> closes them and keeps the key.</p>`,
        code: codeFigure(
          'The same key, two ways',
          `GET / HTTP/1.1\nUpgrade: websocket\nX-API-KEY: <key>\n\n${streamUrl}?key=<key>`,
        ),
      },
      {
        id: 'limit',
        heading: 'How many connections',
        text: html`<p>Every plan allows a number of open connections, usually one. If you exceed the limit, the server pings your other connections. It closes any that does not answer within two seconds, so a dropped network does not lock you out. If all of them answer, it refuses the new one. A connection can have one stream of each kind, with as many tokens and wallets in the filter as your <a href="/docs/limits">plan</a> allows.</p>
<p>A key can open one new connection a second, with bursts of ${LIMITS.connectsBurstPerKey}.</p>`,
      },
      {
        id: 'alive',
        heading: 'Staying alive',
        text: html`<p>The server pings every ${WORDS.ping} seconds, and more often on a busy connection. Websocket libraries answer automatically. The server closes a connection that sends nothing for ${WORDS.idle} s.</p>
<p>If your library hides pings, send <code>ping</code> or <code>heartbeat</code> as a request. You get an answer if it has an <code>id</code>.</p>`,
        code: framesFigure('Ping as a request', [
          { jsonrpc: '2.0', id: 7, method: 'ping' },
          { jsonrpc: '2.0', id: 7, result: 'pong' },
        ]),
      },
      {
        id: 'refused',
        heading: 'When a connection is refused',
        text: html`<p>The upgrade is answered with one of these statuses and a sentence in the body. The <code>Link</code> header points to the page that explains it. Browsers hide such an answer from scripts, so the server accepts a browser and closes the connection at once with the close code in the second column.</p>
${table(
  ['Status', 'In browsers', 'Why'],
  [
    ['401', html`<a href="/docs/errors/key-unknown">4001</a>`, 'No key, or an unknown one'],
    ['403', html`<a href="/docs/errors/no-plan">4003</a>`, 'The account has no active plan'],
    ['429', html`<a href="/docs/errors/connection-limit">4029</a>`, 'All connections of the plan are in use'],
    ['429', '–', 'Too many new connections from one key or address'],
    ['400', '–', 'Not a websocket handshake, for example over HTTP/1.0'],
    ['404', '–', 'Wrong path'],
    ['426', '–', 'A version of the websocket protocol other than 13'],
    ['503', '–', 'The service is starting or stopping, or cannot check keys'],
  ],
)}`,
      },
      {
        id: 'closed',
        heading: 'When a connection is closed',
        text: html`<p>The server first sends what is queued for you, for up to ${WORDS.drain} seconds while you read. Each subscription gets a last frame with the reason. Then the server closes the connection with a code. The page for the code says whether to reconnect; see <a href="/docs/errors#close">errors and close codes</a>.</p>
<p>After 1001, reconnect after a short random delay and <a href="/docs/cursors#resume">resume</a> from the cursor in the last frame. After 4001 and 4003, don’t reconnect: fix the key or the plan first.</p>`,
        code: framesFigure('Last frame before 1001', [
          {
            subscription_id: 1,
            method: 'subscriptionClosed',
            reason: `${CLOSE_REASONS.restart.sentence} resume_from: ${SWAP_FRAME.cursor}`,
          },
        ]),
      },
    ],
  }
}
