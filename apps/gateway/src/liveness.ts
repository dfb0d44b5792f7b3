import type { Clock } from '@pairwire/process'
import type { GatewayLimits } from './limits.ts'

/** Whether a client is still there: pings it in time, and asks at once when another one wants its place. */
export type Liveness = Readonly<{
  /** A frame of any kind came. */
  noteFrame(): void
  /** The client took something of what is queued: enough for who asks now. */
  noteReading(): void
  /** The connection has ended. */
  noteEnd(): void
  /** Milliseconds of the clock that never steps back. */
  lastSeenAt(): number
  /** Pings when it is time; false when there was no sign of life for too long. */
  check(sentBytes: number): boolean
  /** Pings at once; resolves with whether there was a sign of life in time. */
  probe(): Promise<boolean>
}>

/** Begins with a client that was just seen. */
export function createLiveness(
  clock: Clock,
  limits: Pick<GatewayLimits, 'idleAfterMs' | 'pingEveryMs' | 'busyPingEveryMs' | 'busyBytes' | 'probeMs'>,
  ping: () => void,
): Liveness {
  let lastSeenAt = clock.elapsed()
  let lastPingAt = lastSeenAt
  let sentBytesAtPing = 0
  let answerProbe: ((isAlive: boolean) => void) | undefined

  return {
    noteFrame() {
      lastSeenAt = clock.elapsed()
      answerProbe?.(true)
    },
    noteReading: () => answerProbe?.(true),
    noteEnd: () => answerProbe?.(false),
    lastSeenAt: () => lastSeenAt,

    check(sentBytes) {
      const now = clock.elapsed()
      if (now - lastSeenAt >= limits.idleAfterMs) return false
      const isBusy = sentBytes - sentBytesAtPing > limits.busyBytes
      if (now - lastPingAt >= (isBusy ? limits.busyPingEveryMs : limits.pingEveryMs)) {
        lastPingAt = now
        sentBytesAtPing = sentBytes
        ping()
      }
      return true
    },

    probe: () =>
      new Promise((resolve) => {
        const cancel = clock.after(limits.probeMs, () => answerProbe?.(false))
        answerProbe = (isAlive) => {
          answerProbe = undefined
          cancel()
          resolve(isAlive)
        }
        ping()
      }),
  }
}
