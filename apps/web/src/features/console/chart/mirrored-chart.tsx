import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react'
import { lazyPart } from '../../../components/lazy-part.tsx'
import { useStore } from '../../../components/store.ts'
import { formatCount } from '../../../locale/locale.ts'
import { bucketTerm } from '../feed/bucket-term.ts'
import { BUCKETS, SERIES } from '../feed/chart-buckets.ts'
import { feed, useFeed } from '../feed/feed.ts'
import type { ChartView } from '../feed/feed-view.ts'
import { clockTime, figures } from '../figures.ts'
import { chartForm } from '../rows/view-settings.ts'
import { bucketAt, type ChartColours, paintChart, tallest } from './paint-chart.ts'
import './mirrored-chart.css'

/** Loaded on demand. */
const chartTable = lazyPart(() => import('./chart-table.tsx'))

/** The last minute of the stream: a picture, or a table in the same space. */
export function MirroredChart() {
  return (
    <div className="chart">{useStore(chartForm) === 'table' ? <chartTable.Part /> : <PlottedChart />}</div>
  )
}

/**
 * The chart on a canvas, redrawn four times a second. Pointing at it, or Left and Right, shows the values of one
 * bucket; a press, or Enter, lists its rows.
 */
function PlottedChart() {
  const [marked, setMarked] = useState<number>()
  const { isMoving, at } = useFeed('chart')
  const onPointerMove = (event: PointerEvent<HTMLElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    setMarked(bucketAt(event.clientX - box.left, box.width))
  }
  const list = (bucket: number) => {
    const { at: edge, starts } = feed.read().chart
    if (edge === 0) return
    feed.choose({ kind: 'all', text: bucketTerm(starts[bucket]!, starts[bucket + 1] ?? edge + 1) })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const from = marked ?? BUCKETS - 1
    const next = { ArrowLeft: from - 1, ArrowRight: from + 1, Home: 0, End: BUCKETS - 1 }[event.key]
    if (event.key === 'Escape') setMarked(undefined)
    if (event.key === 'Enter') list(from)
    if (next === undefined) return
    event.preventDefault()
    setMarked(Math.min(BUCKETS - 1, Math.max(0, next)))
  }

  return (
    <>
      <div
        className="chart-plot"
        role="slider"
        tabIndex={0}
        aria-description="Enter lists the rows of this moment"
        aria-label="Events of the last 60 seconds: buys above the line, sells below, new pairs as diamonds"
        aria-valuemin={0}
        aria-valuemax={BUCKETS - 1}
        aria-valuenow={marked ?? BUCKETS - 1}
        aria-valuetext={bucketWords(feed.read().chart, marked ?? BUCKETS - 1)}
        onPointerMove={onPointerMove}
        onPointerLeave={() => setMarked(undefined)}
        onKeyDown={onKeyDown}
        onClick={() => marked !== undefined && list(marked)}
        onBlur={() => setMarked(undefined)}
      >
        <Canvas marked={marked} />
        {at === 0 ? <p className="chart-hint">Press Start</p> : null}
        {marked === undefined ? null : <BucketWords marked={marked} />}
      </div>
      <div className="chart-axis num" aria-hidden="true">
        {[60, 45, 30, 15].map((age) => (
          <span key={age} style={{ insetInlineStart: `${100 * partAt(feed.read().chart, age)}%` }}>
            {age}s
          </span>
        ))}
        <span>{isMoving || at === 0 ? 'now' : clockTime(at)}</span>
      </div>
    </>
  )
}

/** Horizontal position of that many seconds ago, as a part of the width: with blocks of 0.4 s a minute fills it. */
function partAt({ starts, at }: ChartView, age: number): number {
  const bucket = starts.findIndex((start) => start >= at - age * 1000)
  return at === 0 ? 1 - age / 60 : Math.max(0, bucket) / BUCKETS
}

/** The chart alone, as a picture next to equivalent words. */
export function ChartPicture() {
  return (
    <div className="chart-plot" aria-hidden="true">
      <Canvas marked={undefined} />
    </div>
  )
}

function BucketWords({ marked }: { marked: number }) {
  const chart = useFeed('chart')
  return (
    <p className={marked < BUCKETS / 2 ? 'chart-words num chart-words-end' : 'chart-words num'}>
      {bucketWords(chart, marked)}
    </p>
  )
}

