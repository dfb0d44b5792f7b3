import { useEffect, useRef, useState } from 'react'
import { formatCount } from '../../../locale/locale.ts'
import { cleanName } from '../feed/clean-name.ts'
import { feed, useFeed } from '../feed/feed.ts'
import { shorten } from '../feed/shorten.ts'
import { faceSymbol } from '../feed/token-face.ts'
import type { ActiveToken } from '../feed/worker-messages.ts'
import { figures } from '../figures.ts'
import { TokenAvatar } from './token-avatar.tsx'
import { useTokenFace } from './use-token-face.ts'
import './active-tokens.css'

/**
 * The five busiest tokens of the last minute; pressing one filters the rows to it, pressing it again shows all. They
 * hold still while the pointer or the focus is on them.
 */
export function ActiveTokens() {
  const list = useRef<HTMLDivElement>(null)
  const [tokens, setTokens] = useState(feed.read().tokens)
  const { text } = useFeed('filter')

  useEffect(() => {
    const show = () => {
      for (const { mint } of feed.read().tokens) feed.names.want(mint)
      if (!list.current?.matches(':hover, :focus-within')) setTokens(feed.read().tokens)
    }
    show()
    return feed.watch(['tokens'], show)
  }, [])

  return (
    <section className="active-tokens" aria-label="Active tokens">
      <h2 className="request-label">
        Active tokens <span className="third">last 60 s</span>
      </h2>
      <div ref={list}>
        {tokens.length === 0 ? <p className="third small">None yet.</p> : null}
        {tokens.map((token) => {
          const term = `"${token.mint}"`
          const isChosen = text === term
          return (
            <button
              key={token.mint}
              type="button"
              className="active-token"
              aria-pressed={isChosen}
              title={token.mint}
              onClick={() => feed.choose(isChosen ? { kind: 'all', text: '' } : { kind: 'all', text: term })}
            >
              <Face token={token} />
            </button>
          )
        })}
      </div>
    </section>
  )
}

function Face({ token }: { token: ActiveToken }) {
  const { mint, buys, sells, prices } = token
  const face = useTokenFace(mint)
  const symbol = cleanName(token.symbol) || faceSymbol(face)
  const change = changeOf(prices)
  return (
    <>
      <TokenAvatar name={symbol} mint={mint} logo={face?.logo ?? ''} />
      <span className="active-name">
        <bdi>{symbol || shorten(mint)}</bdi>
      </span>
      <svg className="sparkline" width="40" height="16" viewBox="0 0 40 16" aria-hidden="true">
        <polyline points={line(prices)} />
      </svg>
      <span className="active-change num">{change === undefined ? '–' : figures.change(change)}</span>
      <svg className="split-bar" width="28" height="6" viewBox="0 0 28 6" aria-hidden="true">
        <rect className="split-buy" width={(28 * buys) / (buys + sells)} height="6" />
        <line
          className="split-sell"
          x1={(28 * buys) / (buys + sells) + (buys > 0 ? 1 : 0)}
          x2="28"
          y1="3"
          y2="3"
        />
      </svg>
      <span className="active-count num">
        {figures.whole(buys + sells)}
        <span className="unseen">
          {' '}
          {buys + sells === 1 ? 'swap' : 'swaps'}, {formatCount(buys, 'buy')}, {formatCount(sells, 'sell')}
        </span>
      </span>
    </>
  )
}

/** Returns the change from the first to the last price, as a share; `undefined` with fewer than two. */
function changeOf(prices: readonly number[]): number | undefined {
  return prices.length < 2 ? undefined : prices[prices.length - 1]! / prices[0]! - 1
}

/** Draws the prices from edge to edge, the lowest at the bottom. */
function line(prices: readonly number[]): string {
  const low = Math.min(...prices)
  const range = Math.max(...prices) - low
  return prices
    .map((price, index) => {
      const x = 1 + (38 * index) / Math.max(1, prices.length - 1)
      const y = range === 0 ? 8 : 14 - (12 * (price - low)) / range
      return `${x.toFixed(1)},${y.toFixed(1)}`
    })
    .join(' ')
}
