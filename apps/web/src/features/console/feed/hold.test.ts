import { describe, expect, it } from 'vitest'
import { createHold, LINGER_MS, REST_MS } from './hold.ts'

describe('hold', () => {
  it('waits until the pointer rests', () => {
    const hold = createHold()

    hold.begin('point', 1_000)

    expect(hold.at(1_000 + REST_MS - 1).isHeld).toBe(false)
    expect(hold.at(1_000 + REST_MS)).toEqual({ isHeld: true, isPaused: false, reason: 'point' })
  })

  it('ignores a pointer that only passes over the list', () => {
    const hold = createHold()

    hold.begin('point', 1_000)
    hold.end('point', 1_100)

    expect(hold.at(1_101).isHeld).toBe(false)
  })

  it.each(['focus', 'select', 'scroll', 'popup'] as const)('holds at once for %s', (reason) => {
    const hold = createHold()

    hold.begin(reason, 1_000)

    expect(hold.at(1_000)).toMatchObject({ isHeld: true, reason })
  })

  it('lingers after the last reason has ended', () => {
    const hold = createHold()
    hold.begin('focus', 0)
    hold.begin('popup', 0)

    hold.end('popup', 1_000)
    expect(hold.at(9_000)).toMatchObject({ isHeld: true, reason: 'focus' })
    hold.end('focus', 9_000)

    expect(hold.at(9_000 + LINGER_MS - 1)).toMatchObject({ isHeld: true, reason: 'focus' })
    expect(hold.at(9_000 + LINGER_MS).isHeld).toBe(false)
  })

  it('stays paused when every reason ends, until resumed', () => {
    const hold = createHold()
    hold.begin('point', 0)
    hold.pause()
    hold.end('point', 1_000)

    expect(hold.at(100_000)).toEqual({ isHeld: true, isPaused: true, reason: undefined })
    hold.resume()
    expect(hold.at(100_001).isHeld).toBe(false)
  })

  it('drops lasting reasons on resume, until they begin again', () => {
    const hold = createHold()
    hold.begin('focus', 0)
    hold.resume()

    expect(hold.at(1_000).isHeld).toBe(false)
    hold.begin('focus', 2_000)
    expect(hold.at(2_000).isHeld).toBe(true)
  })
})
