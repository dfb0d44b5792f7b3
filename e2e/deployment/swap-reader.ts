import { createPairwire, type PairwireError, type Stream, type SwapParams } from '@pairwire/client'
import WebSocket from 'ws'

/** A program that reads swaps with the SDK for as long as it runs, and records what it gets. */
export type SwapReader = Readonly<{
  /** Cursors of the swaps, in order. */
  cursors: readonly string[]
  /** When each of them came, in milliseconds since the start. */
  arrivals: readonly number[]
  gaps: readonly Readonly<{ fromSlot: number; toSlot: number }>[]
  /** Why it was disconnected or refused, each time: the code, and the sentence. */
  reasons: readonly string[]
  isOpen(): boolean
  /** Swaps that the SDK got again, and dropped. */
  duplicates(): number
  /** Swaps on connections that ended without a close frame, so late that they may not have been counted. */
  perhapsUncounted(): number
  /** The longest time that it was disconnected, in milliseconds. */
  longestAwayMs(): number
  /** Whether its plan refuses it because its cap is reached. Only its blocks go on then. */
  isUsedUp(): boolean
  /** Slot of the newest swap. */
  newestSlot(): number
  stop(): void
}>

/** Longest wait between two attempts in milliseconds. */
const RETRY_MS = 300

/** Milliseconds within which a gateway writes its counts, on a busy machine. */
export const COUNTED_WITHIN_MS = 2_500

/** The slot of a live chain's cursor. */
export function slotOf(cursor: string): number {
  return Number(cursor.split('-')[1])
}

/** Starts one. `uncountedSince` is since when counts could not be written, if so. */
export function readSwaps({
  port,
  key,
  include,
  problem,
  uncountedSince = () => undefined,
}: Readonly<{
  /** The port of the gateway to try next. */
  port(): number
  key: string
  include?: NonNullable<SwapParams['include']>
  problem(sentence: string): void
  uncountedSince?(): number | undefined
}>): SwapReader {
  const cursors: string[] = []
  const arrivals: number[] = []
  const gaps: { fromSlot: number; toSlot: number }[] = []
  const reasons: string[] = []
  const streams: Stream[] = []
  const stats = () => streams.at(-1)!.stats()
  let uncounted = 0
  /** How often it had subscribed when the last connection ended, and when that was. */
  let connects = 0
  let lostAt = Number.POSITIVE_INFINITY
  let awayMs = 0
  let longestAwayMs = 0
  let isUsedUp = false

  class AnyGateway extends WebSocket {
    constructor(address: string, ...options: [string[], WebSocket.ClientOptions]) {
      super(Object.assign(new URL(address), { port: String(port()) }), ...options)
      const before = arrivals.length
      this.once('close', (code) => {
        if (code !== 1006) return
        const since = Math.min(performance.now(), uncountedSince() ?? Number.POSITIVE_INFINITY)
        uncounted += arrivals.slice(before).filter((at) => at > since - COUNTED_WITHIN_MS).length
      })
    }
  }
  const pairwire = createPairwire({
    ...{ url: 'ws://127.0.0.1', key, WebSocket: AnyGateway, retryFirstMs: RETRY_MS, retryMaxMs: RETRY_MS },
    onState(state, why) {
      if (state === 'open') awayMs = performance.now() - lostAt
      if (state !== 'waiting') return
      reasons.push(`${why?.code} ${why?.message}`)
      if (stats().connects === connects) return
      connects = stats().connects
      longestAwayMs = Math.max(longestAwayMs, awayMs)
      lostAt = performance.now()
    },
  })

  const read = () => {
    const last = cursors.at(-1)
    const swaps = pairwire.swaps(include && { include }, { ...(last && { from: last }), tooOld: 'throw' })
    streams.push(swaps)
    connects = 0
    swaps.on('gap', ({ fromSlot, toSlot }) => gaps.push({ fromSlot: fromSlot!, toSlot: toSlot! }))
    swaps.on('event', ({ cursor }) => {
      const before = cursors.at(-1) ?? ''
      if (cursor! <= before) problem(`${cursor} came after ${before}.`)
      cursors.push(cursor!)
      arrivals.push(performance.now())
    })
    void swaps.closed.then((error) => {
      if (error === null) return
      if ((error as PairwireError).errorType !== 'PLAN_USED_UP') problem(String(error))
      // A program that tries again on its connection, which the blocks keep open, is refused.
      else if (stats().connects > 0) read()
      else isUsedUp = true
    })
  }
  read()
  pairwire
    .blocks()
    .on('gap', () => {})
    .on('event', () => {})

  return {
    ...{ cursors, arrivals, gaps, reasons },
    isOpen: () => stats().connects > connects,
    duplicates: () => streams.reduce((sum, stream) => sum + stream.stats().duplicates, 0),
    perhapsUncounted: () => uncounted,
    longestAwayMs: () => Math.max(longestAwayMs, awayMs),
    isUsedUp: () => isUsedUp,
    newestSlot: () => slotOf(cursors.at(-1) ?? '0-0'),
    stop: () => void pairwire.close(),
  }
}
