/**
 * The life of a connection.
 *
 *              end              taken: all that was queued      gone
 *     open ──────────▶ draining ─────────────────▶ closing ───────────▶ closed
 *       │                  │ client closes            ▲                    ▲
 *       ├──────────────────┴──────────────────────────┘                    │
 *       └───────────────────────── gone ───────────────────────────────────┘
 *
 * A connection that ends is out of its seat and of the fan-out at once. It drains: what was queued and its closing
 * frames go out, however slowly the client reads. It is cut when nothing moves for a while, or after a limit in all.
 */
type Phase = 'open' | 'draining' | 'closing' | 'closed'

/** What happens to a connection. */
type Input =
  /** From the client: a frame of text or bytes, a ping, a pong, a goodbye after which nothing may be sent. */
  | 'frame'
  | 'ping'
  | 'pong'
  | 'clientCloses'
  /** The client has read something of what is queued. */
  | 'moved'
  /** We end it. */
  | 'end'
  /** The system has taken everything that was queued. */
  | 'taken'
  /** The socket is closed. */
  | 'gone'

/** What is done about it. */
type Action =
  | 'nothing'
  /** Carry the request out. */
  | 'serve'
  | 'answerPing'
  /** Note the sign of life. */
  | 'noteLife'
  /** Note that a client that was asked for a sign of life reads on. */
  | 'noteReading'
  /** Leave seat and fan-out, say the last words and let them drain. */
  | 'sayGoodbye'
  /** Nobody reads any more: leave, and let go of what is queued. */
  | 'letGo'
  | 'hangUp'
  /** Wait longer with the cut: there is somebody who reads. */
  | 'wait'
  /** Do not look at it, but cut who sends many of them. */
  | 'overhear'
  /** The same, and answer whatever is queued, since the client may be waiting for it to read on. */
  | 'answerLastPing'

const TABLE: Readonly<Record<Phase, Readonly<Record<Input, readonly [Phase, Action]>>>> = {
  open: {
    frame: ['open', 'serve'],
    ping: ['open', 'answerPing'],
    pong: ['open', 'noteLife'],
    clientCloses: ['closing', 'letGo'],
    moved: ['open', 'noteReading'],
    end: ['draining', 'sayGoodbye'],
    taken: ['open', 'nothing'],
    gone: ['closed', 'letGo'],
  },
  draining: {
    frame: ['draining', 'overhear'],
    ping: ['draining', 'answerLastPing'],
    pong: ['draining', 'wait'],
    clientCloses: ['closing', 'letGo'],
    moved: ['draining', 'wait'],
    end: ['draining', 'nothing'],
    taken: ['closing', 'hangUp'],
    gone: ['closed', 'letGo'],
  },
  closing: {
    frame: ['closing', 'overhear'],
    ping: ['closing', 'overhear'],
    pong: ['closing', 'wait'],
    clientCloses: ['closing', 'letGo'],
    moved: ['closing', 'wait'],
    end: ['closing', 'nothing'],
    taken: ['closing', 'nothing'],
    gone: ['closed', 'letGo'],
  },
  closed: {
    frame: ['closed', 'overhear'],
    ping: ['closed', 'overhear'],
    pong: ['closed', 'nothing'],
    clientCloses: ['closed', 'nothing'],
    moved: ['closed', 'nothing'],
    end: ['closed', 'nothing'],
    taken: ['closed', 'nothing'],
    gone: ['closed', 'nothing'],
  },
}

/** Begins a life: a place in the table. */
export function createConnectionState() {
  let phase: Phase = 'open'
  return {
    phase: () => phase,
    /** Moves on, and says what to do. */
    on(input: Input): Action {
      const [next, action] = TABLE[phase][input]
      phase = next
      return action
    },
  }
}
