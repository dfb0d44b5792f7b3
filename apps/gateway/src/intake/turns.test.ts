import { describe, expect, it } from 'vitest'
import { Turns } from './turns.ts'

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

describe('turns', () => {
  it('have room for their budget, and again in the next turn', async () => {
    const turns = new Turns(100, (begin) => begin())

    turns.spend(99)
    const before = turns.isFree()
    turns.spend(1)
    const full = turns.isFree()
    await nextTurn()

    expect([before, full, turns.isFree()]).toEqual([true, false, true])
  })

  it('serve waiting work until the budget is used up, then in the next turn', async () => {
    const turns = new Turns(100, (begin) => begin())
    const served: number[] = []
    for (let number = 1; number <= 5; number++) {
      turns.wait(50, () => {
        turns.spend(50)
        served.push(number)
      })
    }

    const seen: number[][] = []
    for (let turn = 0; turn < 3; turn++) {
      await nextTurn()
      seen.push([...served])
    }

    expect(seen).toEqual([
      [1, 2],
      [1, 2, 3, 4],
      [1, 2, 3, 4, 5],
    ])
  })

  // Otherwise an occasional ping would wait behind every flood.
  it('serve those first that have spent least, and nothing at once while others wait', async () => {
    const turns = new Turns(100, (begin) => begin())
    const served: string[] = []
    const wait = (name: string, spent: number) =>
      turns.wait(spent, () => {
        turns.spend(40)
        served.push(name)
      })

    wait('flooder', 8_000_000)
    wait('another', 900_000)
    wait('client', 4_100)
    const isFree = turns.isFree()
    await nextTurn()

    expect(served).toEqual(['client', 'another', 'flooder'])
    expect(isFree).toBe(false)
  })

  it('begin once the work of the previous one is done', async () => {
    let done = () => {}
    const turns = new Turns(100, (begin) => {
      done = begin
    })
    turns.spend(100)

    await nextTurn()
    const before = turns.isFree()
    done()

    expect([before, turns.isFree()]).toEqual([false, true])
  })

  it('forget work that no longer waits', async () => {
    const turns = new Turns(100, (begin) => begin())
    let served = 0

    const cancel = turns.wait(1, () => served++)
    cancel()
    cancel()
    const isFree = turns.isFree()
    await nextTurn()

    expect([served, isFree]).toEqual([0, true])
  })
})
