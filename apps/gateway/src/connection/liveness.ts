import { afterWaitAndReading, type Clock } from '@pairwire/basics'
import type { GatewayLimits } from '../limits.ts'

/** Whether a client is alive: pings it regularly, and at once when another connection wants its seat. */
export type Liveness = ReturnType<typeof createLiveness>

/** Starts with a client that was just seen. `holdsUnread`: it has sent something that is not read yet. */
export function createLiveness(
  clock: Clock,
  limits: Pick<GatewayLimits, 'idleAfterMs' | 'pingEveryMs' | 'busyPingEveryMs' | 'busyBytes' | 'probeMs'>,
  ping: () => void,
  holdsUnread: () => boolean,
) {
  let lastSeenAt = clock.elapsed()
  let lastPingAt = lastSeenAt
  /** When it was first pinged since it was last seen: a pause of this process, without pings, does not count. */
  let askedAt: number | undefined
  let sentBytesAtPing = 0
  let answerProbe: ((isAlive: boolean) => void) | undefined

  return {
    /** A frame of any kind arrived. */
    noteFrame() {
      lastSeenAt = clock.elapsed()
      askedAt = undefined
      answerProbe?.(true)
    },
    /** The client took some of its queue, which satisfies a probe. */
    noteReading: () => answerProbe?.(true),
    /** The connection has ended. */
    noteEnd: () => answerProbe?.(false),
    /** Milliseconds of the monotonic clock. */
    lastSeenAt: () => lastSeenAt,

    /** Pings when due. */
    check(sentBytes: number) {
      const now = clock.elapsed()
      const isBusy = sentBytes - sentBytesAtPing > limits.busyBytes
      if (now - lastPingAt >= (isBusy ? limits.busyPingEveryMs : limits.pingEveryMs)) {
        lastPingAt = now
        askedAt ??= now
        sentBytesAtPing = sentBytes
        ping()
      }
    },

    /** Whether there was no sign of life for too long, despite a ping. */
    isIdle() {
      const now = clock.elapsed()
      const isAsked = askedAt !== undefined && now - askedAt >= limits.probeMs
      return isAsked && now - lastSeenAt >= limits.idleAfterMs && !holdsUnread()
    },

    /** Pings at once; resolves with whether there was a sign of life in time. */
    probe: () =>
      new Promise<boolean>((resolve) => {
        const cancel = afterWaitAndReading(clock, limits.probeMs, () => answerProbe?.(holdsUnread()))
        answerProbe = (isAlive) => {
          answerProbe = undefined
          cancel()
          resolve(isAlive)
        }
        ping()
      }),
  }
}
