import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import { createIntake } from './intake.ts'

/** Bytes of the heap after garbage collection. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

function anIntake() {
  const taken: { text: string; countOnly: boolean }[] = []
  let now = 0
  const intake = createIntake({
    clock: () => now,
    take: (text, countOnly) => taken.push({ text, countOnly }),
  })
  return { intake, taken, wait: (ms: number) => (now += ms) }
}

describe('intake', () => {
  it('passes on every frame in order', () => {
    const { intake, taken } = anIntake()
    for (let index = 0; index < 1_000; index++) intake.push(String(index))

    while (intake.drain());

    expect(taken.map((frame) => frame.text)).toEqual(
      Array.from({ length: 1_000 }, (_, index) => String(index)),
    )
    expect(taken.some((frame) => frame.countOnly)).toBe(false)
  })

  it('stops after a slice and continues where it was', () => {
    let now = 0
    const taken: string[] = []
    const intake = createIntake({
      clock: () => now,
      take: (text) => {
        now += 1
        taken.push(text)
      },
    })
    for (let index = 0; index < 100; index++) intake.push(String(index))

    expect(intake.drain()).toBe(true)
    expect(taken.length).toBeLessThan(100)
    while (intake.drain());
    expect(taken).toHaveLength(100)
  })

  it('keeps nothing of the frames it has passed on, also while others always wait', () => {
    let now = 0
    const intake = createIntake({ clock: () => now++, take: () => now++ })
    const frame = () => intake.push(Buffer.alloc(10_000, 'x').toString('latin1'))
    for (let index = 0; index < 100; index++) frame()
    const before = heapBytes()

    for (let slice = 0; slice < 100; slice++) {
      for (let index = 0; index < 32; index++) frame()
      expect(intake.drain()).toBe(true)
    }

    expect(heapBytes() - before).toBeLessThan(10_000_000)
  })

  it('only counts when too many frames wait, and makes rows again once they are processed', () => {
    const { intake, taken } = anIntake()
    for (let index = 0; index < 6_000; index++) intake.push('x')

    intake.flush()

    expect(taken).toHaveLength(6_000)
    expect(taken[0]!.countOnly).toBe(true)
    expect(taken.at(-1)!.countOnly).toBe(false)
    expect(intake.isSampling).toBe(false)
  })

  it('only counts when frames have waited too long', () => {
    const { intake, taken, wait } = anIntake()
    intake.push('x')
    wait(501)

    intake.flush()

    expect(taken[0]!.countOnly).toBe(true)
  })
})
