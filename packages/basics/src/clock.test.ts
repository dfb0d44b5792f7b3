import { describe, expect, it } from 'vitest'
import { systemClock } from './clock.ts'

describe('system clock', () => {
  it('calls back once, when due, in order of time', async () => {
    const called: string[] = []

    await new Promise<void>((resolve) => {
      const keepAlive = setInterval(() => {}, 1_000)
      systemClock.after(2, () => {
        called.push('after two')
        clearInterval(keepAlive)
        resolve()
      })
      systemClock.after(0, () => called.push('at once'))
      systemClock.after(1, () => called.push('never'))()
    })

    expect(called).toEqual(['at once', 'after two'])
  })

  it('returns Unix milliseconds, and a time that only grows', () => {
    const before = systemClock.elapsed()

    expect(Math.abs(systemClock.now() - Date.now())).toBeLessThan(1_000)
    expect(systemClock.elapsed()).toBeGreaterThanOrEqual(before)
  })
})
