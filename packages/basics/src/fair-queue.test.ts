import { describe, expect, it } from 'vitest'
import { createFairQueue } from './fair-queue.ts'

/** Work that ends when the test says so, and what has started. */
function createWork() {
  const begun: string[] = []
  const ends: (() => void)[] = []
  return {
    begun,
    work: (name: string) => () =>
      new Promise<string>((resolve) => {
        begun.push(name)
        ends.push(() => resolve(name))
      }),
    async endOne() {
      ends.shift()!()
      await new Promise(setImmediate)
    },
  }
}

describe('fair queue', () => {
  it('runs a limited number of tasks at a time', async () => {
    const queue = createFairQueue(2)
    const { begun, work, endOne } = createWork()

    const all = ['a', 'b', 'c', 'd'].map((name) => queue(name, work(name)))
    const before = [...begun]
    await endOne()
    const after = [...begun]
    for (let left = 0; left < 3; left++) await endOne()

    expect([before, after]).toEqual([
      ['a', 'b'],
      ['a', 'b', 'c'],
    ])
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd'])
  })

  // Otherwise one account that resumes a hundred times would keep all others waiting.
  it('runs one task of each waiting owner in turn, however many one has queued', async () => {
    const queue = createFairQueue(1)
    const { begun, work, endOne } = createWork()

    for (const name of ['much 1', 'much 2', 'much 3', 'much 4']) void queue('much', work(name))
    void queue('one', work('one'))
    void queue('two', work('two 1'))
    void queue('two', work('two 2'))
    for (let left = 0; left < 7; left++) await endOne()

    expect(begun).toEqual(['much 1', 'much 2', 'one', 'two 1', 'much 3', 'two 2', 'much 4'])
  })

  it('rejects with the error of a failed task, and continues with the next', async () => {
    const queue = createFairQueue(1)

    const failed = queue('a', () => Promise.reject(new Error('broken')))
    const next = queue('a', async () => 'fine')

    await expect(failed).rejects.toThrow('broken')
    expect(await next).toBe('fine')
  })
})
