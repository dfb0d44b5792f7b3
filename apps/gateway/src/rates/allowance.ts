import type { Clock } from '@pairwire/basics'
import type { GatewayLimits } from '../limits.ts'
import { createRate, type Rate } from './rate.ts'

/** What an account may send. Its connections share it, and it outlives them: a reconnect brings no fresh burst. */
export type Allowance = Readonly<{
  /** Takes one request of so many bytes; false beyond either rate, and then only its refusal is paid for. */
  takeRequest(bytes: number): boolean
  /** Takes what the account has sent to another gateway. */
  drawElsewhere(requests: number, bytes: number): void
  /** What is read of the account, answered or refused: see `intake.ts`. */
  reading: Rate
}>

/** A full allowance. `onTaken` hears of each request that was allowed. */
export function createAllowance(
  clock: Clock,
  limits: GatewayLimits,
  onTaken: (bytes: number) => void,
): Allowance {
  const requests = createRate(clock, limits.requestsPerSecond, limits.requestsBurst)
  const bytes = createRate(clock, limits.requestBytesPerSecond, limits.requestBytesBurst)
  const reading = createRate(clock, limits.readingPerSecond, limits.readingBurst)

  return {
    takeRequest(size) {
      if (bytes.has(size) && requests.take()) {
        bytes.draw(size)
        onTaken(size)
        return true
      }
      reading.draw(limits.refusalReadingBytes)
      return false
    },
    drawElsewhere(count, size) {
      requests.drawElsewhere(count)
      bytes.drawElsewhere(size)
    },
    reading,
  }
}
