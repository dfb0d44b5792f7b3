import type { Clock } from './clock.ts'
import type { GatewayLimits } from './limits.ts'

/**
 * The life of a connection.
 *
 *              end              everything taken           gone
 *     open ──────────▶ draining ────────────────▶ closing ──────▶ closed
 *       │                  │                        ▲  │             ▲
 *       │                  │ client closes          │  │ cut         │
 *       ├──────────────────┴────────────────────────┘  ▼             │
 *       │                  └──── cut ───────────────▶ gone ──────────┤
 *       └──────────────────────── gone ──────────────────────────────┘
 *
 * A connection that ends is out of its seat and of the fan-out at once. It drains: what was queued and its closing
 * frames go out, however slowly the client reads. It is cut when nothing moves for a while, or after a limit in all.
 */
export type Phase = 'open' | 'draining' | 'closing' | 'closed'

/** What moves a connection from phase to phase. */
export type LifeEvent =
  /** We end it. */
  | 'end'
  /** The system has taken everything that was queued: the close frame can follow. */
  | 'taken'
  /** The client says goodbye by itself: nothing may be sent any more. */
  | 'clientCloses'
  /** The socket is closed. */
  | 'gone'

const TABLE: Readonly<Record<Phase, Readonly<Record<LifeEvent, Phase>>>> = {
  open: { end: 'draining', taken: 'open', clientCloses: 'closing', gone: 'closed' },
  draining: { end: 'draining', taken: 'closing', clientCloses: 'closing', gone: 'closed' },
  closing: { end: 'closing', taken: 'closing', clientCloses: 'closing', gone: 'closed' },
  closed: { end: 'closed', taken: 'closed', clientCloses: 'closed', gone: 'closed' },
}

/** A connection's place in the table, and the times that bound it. */
export type Lifetime = Readonly<{
  phase(): Phase
  /** @returns whether the phase has changed */
  on(event: LifeEvent): boolean
  /** The client has read something of what is queued: a cut waits. */
  moved(): void
}>

/** Begins a life. `leave` is called when it stops being open, `cut` when its socket has to be cut. */
export function createLifetime({
  clock,
  limits,
  leave,
  cut,
}: {
  clock: Clock
  limits: Pick<GatewayLimits, 'drainMs' | 'stalledMs'>
  leave: () => void
  cut: () => void
}): Lifetime {
  let phase: Phase = 'open'
  let cancelLimit: (() => void) | undefined
  let cancelStalled: (() => void) | undefined

  const watch = () => {
    cancelStalled?.()
    cancelStalled = clock.after(limits.stalledMs, cut)
  }

  return {
    phase: () => phase,

    on(event) {
      const before = phase
      phase = TABLE[before][event]
      if (phase === before) return false

      if (phase === 'closed') {
        cancelLimit?.()
        cancelStalled?.()
      } else if (before === 'open') {
        cancelLimit = clock.after(limits.drainMs, cut)
        watch()
      }
      if (before === 'open') leave()
      return true
    },

    moved() {
      if (phase === 'draining' || phase === 'closing') watch()
    },
  }
}
