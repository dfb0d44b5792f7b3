// biome-ignore-all lint/a11y/useSemanticElements: groups of toggles and scrollable text, not form fieldsets
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react'
import { Badge } from '../../../components/badge.tsx'
import { Button } from '../../../components/button.tsx'
import { CopyButton } from '../../../components/copy-button.tsx'
import { copyText } from '../../../components/copy-text.ts'
import { feed, useFeed } from '../feed/feed.ts'
import type { Row } from '../feed/row.ts'
import { figures } from '../figures.ts'
import { ExplorerLink } from './explorer-link.tsx'
import { prettyJson } from './pretty-json.ts'

/** The frame of one row, at the right edge of the stream: formatted, or unchanged. */
export default function JsonPopup() {
  const row = useFeed('openRow')
  return row ? <OpenPopup row={row} /> : null
}

function OpenPopup({ row }: { row: Row }) {
  const [isRaw, setIsRaw] = useState(false)
  const [isWrapped, setIsWrapped] = useState(true)
  const [path, setPath] = useState('')
  const body = useRef<HTMLDivElement>(null)
  const bytes = useMemo(() => new TextEncoder().encode(row.text).length, [row])
  const lines = useMemo(() => prettyJson(row.text), [row])
  const paths = useMemo(() => [...new Set(lines.map((line) => line.path))].filter(Boolean), [lines])

  // biome-ignore lint/correctness/useExhaustiveDependencies: each row begins at its top without a selected field
  useEffect(() => {
    setPath('')
    body.current?.scrollTo(0, 0)
  }, [row])
  useEffect(() => {
    body.current?.focus({ preventScroll: true })
  }, [])

  const close = () => {
    const place = feed.read().rows.indexOf(row)
    feed.open(undefined)
    document.querySelectorAll<HTMLElement>('.event-row')[Math.max(0, place)]?.focus()
  }
  const step = (by: 1 | -1) => {
    const rows = feed.read().rows
    const at = rows.indexOf(row)
    const ahead = by > 0 ? rows.slice(at + 1) : rows.slice(0, Math.max(0, at)).reverse()
    const next = ahead.find(({ text }) => text !== '')
    if (next) feed.open(next)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return
    const isInBody = event.target === body.current
    const act = {
      Escape: close,
      ArrowUp: () => step(-1),
      ArrowDown: () => step(1),
      ArrowLeft: isInBody && !isRaw ? () => choose(-1) : undefined,
      ArrowRight: isInBody && !isRaw ? () => choose(1) : undefined,
    }[event.key]
    if (!act) return
    event.preventDefault()
    event.stopPropagation()
    act()
  }
  const choose = (by: number) => {
    const next = paths[Math.min(paths.length - 1, Math.max(0, paths.indexOf(path) + by))]
    if (next) setPath(next)
  }
  const copyPath = (chosen: string) => {
    setPath(chosen)
    void copyText(chosen, chosen)
  }

  return (
    <dialog className="popup json-popup" open aria-label="Raw JSON" onKeyDown={onKeyDown}>
      <header className="json-head aligned">
        <KindBadge row={row} />
        <h2>Raw JSON</h2>
        <span className="third num json-bytes">{figures.whole(bytes)} bytes</span>
        <div className="json-views" role="group" aria-label="View">
          <button type="button" aria-pressed={!isRaw} onClick={() => setIsRaw(false)}>
            Pretty
          </button>
          <button type="button" aria-pressed={isRaw} onClick={() => setIsRaw(true)}>
            Raw
          </button>
        </div>
        <Button variant="ghost" size="sm" icon="close" aria-label="Close" onClick={close} />
      </header>
      <RowLinks row={row} />
      <div
        className="json-body"
        ref={body}
        tabIndex={0}
        role="group"
        aria-label="JSON"
        data-wrapped={isWrapped}
      >
        {isRaw ? (
          <pre>{row.text}</pre>
        ) : (
          <pre>
            {lines.map((line, index) => (
              // biome-ignore lint/a11y/noStaticElementInteractions: Left, Right and Copy path do the same by keyboard
              // biome-ignore lint/a11y/useKeyWithClickEvents: as above
              <span
                // biome-ignore lint/suspicious/noArrayIndexKey: lines are identified only by their position
                key={index}
                className="json-line"
                style={{ '--depth': line.depth }}
                data-chosen={(line.path !== '' && line.path === path) || undefined}
                title={line.path || undefined}
                onClick={() => document.getSelection()?.isCollapsed && line.path && copyPath(line.path)}
              >
                {'  '.repeat(line.depth)}
                {line.pieces.map((piece, at) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: as above
                  <span key={at} className={`json-${piece.kind}`}>
                    {piece.text}
                  </span>
                ))}
                {'\n'}
              </span>
            ))}
          </pre>
        )}
      </div>
      <footer className="json-foot aligned">
        <CopyButton text={row.text} what="JSON" label="Copy JSON" variant="primary" />
        <Button
          size="sm"
          disabled={path === ''}
          title={path || 'Choose a field'}
          onClick={() => copyPath(path)}
        >
          Copy path
        </Button>
        <Button size="sm" icon="menu" aria-pressed={isWrapped} onClick={() => setIsWrapped(!isWrapped)}>
          Wrap
        </Button>
        <span className="json-steps aligned third">
          <kbd>↑</kbd>
          <kbd>↓</kbd>
          next row
        </span>
      </footer>
    </dialog>
  )
}

function KindBadge({ row: { reading } }: { row: Row }) {
  if (reading.kind === 'pair') return <Badge tone="pair">New pair</Badge>
  if (reading.kind === 'message') return <Badge tone="quiet">Message</Badge>
  return reading.isBuy ? <Badge tone="buy">Buy</Badge> : <Badge tone="sell">Sell</Badge>
}

/** Links for all addresses of the row; the row itself shows fewer at some widths and on phones. */
function RowLinks({ row: { reading } }: { row: Row }) {
  if (reading.kind === 'message') return null
  return (
    <p className="json-links">
      <span data-mint={reading.mint}>
        Token <ExplorerLink kind="token" value={reading.mint} />
      </span>
      {reading.kind === 'swap' ? (
        <span>
          Wallet <ExplorerLink kind="wallet" value={reading.wallet} />
        </span>
      ) : null}
      <span>
        Signature <ExplorerLink kind="signature" value={reading.signature} />
      </span>
    </p>
  )
}

declare module 'react' {
  interface CSSProperties {
    /** Indentation of a line of JSON in levels. */
    '--depth'?: number
  }
}
