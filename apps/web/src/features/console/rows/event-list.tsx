// biome-ignore-all lint/a11y/useSemanticElements: a table element's own layout costs more than a hundred rows of one height may
// biome-ignore-all lint/a11y/useFocusableInteractive: headers without an action take no focus
import { type KeyboardEvent, type MouseEvent, memo, useEffect, useRef, useState } from 'react'
import { copyText } from '../../../components/copy-text.ts'
import { Icon } from '../../../components/icon.tsx'
import { formatCount } from '../../../locale/locale.ts'
import { bucketTest } from '../feed/bucket-term.ts'
import { feed, useFeed } from '../feed/feed.ts'
import { useMedia } from '../use-media.ts'
import { holdWords } from '../words.ts'
import { type DrawnRows, drawRows } from './drawn-rows.ts'
import { EventRow } from './event-row.tsx'
import { density } from './view-settings.ts'
import './event-list.css'

/** The list of the latest events with its column headers, which become a bar while it is held. */
export function EventList() {
  const list = useRef<HTMLDivElement>(null)
  const { rows, shown } = useDrawnRows(list)
  const openRow = useFeed('openRow')
  const { text: filterText } = useFeed('filter')
  const isNarrow = useMedia(NARROW)
  const [active, setActive] = useState(0)
  // Tab must reach a visible row.
  const current = active < shown ? active : 0

  useHoldReasons(list)
  useEffect(() => {
    const want = () => {
      for (const { reading } of feed.read().rows.slice(0, shown)) {
        if (reading.kind !== 'message') feed.names.want(reading.mint)
      }
    }
    want()
    return feed.watch(['rows'], want)
  }, [shown])
  useEffect(
    () =>
      feed.watch(['hold'], () => {
        // Resuming means showing the newest.
        if (!feed.read().hold.isHeld) list.current?.scrollTo({ top: 0 })
      }),
    [],
  )

  const focusRow = (place: number) => {
    const next = Math.min(Math.max(place, 0), rows.length - 1)
    setActive(next)
    list.current?.querySelectorAll<HTMLElement>('.event-row')[next]?.focus()
  }
  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const target = event.target as HTMLElement // keys come from elements
    const page = Math.max(1, Math.floor((list.current?.clientHeight ?? 0) / (target.clientHeight || 34)) - 1)
    const places: Record<string, number> = {
      ArrowUp: current - 1,
      ArrowDown: current + 1,
      PageUp: current - page,
      PageDown: current + page,
      Home: 0,
      End: rows.length - 1,
    }
    const place = places[event.key]
    if (place !== undefined) {
      event.preventDefault()
      focusRow(place)
      return
    }
    // No key of the browser presses a link without an address.
    if (event.key === 'Enter' && target.matches('a:not([href])')) target.click()
    const row = rows[current]
    if (!row || !target.classList.contains('event-row')) return
    if (event.key === 'Enter') {
      event.preventDefault()
      if (row.text !== '') feed.open(row)
    }
    if ((event.key === 't' || event.key === 'T') && row.reading.kind !== 'message') {
      feed.write({ openToken: row.reading.mint })
    }
    if ((event.key === 'c' || event.key === 'C') && row.text !== '') void copyText(row.text, 'JSON')
  }
  const onClick = (event: MouseEvent<HTMLDivElement>) => {
    const pressed = (event.target as HTMLElement).closest<HTMLElement>('[data-raw]') // presses come from elements
    const row = pressed && rows.find((drawn) => String(drawn?.id) === pressed.dataset.raw)
    if (!row) return
    setActive(rows.indexOf(row))
    feed.open(openRow?.id === row.id ? undefined : row)
  }
  const onFocus = (event: { target: EventTarget }) => {
    const row = (event.target as HTMLElement).closest<HTMLElement>('[data-row]') // focus is on elements
    const place = row ? rows.findIndex((drawn) => String(drawn?.id) === row.dataset.row) : -1
    if (place >= 0) setActive(place)
  }

  return (
    <div className="event-area">
      <div className="event-table" role="table" aria-label="Latest events" aria-rowcount={-1}>
        <div className="event-columns" role="row">
          <span />
          <span role="columnheader">Type</span>
          <span role="columnheader">Exchange</span>
          <span role="columnheader" className="head-end head-price">
            Price
          </span>
          <span role="columnheader" className="head-end head-usd">
            USD value
          </span>
          <span role="columnheader">Base token</span>
          <span role="columnheader" className="head-wallet">
            Wallet or signature
          </span>
          <span role="columnheader" className="head-end">
            Time
          </span>
          <span role="columnheader">
            <span className="unseen">Raw JSON</span>
          </span>
        </div>
        <div
          className="event-list"
          ref={list}
          role="rowgroup"
          aria-live="off"
          onKeyDown={onKeyDown}
          onClick={onClick}
          onFocus={onFocus}
        >
          {Array.from({ length: Math.ceil(rows.length / SLICE) }, (_, slice) => (
            <RowSlice
              // biome-ignore lint/suspicious/noArrayIndexKey: rows are drawn by position, see EventRow
              key={slice}
              rows={rows.slice(slice * SLICE, (slice + 1) * SLICE)}
              filterText={filterText}
              current={current - slice * SLICE}
              openId={openRow?.id}
              shown={shown - slice * SLICE}
              isNarrow={isNarrow}
            />
          ))}
        </div>
      </div>
      <HoldBar />
      {rows.length === 0 ? <Empty /> : null}
    </div>
  )
}

