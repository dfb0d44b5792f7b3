import type { Clock } from '@pairwire/process'
import type { GatewayLimits } from './limits.ts'
import type { Pace } from './pace.ts'

/**
 * Events on their way to the clients, and what clients asked for meanwhile:
 *
 *     add -> wait -> send -> edge: changes that waited for it (subscribe, update, unsubscribe)
 *                    |  ^
 *                    `--' the turn of the loop is full: the rest goes out in the next one
 *
 * A window breathes: what comes while little was sent just before leaves in the same turn of the loop, and what comes
 * after more waits the longer the more that took, since joined writes are what makes many clients cheap.
 *
 * Changes are carried out at the edge only, so all of them take effect between two events.
 */
export type Window<Item> = Readonly<{
  /** Adds what is to be sent, in chain order. The list is not to be changed afterwards. */
  add(items: readonly Item[]): void
  /** Carries `change` out at the edge: at once when nothing is waiting. */
  atEdge(change: () => void): void
  /** Sends everything that waits. */
  flush(): void
  /** Sends the rest of what is on its way, so that everybody has had all of it or nothing. */
  finish(): void
  /** Whether nothing waits, and nothing is being sent. */
  isIdle(): boolean
  /** Has changes wait until `work`, which writes to clients by itself, is done. */
  hold(work: () => void): void
}>

/** What a window calls. */
export type WindowCalls = Readonly<{
  /** Called before each edge, whether anything is sent or not. */
  beforeFlush(): void
  /** Called when something was sent. */
  afterFlush(): void
}>

/**
 * How many times as long as a window took to send the next one waits, for each hub that has clients: so sending takes a
 * tenth of the time, or windows are long. Who asks for events ahead of confirmation pays for a third of it.
 */
const REST_FACTOR = { confirmed: 10, processed: 2 }

/**
 * Makes a window whose items go to `send`, which does a step of the work each time that it is asked to go on, until all
 * of them are out, and says between two steps how many events the next one brings to a client.
 */
export function createWindow<Item>({
  clock,
  limits,
  pace,
  commitment = 'confirmed',
  send,
  beforeFlush,
  afterFlush,
}: WindowCalls &
  Readonly<{
    clock: Clock
    limits: Pick<GatewayLimits, 'windowMs' | 'restOwedMs' | 'windowMaxEvents'>
    pace: Pace
    /** Of the events; `confirmed` without it. */
    commitment?: keyof typeof REST_FACTOR
    send: (items: readonly Item[]) => Iterator<number, void>
  }>): Window<Item> {
  /** The very list that was added, as long as it is one: several windows have the same then. */
  let waiting: readonly Item[] = []
  /** A list of its own, for what is added to what waits. */
  let joined: Item[] | undefined
  let edge: (() => void)[] = []
  let cancelTimer: (() => void) | undefined
  /** What is left to do for the window that is on its way. */
  let rest: Iterator<number, void> | undefined
  /** Whether its turn comes without a timer. */
  let isDue = false
  let tookMs = 0
  let isSending = false
  /** Milliseconds of the clock at which all that was sent will have been rested for. */
  let restedAt = Number.NEGATIVE_INFINITY

  /** A step of the window that is on its way, or the first one of what waits; behind the last one the edge. */
  const step = () => {
    let next: number | undefined
    try {
      if (!rest) begin()
      next = sendOn(false)
    } finally {
      isDue = next !== undefined
    }
    if (next !== undefined) return next
    carryOut()
    // In a turn of its own, so that sockets are read and written between two windows.
    if (waiting.length > 0) cancelTimer ??= clock.after(0, becomeDue)
    return undefined
  }
  const work = { step }

  const becomeDue = () => {
    cancelTimer?.()
    cancelTimer = undefined
    isDue = true
    pace.begin(work)
  }

  const carryOut = () => {
    const changes = edge
    edge = []
    for (const change of changes) change()
  }

  const begin = () => {
    beforeFlush()
    if (waiting.length === 0) return
    const items = waiting
    waiting = items.length > limits.windowMaxEvents ? items.slice(limits.windowMaxEvents) : []
    joined = undefined
    tookMs = 0
    rest = send(waiting.length > 0 ? items.slice(0, limits.windowMaxEvents) : items)
  }

  /** Does the next step of the window, or all that are left. @returns what the one behind it brings, if there is one */
  const sendOn = (isWhole: boolean): number | undefined => {
    if (!rest) return undefined
    const steps = rest
    const wasSending = isSending
    rest = undefined
    isSending = true
    const began = clock.elapsed()
    let next: IteratorResult<number, void> | undefined
    try {
      do next = steps.next()
      while (isWhole && !next.done)
    } finally {
      isSending = wasSending
      tookMs += clock.elapsed() - began
    }
    if (next.done) {
      end()
      return undefined
    }
    rest = steps
    return next.value
  }

  const end = () => {
    const ended = clock.elapsed()
    const restMs = REST_FACTOR[commitment] * pace.hubs() * tookMs
    restedAt = Math.min(Math.max(restedAt, ended) + restMs, ended + limits.windowMs + limits.restOwedMs)
    afterFlush()
  }

  const isIdle = () => waiting.length === 0 && edge.length === 0 && !isSending && !rest

  return {
    add(items) {
      if (waiting.length === 0) waiting = items
      else {
        if (!joined) waiting = joined = [...waiting]
        for (const item of items) joined.push(item)
      }

      if (isDue) return
      // Timers know whole milliseconds only.
      const restMs = restedAt - limits.restOwedMs - clock.elapsed()
      if (restMs < 1 || waiting.length >= limits.windowMaxEvents) becomeDue()
      else cancelTimer ??= clock.after(restMs, becomeDue)
    },

    atEdge(change) {
      if (isIdle()) change()
      else edge.push(change)
    },

    isIdle,

    hold(work) {
      isSending = true
      try {
        work()
      } finally {
        isSending = false
      }
      if (waiting.length === 0 && !rest) carryOut()
    },

    flush() {
      do {
        if (!rest) begin()
        sendOn(true)
        carryOut()
      } while (waiting.length > 0)
      cancelTimer?.()
      cancelTimer = undefined
    },

    finish() {
      sendOn(true)
    },
  }
}
