// biome-ignore-all lint/a11y/useSemanticElements: a table element's own layout costs more than a hundred rows of one height may
// biome-ignore-all lint/a11y/useFocusableInteractive: cells contain links and a button, and take no focus themselves
import { quoteSymbol } from '@pairwire/contract/mints'
import { WHALE_USD } from '@pairwire/contract/plans'
import { memo, useState } from 'react'
import { Badge } from '../../../components/badge.tsx'
import { Icon } from '../../../components/icon.tsx'
import { relativeTime } from '../../../locale/relative-time.ts'
import { cleanName } from '../feed/clean-name.ts'
import type { MessageReading, PairReading, SwapReading } from '../feed/read-event.ts'
import type { Row } from '../feed/row.ts'
import { matchedParts } from '../feed/row-filter.ts'
import { useSecond } from '../feed/second.ts'
import { shorten } from '../feed/shorten.ts'
import { figures } from '../figures.ts'
import { TokenAvatar } from '../tokens/token-avatar.tsx'
import { useTokenFace, withFace } from '../tokens/use-token-face.ts'
import { exchangeFace } from './exchange-face.ts'
import { ExplorerLink } from './explorer-link.tsx'
import { Price } from './price.tsx'
import { rawJsonName, rowSentence, rowTime, tokenName } from './row-sentence.ts'

type EventRowProps = {
  /** Empty until the position was seen. */
  row: Row | undefined
  /** The filter's text. */
  filterText: string
  /** Whether Tab reaches this row. */
  isActive: boolean
  isOpen: boolean
  /** Whether it is out of sight and outdated. */
  isOut: boolean
  /** Whether it has the phone's form: parts that form never shows are not created. */
  isNarrow: boolean
}

/**
 * One line of the list. It is keyed by position, not by event: at thousands of events a second the same hundred rows
 * are refilled instead of recreated.
 */
export const EventRow = memo(function EventRow({
  row: bare,
  filterText,
  isActive,
  isOpen,
  isOut,
  isNarrow,
}: EventRowProps) {
  // A row is read out as it is when the focus comes, however long ago it was drawn.
  const [, redraw] = useState(0)
  const face = useTokenFace(!bare || bare.reading.kind === 'message' ? '' : bare.reading.mint)
  if (!bare) return <div className="event-row event-row-out" tabIndex={-1} aria-hidden />
  const row = withFace(bare, face)
  const { reading } = row
  const tabIndex = isActive ? 0 : -1
  const kind = reading.kind === 'swap' ? (reading.isBuy ? 'buy' : 'sell') : reading.kind
  const isEarly = reading.kind !== 'message' && reading.isEarly
  const matched = matchedParts(row, filterText).join(' ')
  const states = `${isEarly ? ' row-early' : ''}${row.isTakenBack ? ' row-gone' : ''}`
  return (
    <div
      className={`event-row event-row-${kind}${states}${isOut ? ' event-row-out' : ''}`}
      role="row"
      tabIndex={tabIndex}
      aria-label={rowSentence(row, Date.now()) + (matched && `, matches ${matched.replaceAll(' ', ' and ')}`)}
      aria-hidden={isOut || undefined}
      data-open={isOpen || undefined}
      data-row={row.id}
      onFocus={() => redraw(Date.now())}
      data-matched={matched || undefined}
    >
      {reading.kind === 'swap' ? (
        <SwapCells row={row} reading={reading} logo={face?.logo} tabIndex={tabIndex} isNarrow={isNarrow} />
      ) : null}
      {reading.kind === 'pair' ? (
        <PairCells row={row} reading={reading} tabIndex={tabIndex} isNarrow={isNarrow} />
      ) : null}
      {reading.kind === 'message' ? <MessageCells reading={reading} /> : null}
      <span role="cell" className="cell-time num">
        <Ago at={rowTime(row)} isOut={isOut} />
      </span>
      <span role="cell" className="cell-raw">
        {row.text === '' ? null : (
          <button
            type="button"
            className="raw-button"
            data-raw={row.id}
            tabIndex={tabIndex}
            aria-label={rawJsonName(row)}
            aria-haspopup="dialog"
          >
            {isNarrow ? null : <Icon name="braces" size={15} />}
          </button>
        )}
      </span>
    </div>
  )
})

type CellsProps<Reading> = { row: Row; reading: Reading; tabIndex: number; isNarrow: boolean }

