import { type NewPair, quoteSymbol, type Swap } from '@pairwire/contract'
import { type Html, html } from '../html.ts'

/** A new pair as the console draws it, standing still. Parts carry the path of the field that they show. */
export function pairRow({ baseToken, quoteToken, migration }: NewPair): Html {
  const { name = '?', symbol = '?' } = baseToken.info?.metadata ?? {}
  const field = (path: string) => `params.pair.${path}`
  return row(
    'pair',
    `New pair, Pump.fun, ${name}, ${symbol}`,
    html`
<span class="row-badge" data-field="method">◆ New pair</span>
<span data-field="${field('sourceExchange')}"><i class="row-tile row-round">PF</i> Pump.fun</span>
<span class="row-token" data-field="${field('baseToken.info.metadata.name')}"><b>${name}</b> <span class="row-pair" data-field="${field('baseToken.info.metadata.symbol')}">${symbol}/${quoteSymbol(quoteToken.account) ?? '?'}</span></span>
<span class="row-link" data-field="${field('baseToken.account')}">${shortened(baseToken.account)}</span>
${migration !== null && html`<span>Migration</span>`}`,
  )
}

/** A swap, likewise. */
export function swapRow(swap: Swap): Html {
  const field = (path: string) => `params.swap.${path}`
  const isBuy = swap.swapType === 'buy'
  const usd =
    swap.usdValue?.toLocaleString('en-GB', { minimumFractionDigits: 2, maximumFractionDigits: 2 }) ?? '–'
  return row(
    swap.swapType,
    `${isBuy ? 'Buy' : 'Sell'}, PumpSwap, ${usd} US dollars`,
    html`
<span class="row-badge" data-field="${field('swapType')}">${isBuy ? '▲ Buy' : '▼ Sell'}</span>
<span data-field="${field('sourceExchange')}"><i class="row-tile row-round">PS</i> PumpSwap</span>
<span class="row-price" data-field="${field('quotePrice')}">${swap.quotePrice.slice(0, 10)} <span class="row-quote" data-field="${field('quoteTokenMint')}">${quoteSymbol(swap.quoteTokenMint) ?? ''}</span></span>
<span class="row-usd" data-field="${field('usdValue')}">$${usd}</span>
<span class="row-link" data-field="${field('baseTokenMint')}">${shortened(swap.baseTokenMint)}</span>
<span class="row-link" data-field="${field('walletAccount')}">${shortened(swap.walletAccount)}</span>`,
  )
}

function row(kind: 'pair' | 'buy' | 'sell', sentence: string, cells: Html): Html {
  return html`<figure class="code row-figure"><div class="code-bar"><figcaption>As the console draws it</figcaption></div><div class="row row-${kind}" role="img" aria-label="${sentence}">${cells}</div></figure>`
}

/** First five and last five, as everywhere in the dashboard. */
function shortened(text: string): string {
  return text.length < 15 ? text : `${text.slice(0, 5)}…${text.slice(-5)}`
}