type RowSliceProps = {
  rows: DrawnRows['rows']
  filterText: string
  /** Position in the slice of the row that Tab reaches; beyond it if that is in another. */
  current: number
  openId: number | undefined
  /** Positions from the slice's top that are up to date. */
  shown: number
  isNarrow: boolean
}

/** Several rows together: those out of sight only need a check for equality. */
const RowSlice = memo(
  function RowSlice({ rows, filterText, current, openId, shown, isNarrow }: RowSliceProps) {
    return rows.map((row, place) => (
      <EventRow
        // biome-ignore lint/suspicious/noArrayIndexKey: rows are drawn by position, see EventRow
        key={place}
        row={row}
        filterText={filterText}
        isActive={place === current}
        isOpen={row !== undefined && row.id === openId}
        isOut={place >= shown}
        isNarrow={isNarrow}
      />
    ))
  },
  (one, other) =>
    one.filterText === other.filterText &&
    one.current === other.current &&
    one.openId === other.openId &&
    one.shown === other.shown &&
    one.isNarrow === other.isNarrow &&
    one.rows.length === other.rows.length &&
    one.rows.every((row, place) => row === other.rows[place]),
)

function HoldBar() {
  const hold = useFeed('hold')
  const newer = useFeed('newer')
  if (!hold.isHeld) return null
  return (
    <div className="hold-bar aligned">
      <Icon name="pause" size={15} />
      <span>
        {holdWords(hold)} {formatCount(newer, 'new event')}.
      </span>
      <button
        type="button"
        onClick={(event) => {
          event.currentTarget.closest<HTMLElement>('.stream')?.focus()
          feed.resume()
        }}
      >
        Resume
      </button>
    </div>
  )
}

function Empty() {
  const connection = useFeed('connection')
  const { kind, text } = useFeed('filter')
  const kept = useFeed('kept')
  const words =
    kept > 0 && bucketTest(text)
      ? 'The rows of that moment are gone. Press Esc to clear the filter.'
      : kept > 0 && (kind !== 'all' || text !== '')
        ? 'No matching rows. Press Esc to clear the filter.'
        : connection === 'streaming' || connection === 'connecting'
          ? 'Waiting for the first event.'
          : 'No events yet. Press Start.'
  return <p className="event-empty">{words}</p>
}

