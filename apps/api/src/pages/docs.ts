import { EXCHANGES, PLANS, TRIAL_DAYS, WHALE_USD } from '@pairwire/contract'
import { ERROR_PAGES, type ErrorPage } from './error-pages.ts'
import { type Html, html } from './html.ts'

/** What the documentation says differently on each deployment. */
export type DocsSettings = Readonly<{ streamUrl: string; publicUrl: string; supportEmail: string }>

/** /docs: from the key to the first event, then every method, message and limit, on one page. */
export function docsPage({ streamUrl, publicUrl, supportEmail }: DocsSettings): Html {
  const stream = streamUrl.replace(/\/$/, '')

  return html`<div class="columns">
<nav class="contents" aria-label="Contents"><ul>
<li><a href="#quick-start">Quick start</a></li>
<li><a href="#keys">Keys and connections</a></li>
<li><a href="#requests">Requests</a></li>
<li><a href="#new-pairs">newPairSubscribe</a></li>
<li><a href="#swaps">swapSubscribe</a></li>
<li><a href="#blocks">latestBlockSubscribe</a></li>
<li><a href="#errors">Messages and errors</a></li>
<li><a href="#limits">Limits by plan</a></li>
<li><a href="#http">HTTP API</a></li>
</ul></nav>
<article>
<h1>Docs</h1>
<p class="lead">Pairwire streams Solana's new pairs and swaps over one websocket, as they are confirmed.</p>

<h2 id="quick-start">Quick start</h2>
<ol>
<li><a href="/dashboard/register">Register</a> with your email and open the link that you get.</li>
<li>Start the free trial: ${TRIAL_DAYS} days, once per user.</li>
<li>Copy your API key from the <a href="/dashboard/account">account page</a>, then run this:</li>
</ol>
${code(
  'Shell',
  `export PAIRWIRE_KEY=…
npx wscat -c "${stream}/?key=$PAIRWIRE_KEY" -w 60 \\
  -x '{"id":1,"method":"newPairSubscribe","params":{"include_launchpad_tokens":true}}'`,
)}
${code(
  'Node 22 or newer, without any package',
  `import { env } from 'node:process'

const stream = new WebSocket(\`${stream}/?key=\${env.PAIRWIRE_KEY}\`)
const params = { include: { usdValue: ${WHALE_USD} } }

stream.onopen = () => {
  stream.send(JSON.stringify({ id: 1, method: 'swapSubscribe', params }))
}
stream.onmessage = ({ data }) => {
  const { method, params } = JSON.parse(data)
  if (method !== 'swapNotification') return
  console.log(params.swap.swapType, params.swap.usdValue, params.signature)
}
stream.onclose = ({ code, reason }) => console.log(code, reason)`,
)}

<h2 id="keys">Keys and connections</h2>
<p>The key is 32 hexadecimal characters. Send it as the header <code>X-API-KEY</code>, or as <code>?key=</code> where headers cannot be set. Reset Key ends connections of the old key at once.</p>
<p>A plan allows a number of connections; a new one beyond it is refused. The server pings every 20 seconds; who sends nothing for 60 seconds, not even a pong, is closed. A refused connection gets 401 (no such key), 403 (no active plan) or 429 (rate or connection limit).</p>

<h2 id="requests">Requests</h2>
<p>A request is one text frame with one JSON object. It has exactly one answer, with the same <code>id</code>.</p>
${code(
  'Request and answer',
  `{"jsonrpc":"2.0","id":1,"method":"swapSubscribe","params":{"include":{"usdValue":${WHALE_USD}}}}
{"jsonrpc":"2.0","id":1,"result":{"subscription_id":1}}`,
)}
${table(
  ['Method', 'Params', 'Does'],
  [
    ['newPairSubscribe', 'include_launchpad_tokens (optional)', 'Streams new pairs'],
    ['swapSubscribe', 'include (optional on most plans)', 'Streams swaps'],
    ['latestBlockSubscribe', 'none', 'Streams the newest block'],
    ['newPairUnsubscribe, swapUnsubscribe, latestBlockUnsubscribe', 'subscription_id', 'Ends a subscription'],
    ['updateSubscriptionParams', 'subscription_id, params', 'Swaps the filter between two events'],
    ['ping, heartbeat', 'none', 'Answers "pong"'],
  ],
)}
<p>One subscription of each kind on a connection. A frame holds at most 256 KiB; 20 requests a second are taken, after a burst of 100.</p>

<h2 id="new-pairs">newPairSubscribe</h2>
<p>Pairs that appear on an exchange for the first time: ${list(EXCHANGES)}. With <code>include_launchpad_tokens</code> also tokens that still trade on a launchpad's curve.</p>
${table(
  ['Field of params.pair', 'Type', 'Meaning'],
  [
    ['sourceExchange', 'string', 'Where the pair trades; the list grows'],
    ['ammAccount', 'base58', 'The pool, or the curve on a launchpad'],
    [
      'baseToken, quoteToken',
      'object',
      'account, and info with decimals, supply, metadata and authorities; info is null for wrapped SOL',
    ],
    [
      'baseTokenLiquidityAdded, quoteTokenLiquidityAdded',
      'string',
      'Raw units put into the pool at its creation',
    ],
    ['migration', 'string or null', 'The launchpad from which the token graduated'],
  ],
)}

