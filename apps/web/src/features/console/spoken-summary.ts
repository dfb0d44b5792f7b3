import { useEffect, useRef } from 'react'
import { announce } from '../../components/announce.ts'
import { keep, readKept } from '../../components/kept.ts'
import { createStore, type Store } from '../../components/store.ts'
import type { ConsoleFeed } from './console-feed.ts'
import { figures } from './figures.ts'
import { useStreamState } from './status-word.tsx'
import { STREAM_STATES } from './stream-states.ts'
import { errorWords, HELD, PAUSED } from './words.ts'

const KEY = 'console.announce'

/** Whether the stream is summed up aloud; remembered in this browser. */
export const isSpoken: Store<boolean> = createStore(readKept(KEY) !== 'false')

isSpoken.subscribe(() => keep(KEY, String(isSpoken.read())))

/**
 * Has the console's states read out as they change, and a summary at most every 30 s while the focus is in the
 * stream's region. Events themselves are never read out.
 */
export function useSpokenStates(feed: ConsoleFeed, region: { current: HTMLElement | null }): void {
  const state = useStreamState(feed)
  const spokenAt = useRef(0)
  const isFirst = useRef(true)

  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false
      return
    }
    const { isPaused, reason } = feed.hold.read()
    const words =
      state === 'Held' ? (isPaused || !reason ? PAUSED : HELD[reason]) : STREAM_STATES[state].spoken
    announce(words, state === 'Stalled' || state === 'Offline' ? 'alert' : 'console')
  }, [state, feed])

  useEffect(() => {
    const say = () => {
      const error = feed.error.read()
      if (error) announce(errorWords(error), 'alert')
    }
    return feed.error.subscribe(say)
  }, [feed])

  useEffect(() => {
    const timer = setInterval(() => {
      if (!isSpoken.read() || feed.connection.read() !== 'streaming') return
      if (!region.current?.contains(document.activeElement)) return
      if (Date.now() - spokenAt.current < SUMMARY_MS) return
      spokenAt.current = Date.now()
      announce(streamSummary(feed), 'console')
    }, LOOK_MS)
    return () => clearInterval(timer)
  }, [feed, region])
}

/** The stream in a sentence or three: `1,842 events per second. Lag 0.8 seconds. 6 new pairs.` */
function streamSummary(feed: Pick<ConsoleFeed, 'perSecond' | 'lagMs' | 'kinds'>): string {
  const lagMs = feed.lagMs.read()
  const pairs = feed.kinds.read().pair
  const sentences = [
    `${figures.whole(feed.perSecond.read())} events per second.`,
    lagMs === null ? '' : `Lag ${figures.seconds(lagMs)} seconds.`,
    `${figures.whole(pairs)} new ${pairs === 1 ? 'pair' : 'pairs'}.`,
  ]
  return sentences.filter((sentence) => sentence !== '').join(' ')
}

/** Milliseconds between two summaries, at least. */
const SUMMARY_MS = 30_000
/** Milliseconds between two looks at whether one is due. */
const LOOK_MS = 1_000
