import { type Html, html } from './html.ts'

/** A page of plain text under /docs, by the last part of its address. */
export const GUIDES: Readonly<Record<string, Readonly<{ title: string; main: Html }>>> = {
  'new-tokens': {
    title: 'New tokens',
    main: guide(
      'New tokens',
      html`<p>Catch new Solana tokens as they launch.</p>
<h2>Curve first, pool later</h2>
<p>On a launchpad such as pump.fun a token trades on a bonding curve from its first second. When enough was bought, the curve completes and its liquidity moves to a pool: the token graduates. So one token can give two new pairs: the curve, and later the pool.</p>
<p><code>newPairSubscribe</code> alone sends pools. With <code>"include_launchpad_tokens": true</code> it sends curves too: many more, and most of them never graduate.</p>
<pre tabindex="0"><code>{"id":1,"method":"newPairSubscribe","params":{"include_launchpad_tokens":true}}</code></pre>
<h2>Tell them apart</h2>
<ul>
<li><code>migration</code> names the launchpad from which a pool's token graduated; null means that someone made the pool directly.</li>
<li><code>quoteTokenLiquidityAdded</code> is what was really put in. For a curve it is "0": its reserves are virtual.</li>
<li><code>baseToken.info.mintAuthority</code> other than null means that more tokens can be made at will; <code>freezeAuthority</code> that yours can be frozen.</li>
</ul>
<h2>Names come from strangers</h2>
<p>Anyone can launch a token under any name and symbol. Tell tokens apart by their mint address, and show names as plain text only.</p>`,
    ),
  },
  'token-pricing': {
    title: 'Token pricing',
    main: guide(
      'Token pricing',
      html`<p>Price any token from the swap stream.</p>
<pre tabindex="0"><code>{"id":1,"method":"swapSubscribe","params":{"include":{"baseTokenMint":["&lt;mint&gt;"]}}}</code></pre>
<h2>From a swap to a price</h2>
<p><code>quotePrice</code> is what was paid in this swap for one whole token, in the quote: mostly wrapped SOL, see <code>quoteTokenMint</code>. It is a string so that no digit is lost; read it with a decimal library where that counts.</p>
<p>In US dollars: <code>usdValue</code> is the worth of the whole swap, so the token's price is <code>usdValue</code> divided by the base amount with its decimals applied. It is null when no dollar price of the quote was known within the last minute. Null is not zero: leave such a swap out.</p>
<h2>One swap is not a market</h2>
<ul>
<li>A tiny swap can have any price. Weigh by <code>usdValue</code>, or leave out what is below a few dollars.</li>
<li>The same token trades in several pools. <code>quoteTokenLiquidity</code> says which of them is deep.</li>
<li>A route through an aggregator gives one event a pool, all with one signature.</li>
</ul>`,
    ),
  },
}

function guide(title: string, body: Html): Html {
  return html`<article><p class="quiet"><a href="/docs">Docs</a></p><h1>${title}</h1>${body}</article>`
}