function bucketWords({ buckets, starts, at }: ChartView, bucket: number): string {
  const [buys, sells, pairs] = buckets.slice(bucket * SERIES, bucket * SERIES + SERIES)
  const age = figures.seconds(Math.max(0, at - (starts[bucket] ?? at)))
  const counts = [
    formatCount(buys ?? 0, 'buy'),
    formatCount(sells ?? 0, 'sell'),
    formatCount(pairs ?? 0, 'new pair'),
  ]
  return `${age}s ago: ${counts.join(', ')}`
}

function Canvas({ marked }: { marked: number | undefined }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const latestMark = useRef(marked)
  const redraw = useRef(() => {})
  latestMark.current = marked

  useEffect(() => {
    const element = canvas.current
    const context = element?.getContext('2d')
    if (!element || !context) return
    const calm = matchMedia('(prefers-reduced-motion: reduce)')
    const schemes = [matchMedia('(prefers-color-scheme: dark)'), matchMedia(FORCED)]
    let colours = readColours(element)
    let full = LEAST_FULL
    let drawnAt = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    let size = { width: 0, height: 0 }

    const draw = () => {
      clearTimeout(timer)
      timer = undefined
      const { buckets } = feed.read().chart
      const now = performance.now()
      const most = Math.max(LEAST_FULL, tallest(buckets))
      // Rises at once; falls to a lower minute within ten seconds.
      full = Math.max(most, full - (full - most) * Math.min(1, (now - drawnAt) / FALL_MS))
      drawnAt = now
      if (size.width === 0) return
      const ratio = devicePixelRatio || 1
      context.setTransform(ratio, 0, 0, ratio, 0, 0)
      paintChart(context, { ...size, buckets, full, marked: latestMark.current, colours })
    }
    // At once if due, so that it shares a frame with other changes.
    const drawSoon = () => {
      if (timer !== undefined) return
      const rest = drawnAt + (calm.matches ? CALM_REDRAW_MS : REDRAW_MS) - performance.now()
      if (rest <= 0) draw()
      else timer = setTimeout(draw, rest)
    }
    const recolour = () => {
      colours = readColours(element)
      draw()
    }
    const sizes = new ResizeObserver(([entry]) => {
      if (!entry) return
      size = { width: entry.contentRect.width, height: entry.contentRect.height }
      const ratio = devicePixelRatio || 1
      element.width = Math.round(size.width * ratio)
      element.height = Math.round(size.height * ratio)
      draw()
    })
    const themes = new MutationObserver(recolour)

    sizes.observe(element)
    themes.observe(document.documentElement, { attributeFilter: ['data-theme', 'data-colours'] })
    for (const scheme of schemes) scheme.addEventListener('change', recolour)
    const unsubscribe = feed.watch(['chart'], drawSoon)
    redraw.current = draw
    return () => {
      clearTimeout(timer)
      sizes.disconnect()
      themes.disconnect()
      for (const scheme of schemes) scheme.removeEventListener('change', recolour)
      unsubscribe()
    }
  }, [])

  // biome-ignore lint/correctness/useExhaustiveDependencies: the mark is read from its ref while drawing
  useEffect(() => redraw.current(), [marked])
  return <canvas className="chart-canvas" ref={canvas} />
}

/** Milliseconds between two drawings: four a second, or two with reduced motion. */
const REDRAW_MS = 225
const CALM_REDRAW_MS = 500
const FALL_MS = 10_000
/** Smallest number of events for a full bar: a single event does not look like a storm. */
const LEAST_FULL = 4

/** The user's own colours, in which only ticks identify sells. */
const FORCED = '(forced-colors: active)'

function readColours(element: HTMLElement): ChartColours {
  const style = getComputedStyle(element)
  // As the browser resolves a token: it may depend on the scheme.
  const read = (name: string) => {
    element.style.color = `var(${name})`
    return style.color
  }
  const colours = {
    buy: read('--buy'),
    sell: read('--copper'),
    pair: read('--pair'),
    axis: read('--line-strong'),
  }
  element.style.color = ''
  return matchMedia(FORCED).matches
    ? { buy: 'CanvasText', sell: 'CanvasText', pair: 'CanvasText', axis: 'GrayText', isTicked: true }
    : colours
}
