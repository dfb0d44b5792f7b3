import { createHash } from 'node:crypto'
import type { NotedMessage } from '@pairwire/accounts'
import {
  cursorBefore,
  factsText,
  GAP_NOTIFICATION,
  isBuy,
  NOTIFICATION_METHODS,
  type NotificationEvent,
  paramsText,
  type StreamEvent,
  WEBHOOK_LIMITS,
} from '@pairwire/contract'

/** The bounds of a message before it has a number, and its frames. */
export type Bounds = Omit<NotedMessage, 'n' | 'digest' | 'at'>

/** Events that wait to be sent as one message, in chain order. A gap is a message of its own. */
export class Collected {
  readonly #kind: 'swap' | 'newPair'
  readonly #maxEvents: number
  readonly #hasFacts: boolean
  readonly #frames: string[] = []
  readonly #events: { cursor: string; isBuy: boolean }[] = []
  /** Of the body: what stands around the frames takes no more than the first of these. */
  #bytes = 512
  #gap: NotedMessage['gap']
  /** Whether no other event fits. */
  isFull = false
  /** When the first event came and when it had arrived from the chain: milliseconds of `elapsed`, and Unix milliseconds. */
  begunAt = 0
  arrivedAt = 0

  constructor(kind: 'swap' | 'newPair', maxEvents: number, hasFacts: boolean) {
    this.#kind = kind
    this.#maxEvents = maxEvents
    this.#hasFacts = hasFacts
  }

  get count(): number {
    return this.#events.length
  }

  /** Takes the next event; false if it does not fit. */
  take(event: StreamEvent, now: number, elapsed: number): boolean {
    const isGap = event.kind === 'gap'
    if (this.isFull || (isGap && this.count > 0)) {
      this.isFull = true
      return false
    }
    const frame = isGap ? gapFrame(event.params) : frameOf(event, this.#hasFacts)
    const bytes = Buffer.byteLength(frame) + 1 // Its comma.
    if (this.count > 0 && this.#bytes + bytes > WEBHOOK_LIMITS.messageBytes) {
      this.isFull = true
      return false
    }
    if (this.count === 0) {
      this.begunAt = elapsed
      this.arrivedAt = isGap ? now : (event.receivedAt ?? now)
    }
    if (isGap) this.#gap = event.params
    this.#frames.push(frame)
    this.#events.push({ cursor: event.cursor, isBuy: event.kind === 'swap' && isBuy(event) })
    this.#bytes += bytes
    this.isFull = isGap || this.count >= this.#maxEvents
    return true
  }

  /** Leaves the first events only. */
  cut(count: number): void {
    this.#frames.splice(count)
    this.#events.splice(count)
    this.isFull = true
  }

  /** At least one event must be there. */
  message(): { bounds: Bounds; frames: readonly string[] } {
    const [gap, events] = [this.#gap, this.#events]
    const after = cursorBefore(events[0]!.cursor)
    const bounds = {
      ...{ type: gap ? ('gap' as const) : this.#kind, after, count: gap ? 0 : events.length },
      ...{ first: events[0]!.cursor, last: events.at(-1)!.cursor },
      buys: events.filter(({ isBuy }) => isBuy).length,
      ...(gap && { gap }),
    }
    return { bounds, frames: this.#frames }
  }
}

/** A frame of the stream without `subscription_id`. */
export function frameOf(event: NotificationEvent, hasFacts: boolean): string {
  const facts = hasFacts && event.kind !== 'latestBlock' ? `,"facts":${factsText(event)}` : ''
  return `{"method":"${NOTIFICATION_METHODS[event.kind]}","params":${paramsText(event)},"cursor":"${event.cursor}"${facts}}`
}

export function gapFrame(gap: NonNullable<NotedMessage['gap']>): string {
  return JSON.stringify({ method: GAP_NOTIFICATION, params: gap })
}

/** The body of a message, the same whenever it is made of the same events. */
export function bodyOf(
  {
    type,
    at,
    first,
    last,
  }: Pick<NotedMessage, 'at'> & { type: string; first: string | null; last: string | null },
  frames: readonly string[],
  { id, simulated }: Readonly<{ id: string; simulated: boolean }>,
): { body: string; digest: string } {
  const head = JSON.stringify({
    ...{ type, timestamp: new Date(at).toISOString(), ...(simulated && { simulated }) },
    data: { endpoint: id, first, last },
  })
  const body = `${head.slice(0, -2)},"events":[${frames.join(',')}]}}`
  return { body, digest: createHash('sha256').update(body).digest('base64') }
}
