import { useEffect, useRef } from 'react'
import { announce } from '../../../components/announce.ts'
import { keep, readKept } from '../../../components/kept.ts'
import { createStore, type Store } from '../../../components/store.ts'
import { formatCount } from '../../../locale/locale.ts'
import { feed } from '../feed/feed.ts'
import { figures } from '../figures.ts'
import { errorWords, holdWords } from '../words.ts'
import { useStreamState } from './status-word.tsx'
import { STREAM_STATES } from './stream-states.ts'

const KEY = 'console.announce'

/** Whether the stream is summed up aloud; remembered in this browser. */
export const isSpoken: Store<boolean> = createStore(readKept(KEY) !== 'false')

isSpoken.subscribe(() => keep(KEY, String(isSpoken.read())))

/**
 * Announces the console's states as they change, and a summary at most every 30 s while the focus is in the stream's
 * region. Events themselves are never read out.
 */
export function useSpokenStates(region: { current: HTMLElement | null }): void {
  const state = useStreamState()
  const spokenAt = useRef(0)
  const isFirst = useRef(true)

  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false
      return
    }
    const words = state === 'Held' ? holdWords(feed.read().hold) : STREAM_STATES[state].spoken
    announce(words, state === 'Stalled' || state === 'Offline' ? 'alert' : 'console')
  }, [state])

  useEffect(() => {
    const say = () => {
      const error = feed.read().error
      if (error) announce(errorWords(error), 'alert')
    }
    return feed.watch(['error'], say)
  }, [])

  useEffect(() => {
    const timer = setInterval(() => {
      if (!isSpoken.read() || feed.read().connection !== 'streaming') return
      if (!region.current?.contains(document.activeElement)) return
      if (Date.now() - spokenAt.current < SUMMARY_MS) return
      spokenAt.current = Date.now()
      announce(streamSummary(), 'console')
    }, LOOK_MS)
    return () => clearInterval(timer)
  }, [region])
}

/** Describes the stream in up to three sentences: `1,842 events per second. Lag 0.8 seconds. 6 new pairs.` */
function streamSummary(): string {
  const { perSecond, lagMs, kinds } = feed.read()
  const sentences = [
    `${figures.whole(perSecond)} events per second.`,
    lagMs === null ? '' : `Lag ${figures.seconds(lagMs)} seconds.`,
    `${formatCount(kinds.pair, 'new pair')}.`,
  ]
  return sentences.filter((sentence) => sentence !== '').join(' ')
}

/** Minimum milliseconds between two summaries. */
const SUMMARY_MS = 30_000
/** Milliseconds between two checks whether one is due. */
const LOOK_MS = 1_000
