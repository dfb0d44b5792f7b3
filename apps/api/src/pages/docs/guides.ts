import type { CodeSamples } from '../code-samples.ts'
import { html } from '../html.ts'
import { codeFigure, figure, framesFigure, requestFigure } from './code-figure.ts'
import type { DocPage } from './doc-page.ts'
import { pairRow, swapRow } from './event-row.ts'
import { NEW_PAIR_FRAME, SWAP_FRAME, subscribeRequest } from './example-frames.ts'
import { frameJson } from './frame-json.ts'

/** /docs/guides/new-tokens. */
export function newTokensGuide(samples: CodeSamples): DocPage {
  return {
    path: '/docs/guides/new-tokens',
    title: 'New tokens',
    description:
      'Catch new Solana tokens as they launch, follow them to their pool, and see what can go wrong with them.',
    group: 'Guides',
    lead: html`<p>Catch new Solana tokens as they launch. By the end you have a program that prints every token as it appears, says how far along it is, and names what should make you careful.</p>`,
    leadCode: html`${pairRow(NEW_PAIR_FRAME.params.pair)}${requestFigure('The request', subscribeRequest(1, 'newPairSubscribe', { include_launchpad_tokens: true }))}`,
    sections: [
      {
        id: 'two-births',
        heading: 'A token is born twice',
        text: html`<p>On a launchpad such as pump.fun a token trades on a bonding curve from its first second: a formula sets the price, and there is no pool yet. When enough was bought the curve is complete, its liquidity moves to a pool, and the token has graduated. So one token can give two new pairs: the curve, and days or minutes later the pool.</p>
<p><code>newPairSubscribe</code> alone sends pools. With <code>"include_launchpad_tokens": true</code> it sends curves too. Those are many more, and most of them never graduate.</p>`,
      },
      {
        id: 'stages',
        heading: 'Tell the stages apart',
        text: html`<p>Two fields are enough:</p>
<ul>
<li><b>Launched</b>: <code>quoteTokenLiquidityAdded</code> is <code>"0"</code>. A curve's reserves are virtual; nobody has put anything in.</li>
<li><b>Graduated</b>: <code>migration</code> names the launchpad that the token came from.</li>
<li><b>Listed</b>: neither. Somebody made a pool directly, and <code>quoteTokenLiquidityAdded</code> is what they put in, in raw units of the quote: divide by 10<sup>9</sup> for SOL.</li>
</ul>`,
        code: figure('A launch', frameJson(NEW_PAIR_FRAME)),
      },
      {
        id: 'care',
        heading: 'See what can go wrong',
        text: html`<ul>
<li><code>mintAuthority</code> other than null: its owner can make more of the token at will, and yours is worth less.</li>
<li><code>freezeAuthority</code> other than null: its owner can freeze your tokens where they are.</li>
<li><code>info</code> or <code>metadata</code> null: not known yet. That is not the same as harmless.</li>
<li>Names, symbols, logos and links are a stranger's words. Well-known names are copied within seconds, and a name can hold characters that turn or hide the text around it. Tell tokens apart by their mint, and show names as plain text.</li>
</ul>
<p>None of this says that a token is safe. It only finds some that are not.</p>`,
      },
      {
        id: 'program',
        heading: 'The program',
        text: html`<p>It keeps when each token was launched, so that it can say how long a graduation took. A map that grows for ever is fine for an evening; drop old entries before you run it for a month.</p>
<p>Times are compared by <code>blockTime</code>, the ledger's clock, and not by the clock of your machine: then it does not matter how late an event reached you.</p>
<p>Save it as <code>new-tokens.mjs</code>, put your key into <code>PAIRWIRE_KEY</code>, and run <code>node new-tokens.mjs</code>.</p>`,
        code: codeFigure('new-tokens.mjs', samples('guide-new-tokens.mjs')),
      },
      {
        id: 'next',
        heading: 'Where to go from here',
        text: html`<p>Subscribe to the swaps of what you found: put the mints into <code>baseTokenMint</code> of one <a href="/docs/swaps">swapSubscribe</a> on the same connection, and change its list with <code>updateSubscriptionParams</code> as tokens come and go. Then <a href="/docs/guides/token-pricing">price them</a>.</p>`,
        code: framesFigure('One connection, both streams', [
          subscribeRequest(2, 'swapSubscribe', {
            include: { baseTokenMint: [NEW_PAIR_FRAME.params.pair.baseToken.account] },
          }),
        ]),
      },
    ],
  }
}

