import type { Clock } from '@pairwire/basics'
import { createJumpingClock } from '@pairwire/basics/testing/manual-clock'
import { encodeBase58, isAddress } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { createSimulator, SLOT_MS } from './simulator.ts'
import type { Bank, Block, EarlySink } from './source.ts'

const START = Date.UTC(2026, 10, 20)

function simulator(clock: Clock = createJumpingClock(START), swapsPerSecond = 10) {
  return createSimulator({ seed: 5, swapsPerSecond, clock, nextRun: async () => 9 })
}

async function take(blocks: AsyncIterable<Block>, count: number, onBlock = () => {}): Promise<Block[]> {
  const taken: Block[] = []
  for await (const block of blocks) {
    onBlock()
    if (taken.push(block) === count) break
  }
  return taken
}

const never = new AbortController().signal

/** Records early messages: the signatures of executed transactions, and dead banks. */
function anEarlySink(clock: Clock) {
  const told: (Bank & { signature?: string; at: number })[] = []
  const early: EarlySink = {
    isWanted: () => true,
    executed: ({ blockTime: _, ...bank }, { signature }) =>
      told.push({ ...bank, signature: encodeBase58(signature), at: clock.now() }),
    died: (bank) => told.push({ ...bank, at: clock.now() }),
  }
  return { early, told }
}

