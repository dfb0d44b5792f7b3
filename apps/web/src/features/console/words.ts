import type { HoldReason, HoldState } from './feed/hold.ts'
import type { StandingError } from './feed/refusal.ts'

// The console's words. Those of the specification are spelled exactly.

/** Row for a connection that could not be opened, or was refused. */
export const CONNECTION_ERROR = 'Error connecting to websocket, check api key and connection.'
/** Row for every end of a connection. */
export const WEBSOCKET_CLOSED = 'Websocket closed'
/** Row for a start without a session. */
export const LOG_IN_FIRST = 'Please log in to start the stream...'

/** Returns why the list holds still, for the bar above it; after a press on Pause only that. */
export function holdWords({ isPaused, reason }: HoldState): string {
  return isPaused || !reason ? 'Paused.' : HELD[reason]
}

const HELD: Readonly<Record<HoldReason, string>> = {
  point: 'List frozen while you point at it.',
  scroll: 'List frozen while you are scrolled down.',
  select: 'List frozen while text is selected.',
  focus: 'List frozen while you use it.',
  popup: 'List frozen while Raw JSON is open.',
}

/** The error for a connection that could not be opened; the row has the specification's words. */
export const NOT_OPENED = 'The stream could not be opened.'
/** The error for a start without a session. */
export const SIGN_IN_FIRST = 'You are signed out. Sign in, then press Start.'
/** The error when the worker's script does not load. */
export const WORKER_UNLOADED = 'The code that reads the stream could not be downloaded. Reload the page.'

/** Returns the whole sentence of an error. */
export function errorWords({ words, detail }: Pick<StandingError, 'words' | 'detail'>): string {
  return `${OWN_WORDS[words] ?? words} ${detail}`.trim()
}

/** Rows with the specification's words are explained in our own, so that a search finds those once. */
const OWN_WORDS: Readonly<Record<string, string>> = {
  [CONNECTION_ERROR]: NOT_OPENED,
  [LOG_IN_FIRST]: SIGN_IN_FIRST,
}
