import type { Clock } from './clock.ts'
import type { GatewayLimits } from './limits.ts'

/**
 * Events on their way to the clients, and what clients asked for meanwhile:
 *
 *     add -> events wait (5 ms) -> send -> edge: changes that waited for it (subscribe, update, unsubscribe)
 *                                   `---- more than fit one turn: the next, a turn of the loop later
 *
 * Changes are carried out at the edge only, so all of them take effect between two events.
 */
export type Window<Item> = Readonly<{
  /** Adds what is to be sent, in chain order. */
  add(items: readonly Item[]): void
  /** Carries `change` out at the edge: at once when nothing is waiting. */
  atEdge(change: () => void): void
  /** Sends everything that waits. */
  flush(): void
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

/** Makes a window whose items go to `send`. */
export function createWindow<Item>({
  clock,
  limits,
  send,
  beforeFlush,
  afterFlush,
}: WindowCalls &
  Readonly<{
    clock: Clock
    limits: Pick<GatewayLimits, 'windowMs' | 'windowMaxEvents'>
    send: (items: readonly Item[]) => void
  }>): Window<Item> {
  let waiting: Item[] = []
  let edge: (() => void)[] = []
  let cancelTimer: (() => void) | undefined
  let isSending = false

  const flush = () => {
    cancelTimer?.()
    cancelTimer = undefined
    beforeFlush()
    if (waiting.length > 0) {
      sendWaiting()
      afterFlush()
    }
    carryOut()
    if (waiting.length > 0) cancelTimer ??= clock.after(0, flush)
  }

  const carryOut = () => {
    const changes = edge
    edge = []
    for (const change of changes) change()
  }

  const sendWaiting = () => {
    const items = waiting
    waiting = items.length > limits.windowMaxEvents ? items.slice(limits.windowMaxEvents) : []
    isSending = true
    try {
      send(waiting.length > 0 ? items.slice(0, limits.windowMaxEvents) : items)
    } finally {
      isSending = false
    }
  }

  return {
    add(items) {
      for (const item of items) waiting.push(item)

      if (waiting.length >= limits.windowMaxEvents) {
        cancelTimer?.()
        cancelTimer = clock.after(0, flush)
      } else {
        cancelTimer ??= clock.after(limits.windowMs, flush)
      }
    },

    atEdge(change) {
      if (waiting.length === 0 && edge.length === 0 && !isSending) change()
      else edge.push(change)
    },

    hold(work) {
      isSending = true
      try {
        work()
      } finally {
        isSending = false
      }
      if (waiting.length === 0) carryOut()
    },

    flush() {
      do flush()
      while (waiting.length > 0)
      cancelTimer?.()
      cancelTimer = undefined
    },
  }
}
