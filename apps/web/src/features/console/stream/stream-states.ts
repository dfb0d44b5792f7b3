import type { Connection } from '../feed/feed-view.ts'

/**
 * The stream's states for the user, each with everything that depends on it.
 *
 *     Stopped --Start--> Connecting --opened--> Streaming <--> Held (the list holds still)
 *     Streaming, Held --2 s without a block--> Quiet --10 s--> Stalled --a block--> Streaming
 *     any of them --Stop--> Stopped; the other side ends it --> Closed
 *     Offline: this device has no network, and no block comes
 */
export const STREAM_STATES = {
  Stopped: { shape: 'hollow', isLive: false, spoken: 'Stopped' },
  Connecting: { shape: 'half', isLive: false, spoken: 'Connecting' },
  Streaming: { shape: 'full', isLive: true, spoken: 'Streaming' },
  Held: { shape: 'bars', isLive: true, spoken: '' },
  Quiet: { shape: 'half', isLive: true, spoken: 'No block for 2 seconds' },
  Stalled: { shape: 'hollow', isLive: false, spoken: 'No block for 10 seconds. The stream has stalled.' },
  Offline: { shape: 'cross', isLive: false, spoken: 'This device is offline.' },
  Closed: { shape: 'cross', isLive: false, spoken: 'The stream is closed.' },
} as const satisfies Record<string, StreamState>

/** Everything that depends on a state. */
export type StreamState = Readonly<{
  /** The shape next to the word. */
  shape: 'hollow' | 'half' | 'full' | 'bars' | 'cross'
  /** Whether events arrive: the wire is coloured, and so is the word. */
  isLive: boolean
  /** Announced to screen readers; empty if the reason is announced instead. */
  spoken: string
}>

/** A name of {@link STREAM_STATES}. */
export type StreamStateName = keyof typeof STREAM_STATES

/** Seconds without a block after which they are counted, and after which the stream counts as stalled. */
const QUIET_FROM_SECONDS = 2
const STALLED_FROM_SECONDS = 10

/** The facts that decide the state. */
export type StreamFacts = Readonly<{
  connection: Connection
  isHeld: boolean
  /** Whole seconds without a block; null without a connection. */
  quietSeconds: number | null
  /** Whether the device reports a network. */
  isOnline: boolean
}>

/** Returns the state for these facts. */
export function streamState({ connection, isHeld, quietSeconds, isOnline }: StreamFacts): StreamStateName {
  const quiet = quietSeconds ?? 0
  if (connection === 'streaming' && quiet < QUIET_FROM_SECONDS) return isHeld ? 'Held' : 'Streaming'
  // A device without a network may still reach a local service.
  if (!isOnline) return 'Offline'
  if (connection === 'streaming') return quiet < STALLED_FROM_SECONDS ? 'Quiet' : 'Stalled'
  return connection === 'connecting' ? 'Connecting' : connection === 'closed' ? 'Closed' : 'Stopped'
}

/** Returns the words of the status readout: `Quiet for 3 s`. A held stream still streams. */
export function stateWords(state: StreamStateName, quietSeconds: number | null): string {
  if (state === 'Held') return 'Streaming'
  return state === 'Quiet' ? `Quiet for ${quietSeconds} s` : state
}
