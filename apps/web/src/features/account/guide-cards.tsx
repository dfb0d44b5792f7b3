import type { ReactNode } from 'react'
import { Icon } from '../../components/icon.tsx'
import './guide-cards.css'

/** Moments of launches on a line, as the picture of the first guide draws them: offset and height. */
const LAUNCHES = [
  [10, 14],
  [24, 20],
  [32, 9],
  [46, 18],
  [53, 24],
  [60, 12],
  [76, 16],
] as const

/** The two guides: new tokens, and token pricing. */
export function GuideCards() {
  return (
    <div className="guides">
      <GuideCard
        href="/docs/guides/new-tokens"
        title="New tokens"
        sentence="Catch new Solana tokens as they launch."
        picture={
          <svg width="88" height="56" viewBox="0 0 88 56" aria-hidden="true" focusable="false">
            <path className="guide-axis" d="M4 44h80" />
            {LAUNCHES.map(([x, height]) => (
              <g key={x}>
                <path className="guide-line" d={`M${x} 44v-${height}`} />
                <path className="guide-fill" d={`M${x} ${39 - height}l5 5-5 5-5-5z`} />
              </g>
            ))}
          </svg>
        }
      />
      <GuideCard
        href="/docs/guides/token-pricing"
        title="Token pricing"
        sentence="Price any token from the swap stream."
        picture={
          <svg width="88" height="56" viewBox="0 0 88 56" aria-hidden="true" focusable="false">
            <path className="guide-axis" d="M4 50h80" />
            <path className="guide-price" d="M4 44 15 39l8 4 11-13 9 4 10-14 8 5L71 11l12 5" />
            <circle className="guide-fill" cx="83" cy="16" r="3.5" />
          </svg>
        }
      />
    </div>
  )
}

type GuideCardProps = { href: string; title: string; sentence: string; picture: ReactNode }

function GuideCard({ href, title, sentence, picture }: GuideCardProps) {
  return (
    <a className="panel guide" href={href} target="_blank" rel="noopener">
      <span className="guide-picture">{picture}</span>
      <span className="guide-text">
        <b>
          {title} <Icon name="external" size={15} />
        </b>
        <span className="second small">{sentence}</span>
      </span>
    </a>
  )
}
