import type { Clock } from '@pairwire/basics'
import type { GatewayLimits } from '../limits.ts'
import { createRate } from './rate.ts'

/** What an account may send. Its connections share it, and it outlives them: a reconnect gives no fresh burst. */
export type Allowance = ReturnType<typeof createAllowance>

/** A full allowance. `onTaken` is called for each allowed request. */
export function createAllowance(clock: Clock, limits: GatewayLimits, onTaken: (bytes: number) => void) {
  const requests = createRate(clock, limits.requestsPerSecond, limits.requestsBurst)
  const bytes = createRate(clock, limits.requestBytesPerSecond, limits.requestBytesBurst)
  const reading = createRate(clock, limits.readingPerSecond, limits.readingBurst)

  return {
    /** Takes one request of `size` bytes; false beyond either rate, which costs only the refusal. */
    takeRequest(size: number) {
      if (bytes.has(size) && requests.take()) {
        bytes.draw(size)
        onTaken(size)
        return true
      }
      reading.draw(limits.refusalReadingBytes)
      return false
    },
    /** Takes requests, and their bytes, that the account has sent to another gateway. */
    drawElsewhere(count: number, size: number) {
      requests.drawElsewhere(count)
      bytes.drawElsewhere(size)
    },
    /** The bytes read from the account, answered or refused: see `intake.ts`. */
    reading,
  }
}
