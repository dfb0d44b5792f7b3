import type { Clock } from '@pairwire/basics'
import type { GatewayLimits } from '../limits.ts'

/**
 * Collects events for the clients, and requests made in the meantime:
 *
 *     add -> wait -> send -> edge: changes that waited for it (subscribe, update, unsubscribe)
 *                    |  ^
 *                    `--' the turn of the loop is full: the rest goes out in the next one
 *
 * A window adapts: after little was sent, new events leave in the same turn of the loop; after more, they wait longer,
 * since joined writes are what makes many clients cheap.
 *
 * Changes are made only at the edge, so all of them take effect between two events.
 */
export type Window<Item> = ReturnType<typeof createWindow<Item>>

/** What {@link createWindow} needs. */
export type WindowParts<Item> = Readonly<{
  clock: Clock
  limits: Pick<GatewayLimits, 'windowMs' | 'restOwedMs' | 'windowMaxEvents'>
  scheduler: Scheduler
  /** How many times as long as sending a window took the next one waits. */
  restFactor(): number
  /** Sends the items of a window; pauses where the rest may be left for the next turn. */
  send(items: readonly Item[]): Iterator<void, void>
}>

/** Creates an empty window. */
export function createWindow<Item>({ clock, limits, scheduler, restFactor, send }: WindowParts<Item>) {
  let waiting: Item[] = []
  let edge: (() => void)[] = []
  let cancelTimer: (() => void) | undefined
  /** Whether its turn comes without a timer. */
  let isDue = false
  /** The items of the last window. */
  let leaving: readonly Item[] = []
  /** The remaining steps of the window in progress. */
  let rest: Iterator<void, void> | undefined
  let tookMs = 0
  let isSending = false
  /** Milliseconds of the clock at which the rest for everything sent will be over. */
  let restedAt = Number.NEGATIVE_INFINITY

  const turn = (until: number) => {
    const isGreat = waiting.length > limits.windowMaxEvents
    try {
      if (!rest) begin()
      goOn(until)
    } finally {
      isDue = rest !== undefined
      if (waiting.length > 0) beginAfter(isGreat ? 0 : msToRest())
    }
    if (!rest) carryOut()
    return !rest
  }

  const becomeDue = () => {
    cancelTimer = undefined
    isDue = true
    scheduler.add(turn)
  }

  const beginAfter = (ms: number) => {
    if (isDue || cancelTimer) return
    if (ms === 0) becomeDue()
    else cancelTimer = clock.after(ms, becomeDue)
  }

  /** Timers support only whole milliseconds. */
  const msToRest = () => {
    const ms = restedAt - limits.restOwedMs - clock.elapsed()
    return ms < 1 ? 0 : ms
  }

  const begin = () => {
    if (waiting.length === 0) return
    tookMs = 0
    leaving = waiting.slice(0, limits.windowMaxEvents)
    rest = send(leaving)
    waiting = waiting.slice(limits.windowMaxEvents)
  }

  /** Continues the window in progress until it is sent, or the clock reaches `until`. */
  const goOn = (until: number) => {
    if (!rest) return
    const steps = rest
    const wasSending = isSending
    const began = clock.elapsed()
    let isOut: boolean | undefined
    rest = undefined
    isSending = true
    try {
      do isOut = steps.next().done
      while (!isOut && clock.elapsed() < until)
    } finally {
      isSending = wasSending
      tookMs += clock.elapsed() - began
    }
    if (isOut) noteRest()
    else rest = steps
  }

  const noteRest = () => {
    const now = clock.elapsed()
    const restMs = restFactor() * tookMs
    restedAt = Math.min(Math.max(restedAt, now) + restMs, now + limits.windowMs + limits.restOwedMs)
  }

  const carryOut = () => {
    const changes = edge
    edge = []
    for (const change of changes) change()
  }

  const isIdle = () => waiting.length === 0 && edge.length === 0 && !isSending && !rest

  return {
    /** Adds items to send, in chain order. */
    add(items: readonly Item[]) {
      for (const item of items) waiting.push(item)
      if (!isSending && waiting.length > 0) beginAfter(msToRest())
    },

    /** Runs `change` at the edge: at once when nothing is waiting. */
    atEdge(change: () => void) {
      if (isIdle()) change()
      else edge.push(change)
    },

    /** Whether nothing is waiting or being sent. */
    isIdle,

    /** Whether such an item is waiting or being sent. */
    holds: (is: (item: Item) => boolean) => waiting.some(is) || (rest !== undefined && leaving.some(is)),

    /** Delays changes until `work`, which writes to clients itself, is done. */
    hold(work: () => void) {
      isSending = true
      try {
        work()
      } finally {
        isSending = false
      }
      if (waiting.length === 0 && !rest) carryOut()
    },

    /** Sends everything that is waiting. */
    flush() {
      do {
        if (!rest) begin()
        goOn(Number.POSITIVE_INFINITY)
        carryOut()
      } while (waiting.length > 0)
      cancelTimer?.()
      cancelTimer = undefined
    },

    /** Sends the rest of the window in progress, so that every client has all of it or nothing. */
    finish: () => goOn(Number.POSITIVE_INFINITY),
  }
}

/** The work of a window in its turn: it sends until the clock reaches `until`. @returns whether everything is sent */
type Turn = (until: number) => boolean

/**
 * Turns of the event loop, which the windows of several hubs share up to a limit. Each window is sent to its end before
 * the next begins, so they end at different times even if all were due at once.
 */
export class Scheduler {
  readonly #clock: Clock
  readonly #turnMs: number
  readonly #queue: Turn[] = []
  #isDue = false

  /** Gives windows `turnMs` of each turn. */
  constructor(clock: Clock, turnMs: number) {
    this.#clock = clock
    this.#turnMs = turnMs
  }

  /** Runs this in one of the next turns, after those that wait, and continues until everything is sent. */
  add(turn: Turn): void {
    this.#queue.push(turn)
    this.#wake()
  }

  #wake(): void {
    if (this.#isDue || this.#queue.length === 0) return
    this.#isDue = true
    this.#clock.after(0, () => this.#takeTurn())
  }

  #takeTurn(): void {
    const until = this.#clock.elapsed() + this.#turnMs
    // Windows added meanwhile wait a turn, so that sockets are read and written between two windows of one hub.
    let left = this.#queue.length
    this.#isDue = false
    try {
      do {
        const turn = this.#queue.shift()!
        left--
        if (!turn(until)) this.#queue.unshift(turn)
      } while (left > 0 && this.#clock.elapsed() < until)
    } finally {
      this.#wake()
    }
  }
}
