import type { ReactNode } from 'react'
import { Icon } from '../../components/icon.tsx'
import './guide-cards.css'

/** The two guides: new tokens, and token pricing. */
export function GuideCards() {
  return (
    <div className="guides">
      <GuideCard
        href="/docs/guides/new-tokens"
        title="New tokens"
        sentence="Catch new Solana tokens as they launch."
        picture={
          <>
            <path className="guide-axis" d="M4 44h80" />
            {/* Launches on a line of time: their moments and heights. */}
            <path className="guide-line" d="M10 44V30m14 14V24m8 20v-9m14 9V26m7 18V20m7 24V32m16 12V28" />
            <path
              className="guide-fill"
              d="M10 25l5 5-5 5-5-5zm14-6l5 5-5 5-5-5zm8 11l5 5-5 5-5-5zm14-9l5 5-5 5-5-5zm7-6l5 5-5 5-5-5zm7 12l5 5-5 5-5-5zm16-4l5 5-5 5-5-5z"
            />
          </>
        }
      />
      <GuideCard
        href="/docs/guides/token-pricing"
        title="Token pricing"
        sentence="Price any token from the swap stream."
        picture={
          <>
            <path className="guide-axis" d="M4 50h80" />
            <path className="guide-price" d="M4 44 15 39l8 4 11-13 9 4 10-14 8 5L71 11l12 5" />
            <circle className="guide-fill" cx="83" cy="16" r="3.5" />
          </>
        }
      />
    </div>
  )
}

type GuideCardProps = { href: string; title: string; sentence: string; picture: ReactNode }

function GuideCard({ href, title, sentence, picture }: GuideCardProps) {
  return (
    <a className="panel guide" href={href} target="_blank" rel="noopener">
      <span className="guide-picture">
        <svg width="88" height="56" viewBox="0 0 88 56" aria-hidden="true" focusable="false">
          {picture}
        </svg>
      </span>
      <span className="guide-text">
        <b>
          {title} <Icon name="external" size={15} />
        </b>
        <span className="second small">{sentence}</span>
      </span>
    </a>
  )
}
