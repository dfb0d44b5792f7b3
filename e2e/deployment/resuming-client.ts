import WebSocket from 'ws'

/** A client that reconnects with its cursor for as long as it runs, and records everything it receives. */
export type ResumingClient = Readonly<{
  /** Cursors of the swaps, in order. */
  cursors: readonly string[]
  gaps: readonly Readonly<{ fromSlot: number; toSlot: number }>[]
  isOpen(): boolean
  /** Swaps on connections that ended without a close frame, so late that they may not have been counted. */
  perhapsUncounted(): number
  /** The longest time that it was disconnected, in milliseconds. */
  longestAwayMs(): number
  /** Whether its plan refuses it because its cap is reached. It has stopped then. */
  isUsedUp(): boolean
  /** The last reason for which it was refused. */
  refusal(): string
  /** Slot of the newest swap. */
  newestSlot(): number
  stop(): void
}>

/** Milliseconds between two attempts, plus up to as much at random, so that a thousand do not come at once. */
const RETRY_MS = 150

/** Milliseconds within which a gateway writes its counts, on a busy machine. */
const COUNTED_WITHIN_MS = 2_500

/** Statuses for which a connection is retried a little later. */
const TRY_LATER = new Set([-32_014, -32_029])

/** The code of a plan that is used up, and how the closing frame of its subscription begins. */
const USED_UP = -32_013
const USED_UP_SENTENCE = 'You have used all'

/** The slot of a live chain's cursor. */
export function slotOf(cursor: string): number {
  return Number(cursor.split('-')[1])
}

/**
 * Starts one. `include` is its filter; `uncountedSince` is since when counts could not be written, if so; one that `isCapped`
 * stops when its plan is used up.
 */
export function createResumingClient({
  port,
  key,
  include,
  problem,
  uncountedSince,
  isCapped = false,
}: Readonly<{
  /** The port of the gateway to try next. */
  port(): number
  key: string
  include?: object
  problem(sentence: string): void
  uncountedSince(): number | undefined
  isCapped?: boolean
}>): ResumingClient {
  const cursors: string[] = []
  const gaps: { fromSlot: number; toSlot: number }[] = []
  let socket: WebSocket
  let hasSubscribed = false
  let stopped = false
  let uncounted = 0
  let awaySince = performance.now()
  let longestAway = 0
  let isFirst = true
  let refusal = 'never'
  let usedUp = false

  const connectAgain = () => {
    if (!stopped) setTimeout(open, RETRY_MS * (1 + Math.random()))
  }

  const open = () => {
    if (stopped) return
    const arrivals: number[] = []
    let wasTold = false
    const own = new WebSocket(`ws://127.0.0.1:${port()}/`, {
      headers: { 'X-API-KEY': key },
      handshakeTimeout: 10_000,
    })
    socket = own
    hasSubscribed = false
    const subscribe = () => {
      const last = cursors.at(-1)
      own.send(
        JSON.stringify({
          id: 1,
          method: 'swapSubscribe',
          params: { ...(include && { include }), ...(last !== undefined && { resume_from: last }) },
        }),
      )
    }
    own.on('open', subscribe)
    own.on('message', (data) => {
      const frame = JSON.parse(String(data))
      if (frame.method === 'swapNotification') {
        const last = cursors.at(-1)
        if (last !== undefined && frame.cursor <= last) problem(`${frame.cursor} came after ${last}.`)
        cursors.push(frame.cursor)
        arrivals.push(performance.now())
      } else if (frame.method === 'gapNotification') gaps.push(frame.params)
      else if (frame.method === 'subscriptionClosed') {
        wasTold = true
        // A client that retries is refused.
        if (frame.reason.startsWith(USED_UP_SENTENCE)) subscribe()
      } else if (frame.id === 1 && frame.result) {
        hasSubscribed = true
        if (!isFirst) longestAway = Math.max(longestAway, performance.now() - awaySince)
        isFirst = false
      } else if (frame.id === 1 && frame.error) {
        refusal = JSON.stringify(frame.error)
        usedUp = isCapped && frame.error.code === USED_UP
        if (usedUp) stopped = true
        else if (!TRY_LATER.has(frame.error.code)) problem(JSON.stringify(frame.error))
        own.close()
      }
    })
    own.on('unexpected-response', (_request, response) => {
      refusal = String(response.statusCode)
      response.on('data', (text) => {
        refusal += ` ${String(text).trim()}`
      })
      // The reader of the answer must end the attempt.
      response.once('end', () => own.terminate())
    })
    own.on('error', () => {})
    own.on('close', () => {
      if (hasSubscribed) awaySince = performance.now()
      hasSubscribed = false
      if (!wasTold) {
        const since = Math.min(performance.now(), uncountedSince() ?? Number.POSITIVE_INFINITY)
        uncounted += arrivals.filter((at) => at > since - COUNTED_WITHIN_MS).length
      }
      connectAgain()
    })
  }
  open()

  return {
    cursors,
    gaps,
    isOpen: () => hasSubscribed,
    perhapsUncounted: () => uncounted,
    longestAwayMs: () => longestAway,
    isUsedUp: () => usedUp,
    refusal: () => refusal,
    newestSlot: () => slotOf(cursors.at(-1) ?? '0-0'),
    stop() {
      stopped = true
      socket.terminate()
    },
  }
}
