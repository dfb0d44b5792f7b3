import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import {
  type ChainStep,
  type ChainTransaction,
  createChain,
  serveYellowstone,
  type Yellowstone,
} from '@pairwire/chain-double'
import { decodeTransaction, readRpcTransaction } from '@pairwire/decoders'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Frame, type LiveStreet, marketBlocks, openLiveStreet } from './testing/live-street.ts'

/** Slots between execution and confirmation on the stand-in. */
const DELAY = 3

/** Blocks of the chain; after them come those of forks that die. */
const BLOCKS = 40

const isSwap = ({ method }: Frame) => method === 'swapNotification'
const isEnd = ({ method }: Frame) => method === 'latestBlockNotification'

/** Distinguishes swaps, and the same swap in another slot. */
const keyOf = ({ params: { slot, signature, swap } }: Frame) =>
  [slot, signature, swap.ammAccount, swap.swapType, swap.baseAmount, swap.quoteAmount].join(' ')

const swapsIn = (transactions: readonly ChainTransaction[]) =>
  transactions.flatMap((record) =>
    decodeTransaction(readRpcTransaction({ ...record, slot: 0, blockTime: 0 })!).events.filter(
      ({ kind }) => kind === 'swap',
    ),
  ).length

/** What an early client has after applying all retractions. */
function keptOf(frames: readonly Frame[]): string[] {
  const kept: Frame[] = []
  let settled = 0
  for (const frame of frames) {
    if (isSwap(frame)) kept.push(frame)
    else if (isEnd(frame)) settled = frame.params.block
    else if (frame.method === 'slotDroppedNotification') {
      const { slot, signatures } = frame.params
      // Nothing of a slot whose end was announced is taken back.
      expect(slot).toBeGreaterThan(settled)
      for (const signature of signatures) {
        const taken = kept.filter(({ params }) => params.slot === slot && params.signature === signature)
        expect(taken.length).toBeGreaterThan(0)
        for (const each of taken) kept.splice(kept.indexOf(each), 1)
      }
    }
  }
  return kept.map(keyOf).sort()
}

describe('events ahead of confirmation, from an endpoint that kills one slot in twenty', () => {
  let market: ChainTransaction[][]
  beforeAll(async () => {
    market = await marketBlocks(BLOCKS + 8)
  })

  type Play = Readonly<{
    isEarly: boolean
    blocks?: number
    /** Called when a block is executed and not confirmed yet. */
    during?(at: number, server: Yellowstone, street: LiveStreet): Promise<void>
    /** Whether this step waits for the clients: lost events come later, or not at all. */
    isWhole?(at: number): boolean
  }>

  /** Plays the chain: each step executes a block and confirms the one before the delay. */
  async function play({ isEarly, blocks = BLOCKS, during, isWhole = () => true }: Play) {
    const clock = createManualClock()
    const chain = createChain({ firstSlot: 1_000, firstBlockTime: Math.floor(clock.now() / 1_000) })
    const server = await serveYellowstone({ chain })
    onTestFinished(server.close)
    const street = await openLiveStreet(server.url, { clock, isEarly })
    const untilEnd = (slot: number) => {
      const hasEnd = (frames: readonly Frame[]) =>
        frames.some((frame) => isEnd(frame) && frame.params.block === slot)
      return street.until(() => hasEnd(street.frames) && (!isEarly || hasEnd(street.early)))
    }
    await street.until(() => server.streams() === 1)
    // The first block belongs to no client: the endpoint may have been joined in the middle of it.
    chain.add(market[BLOCKS]!)
    await untilEnd(chain.add(market[BLOCKS + 1]!).slot)

    const ahead: ChainStep[] = []
    /** The step in which each frame arrived. */
    const steps = { early: [] as number[], confirmed: [] as number[] }
    let executed = street.early.filter(isSwap).length
    for (let at = 0; at < blocks + DELAY; at++) {
      if (at < blocks) {
        const block = market[at]!
        const spare = market[BLOCKS + 2 + (at % 6)]!
        // A fork with the same transactions and with others, and another bank of the slot with both.
        const orphan = at % 20 === 5 ? [...block, ...spare] : []
        const rival = at % 20 === 15 ? [...block.slice(0, 5), ...spare] : []
        server.faults.silentDeaths = at < 20 ? 0 : 1
        const fork = orphan.length > 0 ? { orphan } : rival.length > 0 ? { rival } : {}
        ahead.push(chain.execute(block, fork))
        executed += swapsIn(block) + swapsIn(orphan) + (rival.length > 0 ? swapsIn(spare) : 0)
      }
      if (isEarly && isWhole(at)) {
        await street.until(() => street.early.filter(isSwap).length >= executed)
      }
      await during?.(at, server, street)
      const step = at >= DELAY ? ahead.shift() : undefined
      if (step) chain.confirm(step)
      if (step && (isWhole(at) || ahead.length === 0)) await untilEnd(step.block.slot)
      const came = [
        [street.early, steps.early],
        [street.frames, steps.confirmed],
      ] as const
      for (const [frames, list] of came) while (list.length < frames.length) list.push(at)
    }
    return { street, steps }
  }

  it('end with exactly the confirmed events, each ahead of its twin by the delay', async () => {
    const { street, steps } = await play({ isEarly: true })

    const confirmed = street.frames.filter(isSwap).map(keyOf).sort()
    expect(confirmed.length).toBeGreaterThan(200)
    expect(
      street.early.filter(({ method }) => method === 'slotDroppedNotification').length,
    ).toBeGreaterThanOrEqual(4)
    expect(keptOf(street.early)).toEqual(confirmed)

    const cameAt = new Map<string, number>()
    for (const [at, frame] of street.early.entries())
      if (isSwap(frame)) cameAt.set(keyOf(frame), steps.early[at]!)
    const leads = street.frames.flatMap((frame, at) =>
      isSwap(frame) ? [steps.confirmed[at]! - cameAt.get(keyOf(frame))!] : [],
    )
    const ahead = leads.filter((lead) => lead > 0).sort((one, other) => one - other)
    expect(ahead[Math.floor(ahead.length / 2)]).toBe(DELAY)
    expect(leads.filter((lead) => lead === DELAY).length).toBeGreaterThan(leads.length * 0.9)
  })

  it('change no byte for a confirmed client', async () => {
    const without = await play({ isEarly: false, blocks: 18 })
    const beside = await play({ isEarly: true, blocks: 18 })

    expect(without.street.frames.filter(isSwap).length).toBeGreaterThan(100)
    expect(beside.street.texts).toEqual(without.street.texts)
  })

  it('leave nothing open if the endpoint breaks off in the middle of slots, with a replay or with a gap', async () => {
    const { street } = await play({
      isEarly: true,
      blocks: 24,
      async during(at, server, street) {
        if (at !== 8 && at !== 14) return
        server.faults.replay = at === 8 ? 'served' : 'off'
        server.drop()
        await street.until(() => server.streams() === 1)
      },
      isWhole: (at) => at <= 8,
    })

    const gaps = street.frames.filter(({ method }) => method === 'gapNotification')
    expect(gaps.length).toBeGreaterThan(0)
    expect(street.early.filter(({ method }) => method === 'gapNotification')).toHaveLength(gaps.length)
    expect(keptOf(street.early)).toEqual(street.frames.filter(isSwap).map(keyOf).sort())
  })
})
