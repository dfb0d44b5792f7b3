import { type NewPair, quoteSymbol, type Swap } from '@pairwire/contract'
import { type Html, html } from '../html.ts'

/** A new pair as the console draws it, without motion. Parts carry the path of the field that they show. */
export function pairRow({ baseToken, quoteToken, migration }: NewPair): Html {
  const { name = '?', symbol = '?' } = baseToken.info?.metadata ?? {}
  const field = (path: string) => `params.pair.${path}`
  return row(
    'pair',
    `New pair, Pump.fun, ${name}, ${symbol}`,
    html`
<span class="cell cell-type" data-field="method"><span class="badge badge-pair">${GLYPHS.pair}New pair</span></span>
${exchange(field('sourceExchange'), 'PF', 'Pump.fun')}
<span class="cell cell-token"><b class="pair-name" data-field="${field('baseToken.info.metadata.name')}">${name}</b><span class="third mono pair-symbols" data-field="${field('baseToken.info.metadata.symbol')}">${symbol}/${quoteSymbol(quoteToken.account) ?? '?'}</span>${migration !== null && html`<span class="badge badge-quiet">Migration</span>`}</span>
<span class="cell cell-mint">${address(field('baseToken.account'), baseToken.account)}</span>`,
  )
}

/** A swap, likewise. It lacks the token's name: the address is shown instead, with the price below. */
export function swapRow(swap: Swap): Html {
  const field = (path: string) => `params.swap.${path}`
  const isBuy = swap.swapType === 'buy'
  const usd =
    swap.usdValue?.toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 }) ?? '–'
  return row(
    swap.swapType,
    `${isBuy ? 'Buy' : 'Sell'}, PumpSwap, ${usd} US dollars`,
    html`
<span class="cell cell-type" data-field="${field('swapType')}"><span class="badge badge-${swap.swapType}">${GLYPHS[swap.swapType]}${isBuy ? 'Buy' : 'Sell'}</span></span>
${exchange(field('sourceExchange'), 'PS', 'PumpSwap')}
<span class="cell cell-price num" data-field="${field('quotePrice')}">${swap.quotePrice.slice(0, 10)} <span class="third" data-field="${field('quoteTokenMint')}">${quoteSymbol(swap.quoteTokenMint) ?? ''}</span></span>
<span class="cell cell-usd num"><span data-field="${field('usdValue')}">$${usd}</span></span>
<span class="cell cell-mint">${address(field('baseTokenMint'), swap.baseTokenMint)}</span>
<span class="cell cell-wallet"><span class="third">wallet</span>${address(field('walletAccount'), swap.walletAccount)}</span>`,
  )
}

function row(kind: 'pair' | 'buy' | 'sell', sentence: string, cells: Html): Html {
  return html`<figure class="code"><div class="code-bar"><figcaption>As the console draws it</figcaption></div><div class="row-stage"><div class="event-row event-row-${kind}" role="img" aria-label="${sentence}"><span class="event-side"></span>${cells}<span class="cell-time num" data-field="params.blockTime">now</span></div></div></figure>`
}

function exchange(path: string, letters: string, name: string): Html {
  return html`<span class="cell cell-exchange" data-field="${path}"><span class="exchange-tile exchange-circle">${letters}</span><span class="exchange-name">${name}</span></span>`
}

function address(path: string, text: string): Html {
  return html`<span class="row-link mono" data-field="${path}">${shortened(text)}</span>`
}

/** First five and last five characters, as everywhere in the dashboard. */
function shortened(text: string): string {
  return text.length < 15 ? text : `${text.slice(0, 5)}…${text.slice(-5)}`
}

const glyph = (path: string) =>
  html`<svg class="glyph" viewBox="0 0 10 10" width="10" height="10" aria-hidden="true"><path d="${path}"/></svg>`

const GLYPHS = {
  buy: glyph('M5 1 9.5 9h-9z'),
  sell: glyph('M5 9 .5 1h9z'),
  pair: glyph('M5 0 10 5 5 10 0 5z'),
}