/** /docs/guides/token-pricing. */
export function tokenPricingGuide(samples: CodeSamples): DocPage {
  return {
    path: '/docs/guides/token-pricing',
    title: 'Token pricing',
    description:
      'Price any Solana token from its swaps: what one swap tells, why it is not enough, and a minute’s average.',
    group: 'Guides',
    lead: html`<p>Price any token from the swap stream. By the end you have a program that follows one token and prints its price in US dollars, averaged over a minute.</p>`,
    leadCode: html`${swapRow(SWAP_FRAME.params.swap)}${requestFigure('The request', subscribeRequest(1, 'swapSubscribe', { include: { baseTokenMint: [SWAP_FRAME.params.swap.baseTokenMint] } }))}`,
    sections: [
      {
        id: 'one-swap',
        heading: 'What one swap tells',
        text: html`<p><code>quotePrice</code> is what was paid for one whole token, in the quote. It is text so that no digit is lost; read it with a decimal library where that counts.</p>
<p><code>usdValue</code> is the worth of the whole swap. For the price of one token in dollars you need to know how many were traded. <code>baseAmount</code> is in raw units, and a swap does not say the token's decimals; but the quote's are known, 9 for SOL and 6 for the dollar coins, so:</p>
<ul>
<li>paid = <code>quoteAmount</code> / 10<sup>decimals of the quote</sup></li>
<li>tokens = paid / <code>quotePrice</code></li>
<li>price = <code>usdValue</code> / tokens</li>
</ul>`,
        code: figure('A swap', frameJson(SWAP_FRAME)),
      },
      {
        id: 'null',
        heading: 'Null is not zero',
        text: html`<p><code>usdValue</code> is null when no dollar price of the quote was known within the last minute of the ledger's time. Leave such a swap out. A program that reads null as 0 will one day believe that a token has become free.</p>`,
      },
      {
        id: 'not-a-market',
        heading: 'One swap is not a market',
        text: html`<ul>
<li>A tiny swap can have any price: someone sold the dust in a wallet, or moved the last digit on purpose. Leave out what is below a few dollars, and weigh the rest by size.</li>
<li>The same token trades in several pools. <code>quoteTokenLiquidity</code> says how deep each one is after the swap; a price in a shallow pool is cheap to make.</li>
<li>A route through an aggregator gives an event a pool, all with one signature. Each is a real trade at that pool's price, so they may all count.</li>
<li>On a curve the price follows a formula and each purchase raises it. That is not a sign of interest from anyone else.</li>
</ul>
<p>An average weighted by volume does most of this at once: dollars paid in the last minute, divided by tokens sold in it.</p>`,
      },
      {
        id: 'program',
        heading: 'The program',
        text: html`<p>The minute is the ledger's: swaps are kept for 60 seconds of <code>blockTime</code>, so a pause of your machine does not empty the window.</p>
<p>Save it as <code>token-price.mjs</code> and run it with a mint, for example one that the <a href="/docs/guides/new-tokens">first guide</a> printed. A token that nobody trades prints nothing.</p>`,
        code: codeFigure('token-price.mjs', samples('guide-token-price.mjs')),
      },
      {
        id: 'more',
        heading: 'Many tokens',
        text: html`<p>One subscription holds many mints: keep a list of trades for each <code>baseTokenMint</code> in place of the single one. How many fit into a filter depends on the <a href="/docs/limits">plan</a>; without a filter every token comes, on plans that allow it.</p>
<p>Prices are facts about the past. Nothing here is advice; see the <a href="/docs/disclaimer">disclaimer</a>.</p>`,
      },
    ],
  }
}
