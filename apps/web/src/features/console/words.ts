import type { StandingError } from './request/refusal.ts'
import type { HoldReason } from './stream/hold.ts'

// The console's words. Those of the specification are spelled as it spells them.

/** Row of a connection that could not be opened, or was refused. */
export const CONNECTION_ERROR = 'Error connecting to websocket, check api key and connection.'
/** Row of every end of a connection. */
export const WEBSOCKET_CLOSED = 'Websocket closed'
/** Row of a start without a session. */
export const LOG_IN_FIRST = 'Please log in to start the stream...'

/** Why the list stands still, for the bar over it. */
export const HELD: Readonly<Record<HoldReason, string>> = {
  point: 'List frozen while you point at it.',
  scroll: 'List frozen while you are scrolled down.',
  select: 'List frozen while text is selected.',
  focus: 'List frozen while you use it.',
  popup: 'List frozen while Raw JSON is open.',
}

/** The bar's words after a press on Pause. */
export const PAUSED = 'Paused.'

/** The standing error of a connection that could not be opened; the row has the specification's words. */
export const NOT_OPENED = 'The stream could not be opened.'
/** The standing error of a start without a session. */
export const SIGN_IN_FIRST = 'You are signed out. Sign in, then press Start.'
/** The standing error when the worker's script does not load. */
export const WORKER_UNLOADED = 'The code that reads the stream could not be downloaded. Reload the page.'

/** The whole sentence of a standing error. */
export function errorWords({ words, detail }: Pick<StandingError, 'words' | 'detail'>): string {
  return `${OWN_WORDS[words] ?? words} ${detail}`.trim()
}

/** Rows with the specification's words are explained in others: a search finds those once. */
const OWN_WORDS: Readonly<Record<string, string>> = {
  [CONNECTION_ERROR]: NOT_OPENED,
  [LOG_IN_FIRST]: SIGN_IN_FIRST,
}