<h2 id="swaps">swapSubscribe</h2>
<p>One event for each pool that a transaction trades in. Without <code>include</code>, all swaps. Within it, <code>ammAccount</code>, <code>walletAccount</code> and <code>baseTokenMint</code> are lists of addresses and <code>usdValue</code> is a least value; an event that meets any of them is sent.</p>
${code('A filter', `{"id":2,"method":"swapSubscribe","params":{"include":{"baseTokenMint":["<mint>"],"usdValue":${WHALE_USD}}}}`)}
${table(
  ['Field of params.swap', 'Type', 'Meaning'],
  [
    ['sourceExchange, ammAccount', 'string', 'As for new pairs'],
    ['baseTokenMint, quoteTokenMint', 'base58', 'The token traded, and what it is priced in'],
    ['walletAccount', 'base58', 'Who traded'],
    ['swapType', '"buy" or "sell"', 'Of the base token, seen from the wallet'],
    ['quotePrice', 'string', 'Quote for one base, decimals applied'],
    ['usdValue', 'number or null', 'Worth of the swap in US dollars; null when no price is known'],
    ['baseAmount, quoteAmount', 'string', 'Raw units that went into or out of the pool'],
    ['quoteTokenLiquidity', 'string', 'Raw units of the quote left in the pool; empty when not known'],
  ],
)}

<h2 id="blocks">latestBlockSubscribe</h2>
<p>One notification for each block, with <code>block</code> (the slot) and <code>blockTime</code> (Unix seconds). Never counted.</p>

<h2 id="errors">Messages and errors</h2>
<p>A request that fails is answered by its <code>id</code> with a code and the address of a page here. What cannot be answered by id comes as <code>{"method":"requestFailed"}</code>.</p>
<h3>Errors of requests</h3>
${errorTable('stream', ['Code', 'errorType', 'What happened'])}
<h3>Close codes</h3>
<p>Each subscription gets a last frame, <code>{"subscription_id":1,"method":"subscriptionClosed","reason":"…"}</code>, then the connection is closed.</p>
${errorTable('close', ['Code', 'Reason', 'What happened', 'Connect again?'])}

<h2 id="limits">Limits by plan</h2>
${table(
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
<p>More connections: write to <a href="mailto:${supportEmail}">${supportEmail}</a>.</p>

<h2 id="http">HTTP API</h2>
<p>The dashboard uses the calls below <code>${publicUrl}/api</code>. They answer JSON; a failed one has <code>errorType</code> and <code>errorMessage</code>.</p>
${errorTable('http', ['Status', 'errorType', 'What happened'])}
</article>
</div>`
}

/** /docs/errors: all of them. */
export function errorsPage(): Html {
  return html`<article>
<p class="quiet"><a href="/docs">Docs</a></p>
<h1>Errors</h1>
<h2>Errors of requests</h2>${errorTable('stream', ['Code', 'errorType', 'What happened'])}
<h2>Close codes</h2>${errorTable('close', ['Code', 'Reason', 'What happened', 'Connect again?'])}
<h2>HTTP API</h2>${errorTable('http', ['Status', 'errorType', 'What happened'])}
</article>`
}

/** /docs/errors/<name>: what happened and what to do. */
export function errorPage(page: ErrorPage): Html {
  const kinds = { stream: 'Error code', close: 'Close code', http: 'HTTP status' }

  return html`<article>
<p class="quiet"><a href="/docs">Docs</a> / <a href="/docs/errors">Errors</a></p>
<h1>${page.title}</h1>
<dl class="facts">
<div><dt>${kinds[page.kind]}</dt><dd><code>${page.code}</code></dd></div>
${page.sentence !== undefined && html`<div><dt>Message</dt><dd>${page.sentence}</dd></div>`}
${page.comeBack !== undefined && html`<div><dt>Connect again?</dt><dd>${comeBackWords(page.comeBack)}</dd></div>`}
</dl>
<h2>What happened</h2><p>${page.happened}</p>
<h2>What to do</h2><p>${page.remedy}</p>
</article>`
}

function errorTable(kind: ErrorPage['kind'], heads: readonly string[]): Html {
  return table(
    heads,
    ERROR_PAGES.filter((page) => page.kind === kind).map((page) => [
      html`<code>${page.code}</code>`,
      html`<a href="/docs/errors/${page.name}">${page.title}</a>`,
      page.happened,
      ...(page.comeBack === undefined ? [] : [comeBackWords(page.comeBack)]),
    ]),
  )
}

function comeBackWords(comeBack: boolean): string {
  return comeBack ? 'Yes, by itself' : 'No, not by itself'
}

function table(heads: readonly string[], rows: readonly (readonly (Html | string)[])[]): Html {
  return html`<div class="table" role="region" aria-label="${heads.join(', ')}" tabindex="0"><table>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody>
</table></div>`
}

function code(label: string, text: string): Html {
  return html`<figure class="code"><figcaption>${label}</figcaption><pre tabindex="0"><code>${text}</code></pre></figure>`
}

function list(words: readonly string[]): Html {
  return html`${words.map((word, index) => html`${index > 0 && ', '}<code>${word}</code>`)}`
}
