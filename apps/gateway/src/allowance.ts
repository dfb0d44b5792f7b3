import type { Clock } from './clock.ts'
import type { GatewayLimits } from './limits.ts'
import { createRate, type Rate } from './rate.ts'
import { createRemembered } from './remembered.ts'

/** What an account may send. Its connections share it, and it outlives them: a reconnect brings no fresh burst. */
export type Allowance = Readonly<{
  /** Takes one request of so many bytes; false beyond either rate, and then only its refusal is paid for. */
  takeRequest(bytes: number): boolean
  /** What is read of the account, be it answered or refused: see `intake.ts`. */
  reading: Rate
}>

/** The allowances of accounts, by their ids. */
export function createAllowances(clock: Clock, limits: GatewayLimits): (accountId: string) => Allowance {
  return createRemembered(() => createAllowance(clock, limits), limits.rememberedRates)
}

/** An allowance that nobody shares. */
export function createAllowance(clock: Clock, limits: GatewayLimits): Allowance {
  const requests = createRate(clock, limits.requestsPerSecond, limits.requestsBurst)
  const bytes = createRate(clock, limits.requestBytesPerSecond, limits.requestBytesBurst)
  const reading = createRate(clock, limits.readingPerSecond, limits.readingBurst)

  return {
    takeRequest(size) {
      if (bytes.has(size) && requests.take()) {
        bytes.draw(size)
        return true
      }
      reading.draw(limits.refusalReadingBytes)
      return false
    },
    reading,
  }
}
