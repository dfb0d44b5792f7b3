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
    description: 'Catch new Solana tokens as they launch, follow them to their pool, and spot the risks.',
    group: 'Guides',
    lead: html`<p>Catch new Solana tokens as they launch. You end up with a program that prints each new token, its stage and its risks.</p>`,
    leadCode: html`${pairRow(NEW_PAIR_FRAME.params.pair)}${requestFigure('The request', subscribeRequest(1, 'newPairSubscribe', { include_launchpad_tokens: true }))}`,
    sections: [
      {
        id: 'two-births',
        heading: 'A token is born twice',
        text: html`<p>On a launchpad such as pump.fun, a token trades on a bonding curve from its first second: a formula sets the price, and there is no pool yet. Once people have bought enough, the curve is complete, its liquidity moves to a pool, and the token has graduated. So one token can produce two new pairs: first the curve and then, minutes or days later, the pool.</p>
<p><code>newPairSubscribe</code> alone sends pools. With <code>"include_launchpad_tokens": true</code> it sends curves too. There are many more of them, and most never graduate.</p>`,
      },
      {
        id: 'stages',
        heading: 'Tell the stages apart',
        text: html`<p>Two fields are enough:</p>
<ul>
<li><b>Launched</b>: <code>quoteTokenLiquidityAdded</code> is <code>"0"</code>. A curve starts with virtual reserves: nobody has paid anything in yet.</li>
<li><b>Graduated</b>: <code>migration</code> names the launchpad that the token came from.</li>
<li><b>Listed</b>: neither. Someone created a pool directly, and <code>quoteTokenLiquidityAdded</code> is the amount they put in, in raw units of the quote token. For SOL, divide by 10<sup>9</sup>.</li>
</ul>`,
        code: figure('A launch', frameJson(NEW_PAIR_FRAME)),
      },
      {
        id: 'care',
        heading: 'Spot the risks',
        text: html`<ul>
<li><code>mintAuthority</code> is not null: its owner can mint more of the token at any time, which dilutes yours.</li>
<li><code>freezeAuthority</code> is not null: its owner can freeze your tokens.</li>
<li><code>info</code> or <code>metadata</code> is null: nothing is known yet. The token can still be harmful.</li>
<li>A stranger chose the name, the symbol, the logo and the links. People copy well-known names within seconds, and a name can hold characters that reverse or hide the text around it. Tell tokens apart by their mint, and show names as plain text.</li>
</ul>
<p>None of this proves that a token is safe. It only catches some that are not.</p>`,
      },
      {
        id: 'program',
        heading: 'The program',
        text: html`<p>It remembers when each token launched, so that it can print how long the graduation took. Its map only grows. That is fine for an evening; drop old entries if you run it for a month.</p>
<p>It compares times by <code>blockTime</code>, the ledger's clock, so it does not matter how late an event reaches you.</p>
<p>Save it as <code>new-tokens.mjs</code>, put your key into <code>PAIRWIRE_KEY</code>, and run <code>node new-tokens.mjs</code>.</p>`,
        code: codeFigure('new-tokens.mjs', samples('guide-new-tokens.mjs')),
      },
      {
        id: 'next',
        heading: 'Next steps',
        text: html`<p>Subscribe to the swaps of the tokens you found: put the mints into <code>baseTokenMint</code> of one <a href="/docs/swaps">swapSubscribe</a> on the same connection, and change the list with <code>updateSubscriptionParams</code> as tokens appear and die. Then <a href="/docs/guides/token-pricing">price them</a>.</p>`,
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
      'Price any Solana token from its swaps: what one swap tells you, why it is not enough, and how to average over a minute.',
    group: 'Guides',
    lead: html`<p>Price any token from the swap stream. You end up with a program that follows one token and prints its average price over a minute, in US dollars.</p>`,
    leadCode: html`${swapRow(SWAP_FRAME.params.swap)}${requestFigure('The request', subscribeRequest(1, 'swapSubscribe', { include: { baseTokenMint: [SWAP_FRAME.params.swap.baseTokenMint] } }))}`,
    sections: [
      {
        id: 'one-swap',
        heading: 'What one swap tells you',
        text: html`<p><code>quotePrice</code> is the price of one whole token in the quote token. It is a string, so that no digit is lost. Read it with a decimal library if you need every digit.</p>
<p><code>usdValue</code> is the value of the whole swap. To get the dollar price of one token you need the number of tokens traded. <code>baseAmount</code> is in raw units, and a swap does not include the token's decimals. But you know the decimals of the quote token: 9 for SOL, 6 for the dollar coins. So:</p>
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
        text: html`<p><code>usdValue</code> is null when the service had no dollar price for the quote token in the last minute of the ledger's time. Skip such a swap. If your program reads null as 0, it will one day think a token is free.</p>`,
      },
      {
        id: 'not-a-market',
        heading: 'One swap is not a market',
        text: html`<ul>
<li>A tiny swap can have any price: someone sells the dust in a wallet, or moves the price on purpose. Skip swaps below a few dollars, and weigh the rest by size.</li>
<li>The same token trades in several pools. <code>quoteTokenLiquidity</code> is how much of the quote token each one holds after the swap. In a small pool it costs little to move the price.</li>
<li>A route through an aggregator produces one event per pool, all with the same signature. Each is a real trade at that pool's price, so you can count them all.</li>
<li>On a curve a formula sets the price, and each purchase raises it. That does not show that anyone else is interested.</li>
</ul>
<p>An average weighted by volume does most of this at once: divide the dollars paid in the last minute by the tokens sold in it.</p>`,
      },
      {
        id: 'program',
        heading: 'The program',
        text: html`<p>It keeps swaps for 60 seconds of <code>blockTime</code>, the ledger's clock. So if your machine pauses, the window does not empty.</p>
<p>Save it as <code>token-price.mjs</code> and run it with a mint, for example one that the <a href="/docs/guides/new-tokens">first guide</a> printed. If nobody trades the token, it prints nothing.</p>`,
        code: codeFigure('token-price.mjs', samples('guide-token-price.mjs')),
      },
      {
        id: 'more',
        heading: 'Many tokens',
        text: html`<p>One subscription can hold many mints: keep one list of trades per <code>baseTokenMint</code>. Your <a href="/docs/limits">plan</a> sets how many fit into a filter. Without a filter you get every token, if your plan allows it.</p>
<p>Prices are facts about the past. Nothing here is advice; see the <a href="/docs/disclaimer">disclaimer</a>.</p>`,
      },
    ],
  }
}
