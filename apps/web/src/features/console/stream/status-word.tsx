import { useSyncExternalStore } from 'react'
import { useFeed } from '../feed/feed.ts'
import {
  STREAM_STATES,
  type StreamState,
  type StreamStateName,
  stateWords,
  streamState,
} from './stream-states.ts'

/** Returns the current state of the stream. */
export function useStreamState(): StreamStateName {
  const connection = useFeed('connection')
  const { isHeld } = useFeed('hold')
  const quietSeconds = useFeed('quietSeconds')
  const isOnline = useSyncExternalStore(watchNetwork, () => navigator.onLine)
  return streamState({ connection, isHeld, quietSeconds, isOnline })
}

/** Whether archive hours are being replayed. */
export function useIsPlayback(): boolean {
  return useFeed('subscriptions').some(({ params }) => JSON.parse(params).replay !== undefined)
}

/** The words of the status readout. */
export function StatusWords() {
  return <>{stateWords(useStreamState(), useFeed('quietSeconds'))}</>
}

/** The shape next to the words: hollow, half and full dot, bars, cross. */
export function StatusShape({ state }: { state: StreamStateName }) {
  const { shape }: StreamState = STREAM_STATES[state]
  return (
    <svg className="status-shape" width="10" height="10" viewBox="0 0 10 10" aria-hidden="true">
      <path
        d={SHAPES[shape]}
        className={shape === 'hollow' || shape === 'cross' ? 'status-outline' : undefined}
      />
      {shape === 'half' ? <circle cx="5" cy="5" r="4" className="status-outline" /> : null}
    </svg>
  )
}

const SHAPES: Readonly<Record<StreamState['shape'], string>> = {
  hollow: 'M5 1a4 4 0 1 1 0 8 4 4 0 0 1 0-8z',
  half: 'M5 1a4 4 0 0 1 0 8z',
  full: 'M5 1a4 4 0 1 1 0 8 4 4 0 0 1 0-8z',
  bars: 'M1.5 1H4v8H1.5zM6 1h2.5v8H6z',
  cross: 'm1.5 1.5 7 7M8.5 1.5l-7 7',
}

function watchNetwork(onChange: () => void): () => void {
  window.addEventListener('online', onChange)
  window.addEventListener('offline', onChange)
  return () => {
    window.removeEventListener('online', onChange)
    window.removeEventListener('offline', onChange)
  }
}
