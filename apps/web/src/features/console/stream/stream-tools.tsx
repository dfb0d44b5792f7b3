import { useEffect, useState } from 'react'
import { announce } from '../../../components/announce.ts'
import { Button } from '../../../components/button.tsx'
import { Icon } from '../../../components/icon.tsx'
import { lazyPart } from '../../../components/lazy-part.tsx'
import { formatCount } from '../../../locale/locale.ts'
import { feed, useFeed } from '../feed/feed.ts'
import type { RowKind } from '../feed/row.ts'
import { figures } from '../figures.ts'
import { PopupButton } from '../popup-button.tsx'
import './stream-tools.css'

/** Loaded when first opened. */
const keepMenu = lazyPart(() => import('./keep-menu.tsx'))
const viewMenu = lazyPart(() => import('./view-menu.tsx'))

/** The bar between chart and list: filter, chips, Pause, Clear All and View. */
export function StreamTools() {
  return (
    <div className="stream-tools">
      <FilterBox />
      <Chips />
      <div className="tools-end aligned">
        <PauseButton />
        <ClearButton />
        <ExportButton />
        <PopupButton label="View" button={{ size: 'sm', icon: 'eye', title: 'View' }}>
          {(close) => <viewMenu.Part close={close} />}
        </PopupButton>
      </div>
    </div>
  )
}

/** Opens the menu for saving rows and recording; while it records, it counts. */
function ExportButton() {
  const recording = useFeed('recording')
  const label = recording ? `Export, recording ${formatCount(recording.frames, 'message')}` : 'Export'
  return (
    <PopupButton
      label={label}
      button={{
        size: 'sm',
        className: recording ? 'recording' : undefined,
        children: recording ? `● ${figures.whole(recording.frames)}` : label,
      }}
    >
      {() => <keepMenu.Part />}
    </PopupButton>
  )
}

/** Holds the list until it is pressed again, or Resume in the bar above the rows. */
export function PauseButton({ size = 'sm' }: { size?: 'sm' | 'xl' }) {
  const { isPaused } = useFeed('hold')
  const connection = useFeed('connection')
  return (
    <Button
      size={size}
      icon="pause"
      className="tool-button pause-button"
      aria-label="Pause"
      aria-pressed={isPaused}
      title={isPaused ? 'Resume' : 'Pause'}
      disabled={!isPaused && connection !== 'streaming'}
      onClick={() => (isPaused ? feed.resume() : feed.pause())}
    >
      Pause
    </Button>
  )
}

function ClearButton() {
  const canUndo = useFeed('canUndo')
  if (canUndo) {
    return (
      <Button size="sm" icon="reset" className="tool-button" onClick={() => feed.undo()}>
        Undo
      </Button>
    )
  }
  const clear = () => {
    feed.clear()
    announce('Cleared. Undo within 5 seconds.', 'status')
  }
  return (
    <Button
      size="sm"
      icon="trash"
      className="tool-button"
      aria-label="Clear All"
      title="Clear All"
      onClick={clear}
    >
      Clear All
    </Button>
  )
}

function FilterBox() {
  const filter = useFeed('filter')
  const kept = useFeed('kept')
  const [text, setText] = useState(filter.text)
  const isSet = filter.kind !== 'all' || filter.text !== ''

  useEffect(() => setText(filter.text), [filter.text])
  useEffect(() => {
    if (text === filter.text) return
    const timer = setTimeout(() => feed.choose({ ...feed.read().filter, text }), TYPING_MS)
    return () => clearTimeout(timer)
  }, [text, filter.text])

  return (
    <div className="filter-box aligned">
      <Icon name="search" size={15} />
      <input
        type="search"
        aria-label="Filter rows"
        placeholder="Filter rows"
        title="Text, &quot;exact&quot;, >1000 or <50 US dollars"
        autoComplete="off"
        spellCheck={false}
        value={text}
        data-filter
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || text === '') return
          event.stopPropagation()
          event.preventDefault()
          setText('')
          feed.choose({ ...feed.read().filter, text: '' })
        }}
      />
      {isSet ? (
        <span className="filter-count num">
          <RowCount /> of {figures.whole(kept)}
        </span>
      ) : (
        <span aria-hidden="true">
          <kbd>/</kbd>
        </span>
      )}
    </div>
  )
}

function RowCount() {
  return <>{figures.whole(useFeed('rows').length)}</>
}

/** Milliseconds after the last keystroke before the rows are filtered. */
const TYPING_MS = 120

function Chips() {
  const filter = useFeed('filter')
  const kinds = useFeed('kinds')
  const kept = useFeed('kept')
  const sum = kinds.pair + kinds.buy + kinds.sell + kinds.message
  const counts: Record<RowKind, number> = { all: Math.min(kept, sum), ...kinds }
  return (
    // biome-ignore lint/a11y/useSemanticElements: a toolbar of toggles, not a form fieldset
    <div className="chips" role="group" aria-label="Kinds of rows">
      {CHIPS.map(({ kind, label }) => (
        <button
          key={kind}
          type="button"
          aria-pressed={filter.kind === kind}
          onClick={() => feed.choose({ ...filter, kind })}
        >
          {label} <span className="num">{figures.whole(counts[kind])}</span>
        </button>
      ))}
    </div>
  )
}

const CHIPS: readonly { kind: RowKind; label: string }[] = [
  { kind: 'all', label: 'All' },
  { kind: 'pair', label: 'New pairs' },
  { kind: 'buy', label: 'Buy' },
  { kind: 'sell', label: 'Sell' },
  { kind: 'message', label: 'Messages' },
]
