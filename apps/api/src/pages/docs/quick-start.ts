import { TRIAL_DAYS } from '@pairwire/contract'
import type { CodeSamples } from '../code-samples.ts'
import { html } from '../html.ts'
import { codeFigure, figure, requestFigure, samplesFigure } from './code-figure.ts'
import type { DocPage, DocsSettings } from './doc-page.ts'
import { SWAP_FRAME, subscribed, subscribeRequest } from './example-frames.ts'
import { frameJson } from './frame-json.ts'

/** /docs: from nothing to the first event. */
export function quickStart({ streamUrl }: DocsSettings, samples: CodeSamples): DocPage {
  const request = subscribeRequest(1, 'swapSubscribe', { include: { usdValue: 10_000 } })
  return {
    path: '/docs',
    title: 'Quick start',
    description: 'From an email address to the first live Solana event in three steps.',
    group: 'Start',
    lead: html`<p>Pairwire streams Solana's new pairs and swaps over one websocket, as soon as they are confirmed. Send one text frame to subscribe. Each event then arrives as one text frame of JSON.</p>`,
    leadCode: codeFigure('The stream', streamUrl),
    sections: [
      {
        id: 'key',
        heading: 'Get a key',
        text: html`<ol>
<li><a href="/dashboard/register">Register</a> with your email and open the link in the email. There is no password.</li>
<li>Start the free trial on the <a href="/dashboard/upgrade">plans page</a>: ${TRIAL_DAYS} days, once per user.</li>
<li>Copy the API key from the <a href="/dashboard/account">account page</a> and put it into your environment.</li>
</ol>
<p>All examples read the key from <code>PAIRWIRE_KEY</code>, so your code never holds it.</p>`,
        code: html`<figure class="code"><div class="code-bar"><figcaption>Shell</figcaption><button type="button" class="code-action" id="show-key" hidden aria-pressed="false">Show</button><button type="button" class="code-action" data-copy><span>Copy</span></button></div><pre tabindex="0"><code>export PAIRWIRE_KEY=<span id="own-key">…</span></code></pre></figure>`,
      },
      {
        id: 'first-event',
        heading: 'See the first event',
        text: html`<p>Each of these programs runs as is. It opens the stream, subscribes to swaps of 10,000 US dollars or more, and prints a line for each. These pages remember the language you choose.</p>
<p>The same request works in the <a href="/dashboard/console">Test Console</a> without any code.</p>`,
        code: samplesFigure('Whale swaps', 'whale-swaps', samples),
      },
      {
        id: 'frames',
        heading: 'Request, answer, event',
        text: html`<p>The answer has the <code>id</code> of the request and a <code>subscription_id</code>. Every event of the subscription carries that number.</p>
<p>While the data is simulated, each answer to a subscribe also says <code>"simulated": true</code>.</p>
<p>Read on with <a href="/docs/swaps">swapSubscribe</a>, <a href="/docs/new-pairs">newPairSubscribe</a>, or the <a href="/docs/guides/new-tokens">guide to new tokens</a>.</p>`,
        code: html`${requestFigure('Request', request)}${figure('Answer', frameJson(subscribed(1, 2)))}${figure('Event', frameJson(SWAP_FRAME))}`,
      },
    ],
  }
}