describe('simulator', () => {
  // Otherwise a service that starts answers nobody for most of a second.
  it('lets other work have its turns while it makes the trades before its first block', async () => {
    let [turns, isOver] = [0, false]
    const countTurn = () => {
      turns++
      if (!isOver) setImmediate(countTurn)
    }
    // Called once all modules are loaded.
    const nextRun = async () => {
      countTurn()
      return 9
    }

    const clock = createJumpingClock(START)
    await take(createSimulator({ seed: 5, swapsPerSecond: 10, clock, nextRun }).blocks(never), 1)

    isOver = true
    expect(turns).toBeGreaterThan(800)
  })

  it('executes a block during its slot for early listeners, and confirms it at the end', async () => {
    const clock = createJumpingClock(START)
    const { early, told } = anEarlySink(clock)
    const confirmedAt = new Map<number, number>()

    const blocks: Block[] = []
    for await (const block of simulator(clock, 100).blocks(never, undefined, undefined, early)) {
      confirmedAt.set(block.slot, clock.now())
      if (blocks.push(block) === 4) break
    }

    const leads = told
      .filter(({ slot }) => slot > blocks[0]!.slot)
      .map((each) => confirmedAt.get(each.slot)! - each.at)
    expect(Math.max(...leads)).toBe(SLOT_MS)
    expect(Math.min(...leads)).toBeGreaterThan(0)
    expect(told.map(({ signature }) => signature)).toEqual(
      blocks.flatMap(({ transactions }) => transactions.map(({ signature }) => encodeBase58(signature))),
    )
  })

  it('confirms the same blocks at the same times, with or without early listeners', async () => {
    const confirmed = async (isWanted: boolean) => {
      const clock = createJumpingClock(START)
      const { early } = anEarlySink(clock)
      const blocks: unknown[] = []
      for await (const block of simulator(clock).blocks(never, undefined, undefined, {
        ...early,
        isWanted: () => isWanted,
      })) {
        const { transactions, ...rest } = block
        const bytes = transactions.map(({ signature, keys, instructions }) => ({
          signature,
          keys,
          instructions,
        }))
        if (blocks.push({ ...rest, bytes, at: clock.now() }) === 30) return blocks
      }
    }

    expect(await confirmed(true)).toEqual(await confirmed(false))
  })

  it('occasionally lets a slot die half executed, reproducibly for a seed, and executes it again', async () => {
    const deaths = async () => {
      const clock = createJumpingClock(START)
      const { early, told } = anEarlySink(clock)
      const blocks = await take(simulator(clock, 1).blocks(never, undefined, undefined, early), 600)
      const ofSlot = (slot: number) => blocks.find((block) => block.slot === slot)!.transactions
      return told.flatMap((each) => {
        if (each.signature !== undefined) return []
        const signatures = ofSlot(each.slot).map(({ signature }) => encodeBase58(signature))
        const bank = (number: number) =>
          told
            .filter(({ slot, bank, signature }) => slot === each.slot && bank === number && signature)
            .map(({ signature }) => signature)
        expect(bank(1)).toEqual(signatures.slice(0, Math.floor(signatures.length / 2)))
        expect(bank(2)).toEqual(signatures)
        return [each.slot]
      })
    }

    const died = await deaths()

    expect(died.length).toBeGreaterThan(0)
    expect(died.length).toBeLessThan(8)
    expect(await deaths()).toEqual(died)
  })

  it('delivers a block every 400 ms with the clock in slot and time', async () => {
    const clock = createJumpingClock(START)

    const blocks = await take(simulator(clock).blocks(never), 6)

    expect(clock.waits).toEqual([SLOT_MS, SLOT_MS, SLOT_MS, SLOT_MS, SLOT_MS])
    expect(blocks.map((block) => block.slot - blocks[0]!.slot)).toEqual([0, 1, 2, 3, 4, 5])
    expect(blocks.map((block) => block.blockTime - START / 1000)).toEqual([0, 0, 0, 1, 1, 2])
    expect(blocks.every((block) => block.run === 9)).toBe(true)
  })

  it('names each block and its parent by hashes in the chain’s form, reproducible for a seed', async () => {
    const clock = createJumpingClock(START)

    const blocks = await take(simulator(clock).blocks(never), 3)
    const again = await take(simulator().blocks(never), 3)

    expect(blocks.every(({ hashes }) => isAddress(hashes!.blockhash!))).toBe(true)
    expect(blocks.slice(1).map(({ hashes }) => hashes!.parentBlockhash)).toEqual(
      blocks.slice(0, -1).map(({ hashes }) => hashes!.blockhash),
    )
    expect(again.map(({ hashes }) => hashes)).toEqual(blocks.map(({ hashes }) => hashes))
  })

  it('gives every transaction its index in the block', async () => {
    const [block] = await take(simulator(undefined, 500).blocks(never), 1)

    expect(block?.transactions.length).toBeGreaterThan(100)
    for (const [index, transaction] of block!.transactions.entries()) {
      expect(transaction).toMatchObject({ slot: block!.slot, blockTime: block!.blockTime, index })
    }
  })

  it('continues with higher slots and other transactions after a restart', async () => {
    const clock = createJumpingClock(START)
    const signatures = (blocks: readonly Block[]) =>
      blocks.flatMap((block) => block.transactions.map((each) => encodeBase58(each.signature)))

    const before = await take(simulator(clock).blocks(never), 5)
    clock.advance(60_000)
    const after = await take(simulator(clock).blocks(never), 5)

    expect(after[0]!.slot).toBeGreaterThan(before.at(-1)!.slot)
    expect(signatures(after).filter((signature) => signatures(before).includes(signature))).toEqual([])
  })

  it('catches up after a short pause slot by slot, and skips older slots', async () => {
    const clock = createJumpingClock(START)
    const heldUpFor = [0, 4_000, 0, 0, 600_000, 0]

    const blocks = await take(simulator(clock).blocks(never), 40, () => clock.advance(heldUpFor.shift() ?? 0))

    const steps = blocks.slice(1).map((block, at) => block.slot - blocks[at]!.slot)
    expect(steps.filter((step) => step !== 1)).toHaveLength(1)
    expect(Math.max(...steps)).toBeGreaterThan(1_000)
    expect(steps.every((step) => step > 0)).toBe(true)
  })

  it('continues at its pace, slot by slot, when the clock is set back', async () => {
    const clock = createJumpingClock(START)
    const steps = [0, 0, -3_600_000]

    const blocks = await take(simulator(clock).blocks(never), 6, () => clock.step(steps.shift() ?? 0))

    expect(blocks.map((block) => block.slot - blocks[0]!.slot)).toEqual([0, 1, 2, 3, 4, 5])
    expect(clock.waits).toEqual([SLOT_MS, SLOT_MS, SLOT_MS, SLOT_MS, SLOT_MS])
  })

  it('ends on abort', async () => {
    const stop = new AbortController()
    const taken: Block[] = []

    for await (const block of simulator().blocks(stop.signal)) if (taken.push(block) === 3) stop.abort()

    expect(taken).toHaveLength(3)
  })
})
