import { type ReactNode, useEffect, useRef } from 'react'
import { Badge } from '../../../components/badge.tsx'
import { EventGlyph, Icon } from '../../../components/icon.tsx'
import { ChartSwitch } from '../chart/chart-switch.tsx'
import { useConsole } from '../console-context.ts'
import { useFeed } from '../feed/feed.ts'
import { clockTime, figures } from '../figures.ts'
import { StatusReason } from './status-reason.tsx'
import { StatusShape, StatusWords, useIsPlayback, useStreamState } from './status-word.tsx'
import { STREAM_STATES } from './stream-states.ts'
import './readouts.css'

/** The five figures above the chart, and why nothing flows. */
export function Readouts() {
  return (
    <div className="readouts">
      <StatusReadout />
      <ReceivedReadout />
      <BlockReadout />
      <LagReadout />
      <RateReadout />
      <Tags />
      <div className="readout-end">
        <ChartSwitch />
        <div className="readout-legend" aria-hidden="true">
          <span className="legend-buy">
            <EventGlyph name="buy" />
            Buy
          </span>
          <span className="legend-sell">
            <EventGlyph name="sell" />
            Sell
          </span>
          <span>
            <EventGlyph name="pair" />
            New pair
          </span>
        </div>
      </div>
      <StatusReason />
    </div>
  )
}

function StatusReadout() {
  const { isSimulated } = useConsole()
  const state = useStreamState()
  const { isLive } = STREAM_STATES[state]
  const { isPaused } = useFeed('hold')
  const isPlayback = useIsPlayback()
  return (
    <div className={isLive ? 'readout readout-status readout-live' : 'readout readout-status'}>
      <div className="readout-label aligned">
        <StatusShape state={state} />
        <span className="wide-only">
          {state !== 'Held' ? 'Status' : isPaused ? 'List paused' : 'List held'}
        </span>
        <span className="narrow-only" data-status>
          <StatusWords />
        </span>
        {isPlayback ? <Badge tone="info">Replay</Badge> : null}
        {isSimulated ? (
          <span className="wide-only">
            <Badge tone="quiet">simulated</Badge>
          </span>
        ) : null}
      </div>
      <div className="readout-value wide-only" data-status>
        <StatusWords />
      </div>
      <div className="readout-value num narrow-only">
        <Rate />
        /s
      </div>
    </div>
  )
}

function ReceivedReadout() {
  const received = useFeed('received')
  return (
    <div className="readout readout-received">
      <div className="readout-label aligned">Events received</div>
      <div className="readout-value num" data-received={received}>
        {figures.whole(received)}
      </div>
    </div>
  )
}

function BlockReadout() {
  const block = useFeed('block')
  const blockAt = useFeed('blockAt')
  const isRunning = useFeed('connection') === 'streaming'
  return (
    <div className="readout readout-block">
      <div className="readout-label aligned">
        Latest block
        {blockAt === null ? null : <time className="block-time num">{clockTime(blockAt)}</time>}
      </div>
      <div className="readout-value num" data-block={block ?? undefined}>
        {block === null ? '–' : figures.whole(block)}
      </div>
      {block !== null && isRunning ? <Heartbeat block={block} /> : null}
    </div>
  )
}

/**
 * Runs out in two seconds and restarts with each block: while it moves, blocks keep arriving. The animation is created
 * once and kept, since querying an element for its animations forces a layout.
 */
function Heartbeat({ block }: { block: number }) {
  const line = useRef<HTMLElement>(null)
  const beat = useRef<Animation>(undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: each block is a beat
  useEffect(() => {
    beat.current ??= line.current?.animate(
      { transform: 'scaleX(0)' },
      { duration: BEAT_MS, fill: 'forwards' },
    )
    if (beat.current) beat.current.currentTime = 0
  }, [block])
  return <i className="heartbeat" ref={line} />
}

/** Milliseconds of a beat. */
const BEAT_MS = 2_000

function LagReadout() {
  const streamed = useFeed('lagMs')
  // Events of a past hour are not late.
  const lagMs = useIsPlayback() ? null : streamed
  const isLate = lagMs !== null && lagMs > LATE_MS
  return (
    <div className={isLate ? 'readout readout-lag readout-late' : 'readout readout-lag'} title={LAG_TITLE}>
      <div className="readout-label aligned">
        {isLate ? <Icon name="warning" size={13} /> : null}
        Lag, median
      </div>
      <div className="readout-value num">
        {lagMs === null ? '–' : lagMs < MOST_LAG_MS ? figures.seconds(lagMs) : '120+'}
        <small>s</small>
      </div>
    </div>
  )
}

/** Milliseconds of lag that are a warning. */
const LATE_MS = 5_000
/** Milliseconds above which the median is not distinguished. */
const MOST_LAG_MS = 120_000
const LAG_TITLE =
  'How old events are when they arrive: the median of the last 5 s. Block times are whole seconds.'

function RateReadout() {
  return (
    <div className="readout readout-rate">
      <div className="readout-label aligned">
        <SampleBadge>Events per second</SampleBadge>
      </div>
      <div className="readout-value num">
        <Rate />
      </div>
    </div>
  )
}

/** The figures' tags on phones, in a line below them. */
function Tags() {
  const { isSimulated } = useConsole()
  return (
    <div className="readout-tags">
      {isSimulated ? <Badge tone="quiet">simulated</Badge> : null}
      <SampleBadge />
    </div>
  )
}

/** Replaces `children` if both do not fit. */
function SampleBadge({ children = null }: { children?: ReactNode }) {
  return useFeed('isSampling') ? <Badge tone="warning">Showing a sample</Badge> : children
}

function Rate() {
  return <>{figures.whole(useFeed('perSecond'))}</>
}