/** Returns the rows as drawn, see `DrawnRows`. When the list comes to rest, the positions out of sight follow. */
function useDrawnRows(list: { current: HTMLDivElement | null }): DrawnRows {
  const [drawn, setDrawn] = useState(() => drawRows(NONE, feed.read().rows, FIRST_VISIBLE))
  useEffect(() => {
    let visible = FIRST_VISIBLE
    /** Height of a row, once there is one. */
    let height = 0
    let shown = 0
    let frame = 0
    let isSifted = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const show = (upTo: number) => {
      const rows = feed.read().rows
      // When all rows change, no old ones may stay out of sight.
      const kept = isSifted ? NONE : undefined
      shown = upTo
      isSifted = false
      setDrawn((before) => drawRows(kept ?? before, rows, upTo))
    }
    // A few per frame, so that coming to rest is no long task either.
    const settle = () => {
      show(shown + STEP)
      if (shown < feed.read().rows.length) frame = requestAnimationFrame(settle)
    }
    const draw = () => {
      if (height === 0) measure()
      clearTimeout(timer)
      cancelAnimationFrame(frame)
      show(visible)
      const isRunning = feed.read().connection === 'streaming' && !feed.read().hold.isHeld
      if (isRunning) timer = setTimeout(settle, QUIET_MS)
      else settle()
    }
    const measure = () => {
      height = list.current?.querySelector('.event-row')?.clientHeight ?? 0
      visible = Math.ceil((list.current?.clientHeight ?? 0) / (height || LOWEST_ROW))
    }
    const sizes = new ResizeObserver(measure)
    if (list.current) sizes.observe(list.current)
    const endings = [
      feed.watch(['rows', 'hold', 'connection'], draw),
      density.subscribe(measure),
      feed.watch(['filter'], () => {
        isSifted = true
      }),
    ]
    draw()
    return () => {
      clearTimeout(timer)
      cancelAnimationFrame(frame)
      sizes.disconnect()
      for (const end of endings) end()
    }
  }, [list])
  return drawn
}

const NONE: DrawnRows = { rows: [], shown: 0 }
/** As in the style sheet's phone form of a row. */
const NARROW = '(max-width: 29.95rem)'
/** Rows that may be visible before the list is measured. */
const FIRST_VISIBLE = 30
/** CSS pixels of the lowest form of a row. */
const LOWEST_ROW = 34
/** Positions that are compared as one. */
const SLICE = 10
/** Positions drawn per frame while the list comes to rest. */
const STEP = 5
/** Milliseconds without a new row after which the list is at rest: longer than a slow page pauses between draws. */
const QUIET_MS = 3_000

/** Reports to the feed every reason for holding that begins or ends in the list. */
function useHoldReasons(list: { current: HTMLDivElement | null }) {
  useEffect(() => {
    const element = list.current
    if (!element) return
    const ending = new AbortController()
    const listen = (target: EventTarget, name: string, act: (event: Event) => void) =>
      target.addEventListener(name, act, { signal: ending.signal, passive: true })

    listen(element, 'pointerenter', (event) => {
      if ((event as PointerEvent).pointerType !== 'touch') feed.setHold('point', true) // a finger scrolls instead
    })
    listen(element, 'pointerleave', () => feed.setHold('point', false))
    listen(element, 'focusin', () => feed.setHold('focus', true))
    listen(element, 'focusout', (event) => {
      const next = (event as FocusEvent).relatedTarget // focusout is a FocusEvent
      if (!(next instanceof Node && element.contains(next))) feed.setHold('focus', false)
    })
    listen(element, 'scroll', () => feed.setHold('scroll', element.scrollTop > 0))
    listen(document, 'selectionchange', () => {
      const selection = document.getSelection()
      const isInside = selection !== null && !selection.isCollapsed && element.contains(selection.anchorNode)
      feed.setHold('select', isInside)
    })
    return () => {
      ending.abort()
      for (const reason of ['point', 'focus', 'select', 'scroll'] as const) feed.setHold(reason, false)
    }
  }, [list])
}
