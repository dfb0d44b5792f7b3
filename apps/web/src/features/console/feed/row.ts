import type { MessageReading, PairReading, SwapReading } from './read-event.ts'

/** Rows that the console keeps. */
export const CONSOLE_ROWS = 100

/** A row of the list. */
export type Row = Readonly<{
  /** Increases by one with each row; never reused while the page lives. */
  id: number
  /** Unix milliseconds at which it arrived. */
  at: number
  /** The frame as it was received; empty for the console's own messages. */
  text: string
  reading: RowReading
  /** Symbol of a swap's token if a new pair named it; empty otherwise. */
  symbol: string
}> & {
  /** Whether the stream has taken its transaction back. */
  isTakenBack?: boolean
}

/** The readings that become rows. */
export type RowReading = SwapReading | PairReading | MessageReading

/** The chips above the list. */
export type RowKind = 'all' | 'pair' | 'buy' | 'sell' | 'message'

/** Returns the kind of a row, by its chip. */
export function rowKind({ reading }: Row): Exclude<RowKind, 'all'> {
  if (reading.kind === 'swap') return reading.isBuy ? 'buy' : 'sell'
  return reading.kind
}
