import { systemClock } from './clock.ts'

/** Settles like `work`, but resolves after `ms` at the latest. */
export async function within(ms: number, work: Promise<unknown>): Promise<void> {
  const limit = new AbortController()
  await Promise.race([work, systemClock.wait(ms, limit.signal)]).finally(() => limit.abort())
}