function SwapCells({
  row,
  reading,
  logo = '',
  tabIndex,
  isNarrow,
}: CellsProps<SwapReading> & { logo: string | undefined }) {
  return (
    <>
      <span className="event-side" />
      <span role="cell" className="cell cell-type">
        {reading.isBuy ? <Badge tone="buy">Buy</Badge> : <Badge tone="sell">Sell</Badge>}
      </span>
      <ExchangeCell exchange={reading.exchange} mint={reading.mint} />
      <span role="cell" className="cell cell-price num" title={reading.price}>
        <Price price={reading.price} />
        <span className="third">{quoteSymbol(reading.quoteMint) ?? ''}</span>
      </span>
      <UsdCell usd={reading.usd} isNarrow={isNarrow} />
      <span role="cell" className="cell cell-mint" data-mint={reading.mint}>
        <TokenAvatar name={row.symbol} mint={reading.mint} logo={logo} />
        <ExplorerLink kind="token" value={reading.mint} label={cleanName(row.symbol)} tabIndex={tabIndex} />
      </span>
      {isNarrow ? null : (
        <span role="cell" className="cell cell-wallet">
          <span className="third">wallet</span>
          <ExplorerLink kind="wallet" value={reading.wallet} tabIndex={tabIndex} />
        </span>
      )}
    </>
  )
}

function PairCells({ row, reading, tabIndex, isNarrow }: CellsProps<PairReading>) {
  const symbol = cleanName(reading.symbol)
  const quote = quoteSymbol(reading.quoteMint) ?? shorten(reading.quoteMint)
  return (
    <>
      <span className="event-side" />
      <span role="cell" className="cell cell-type">
        <Badge tone="pair">New pair</Badge>
      </span>
      <ExchangeCell exchange={reading.exchange} mint={reading.mint} />
      <span role="cell" className="cell cell-token" data-mint={reading.mint}>
        <TokenAvatar name={symbol || reading.name} mint={reading.mint} logo={reading.logo} />
        <b className="pair-name" dir="auto">
          {tokenName(row)}
        </b>
        <span className="third mono pair-symbols">
          <bdi>{symbol || '?'}</bdi>/{quote || '?'}
        </span>
        {reading.isMigration ? <Badge tone="quiet">Migration</Badge> : null}
      </span>
      <span role="cell" className="cell cell-mint">
        <ExplorerLink kind="token" value={reading.mint} tabIndex={tabIndex} />
      </span>
      {isNarrow ? null : (
        <span role="cell" className="cell cell-wallet">
          <span className="third">sig</span>
          <ExplorerLink kind="signature" value={reading.signature} tabIndex={tabIndex} />
        </span>
      )}
    </>
  )
}

function MessageCells({ reading }: { reading: MessageReading }) {
  const icon = MESSAGE_ICONS[reading.tone]
  return (
    <span role="cell" className={`cell cell-message mono message-${reading.tone}`} title={reading.detail}>
      <Icon name={icon} size={15} />
      <span className="message-words">{reading.words}</span>
      {reading.detail ? <span className="message-detail">{reading.detail}</span> : null}
    </span>
  )
}

const MESSAGE_ICONS = { result: 'check', error: 'warning', gap: 'warning', notice: 'info' } as const

function ExchangeCell({ exchange, mint }: { exchange: string; mint: string }) {
  const { name, letters, outline } = exchangeFace(exchange, mint)
  return (
    <span role="cell" className="cell cell-exchange" title={name}>
      <span className={`exchange-tile exchange-${outline}`} aria-hidden="true">
        {letters}
      </span>
      <span className="exchange-name">{cleanName(name)}</span>
    </span>
  )
}

function UsdCell({ usd, isNarrow }: { usd: number | null; isNarrow: boolean }) {
  if (usd === null) {
    return (
      <span role="cell" className="cell cell-usd num third" title="USD value unknown">
        –
      </span>
    )
  }
  const share = Math.min(1, Math.max(0, Math.log(usd) / Math.log(LONGEST_BAR_USD)))
  return (
    <span role="cell" className="cell cell-usd num" title={`${usd} USD`}>
      <span className={usd >= WHALE_USD ? 'whale' : undefined}>{figures.usd(usd)}</span>
      {isNarrow ? null : <i className="usd-bar" style={{ width: Math.round(share * FULL_BAR) }} />}
    </span>
  )
}

/** CSS pixels of a full bar. */
const FULL_BAR = 92
/** US dollars of a full bar under a value; it begins at 1 USD, on a logarithmic scale. */
const LONGEST_BAR_USD = 20_000

function Ago({ at, isOut }: { at: number; isOut: boolean }) {
  const now = useSecond(isOut)
  return <>{relativeTime(at, now)}</>
}
