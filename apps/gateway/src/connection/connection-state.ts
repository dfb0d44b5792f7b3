/**
 * The life of a connection.
 *
 *              end              taken: all that was queued      gone
 *     open ──────────▶ draining ─────────────────▶ closing ───────────▶ closed
 *       │                  │ client closes            ▲                    ▲
 *       ├──────────────────┴──────────────────────────┘                    │
 *       └───────────────────────── gone ───────────────────────────────────┘
 *
 * A connection that ends leaves its seat and the fan-out at once. While it drains, its queue and its closing frames go
 * out, however slowly the client reads. It is cut when nothing moves for a while, or after a total limit.
 */
type Phase = 'open' | 'draining' | 'closing' | 'closed'

/** An input of a connection. */
type Input =
  /** From the client: a text or binary frame, a ping, a pong, a close after which nothing may be sent. */
  | 'frame'
  | 'ping'
  | 'pong'
  | 'clientCloses'
  /** The client has read some of the queue. */
  | 'moved'
  /** The gateway ends it. */
  | 'end'
  /** The system has taken the whole queue. */
  | 'taken'
  /** The socket is closed. */
  | 'gone'

/** The action for an input. */
type Action =
  | 'nothing'
  /** Execute the request. */
  | 'serve'
  | 'answerPing'
  /** Record the sign of life. */
  | 'noteLife'
  /** Record that a probed client is still reading. */
  | 'noteReading'
  /** Leave the seat and the fan-out, queue the closing frames and drain. */
  | 'sayGoodbye'
  /** Nothing reads any more: leave, and drop the queue. */
  | 'letGo'
  | 'hangUp'
  /** Delay the cut: the client is still reading. */
  | 'wait'
  /** Ignore it, but cut a client that sends many. */
  | 'overhear'
  /** The same, and answer a ping despite the queue, since the client may need that to keep reading. */
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

/** Creates the state of a new connection. */
export function createConnectionState() {
  let phase: Phase = 'open'
  return {
    phase: () => phase,
    /** Moves to the next state, and returns the action. */
    on(input: Input): Action {
      const [next, action] = TABLE[phase][input]
      phase = next
      return action
    },
  }
}
