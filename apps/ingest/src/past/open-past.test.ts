import { createChain, serveRpc, toChainTransaction } from '@pairwire/chain-double'
import { HOUR_MS, type StreamEvent } from '@pairwire/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openPast } from './open-past.ts'

const FROM = Date.UTC(2026, 10, 23, 13)
const { signal } = new AbortController()
const log = { info() {}, warn() {}, error() {} }

const past = (setting: string, rpcUrl?: string) =>
  openPast(setting, { tokens: [], rpcUrl, tokenPages: undefined, log })

async function eventsOf(from: number, to: number, of: ReturnType<typeof past>): Promise<StreamEvent[]> {
  const events: StreamEvent[] = []
  for await (const batch of of.events(from, to, signal)) events.push(...batch)
  return events
}

const blocksOf = (events: readonly StreamEvent[]) => events.filter((event) => event.kind === 'latestBlock')

describe('the past of the simulator', () => {
  it('is made from two minutes before to the first block that reaches the end, with linked hashes', async () => {
    const events = await eventsOf(FROM, FROM + 60_000, past('simulator?swaps=5'))

    const blocks = blocksOf(events)
    const times = blocks.map(({ params }) => params.blockTime * 1000 - FROM)
    expect([times[0], times.at(-2)! < 60_000, times.at(-1)]).toEqual([-120_000, true, 60_000])
    expect(blocks).toHaveLength((180 * 1000) / 400 + 1)
    for (const [at, block] of blocks.entries()) {
      if (at > 0) expect(block.parentBlockhash).toBe(blocks[at - 1]!.blockhash)
    }
  })

  it('comes before everything that a stream carries, and knows the price of SOL from its beginning', async () => {
    const events = await eventsOf(FROM, FROM + 10_000, past('simulator?swaps=20'))

    expect(events.every(({ cursor }) => cursor < '000000001')).toBe(true)
    const worth = events.flatMap((event) =>
      event.kind === 'swap' && event.params.blockTime * 1000 >= FROM ? [event.params.swap.usdValue] : [],
    )
    expect(worth.length).toBeGreaterThan(100)
    expect(worth.filter((value) => value !== null).length / worth.length).toBeGreaterThan(0.9)
  })

  it('is the same each time', async () => {
    const [one, other] = await Promise.all(
      [1, 2].map(() => eventsOf(FROM, FROM + 2_000, past('simulator?swaps=5'))),
    )

    const told = (events: readonly StreamEvent[]) => events.map(({ cursor, params }) => ({ cursor, params }))
    expect(told(other!)).toEqual(told(one!))
  })
})

describe('the past of the chain', () => {
  /** Four hours of a chain whose slots take 20 s, with transactions in its third hour. */
  async function aChain() {
    const chain = createChain({ slotMs: 20_000, firstBlockTime: (FROM - 2 * HOUR_MS) / 1000 })
    const rpc = await serveRpc({ chain })
    onTestFinished(() => rpc.close())
    rpc.faults.history = 1_000
    for (let at = 0; at < 360; at++) chain.add([])
    let made = 0
    for await (const { transactions } of (await import('../sources/simulator.ts'))
      .createSimulator({ ...{ seed: 1, swapsPerSecond: 5 }, clock: jumping(), nextRun: async () => 1 })
      .blocks(signal)) {
      chain.add(transactions.map(toChainTransaction), { skipped: made % 5 === 0 ? 1 : 0 })
      if (++made === 100) break
    }
    for (let at = 0; at < 260; at++) chain.add([])
    return { chain, rpc }
  }

  const jumping = () => {
    let at = FROM
    return {
      ...{ now: () => at, elapsed: () => at, after: () => () => {} },
      wait: async (ms: number) => {
        at += ms
      },
    }
  }

  it('is found by its time, whatever its pace, and is read completely with the hashes of its blocks', async () => {
    const { chain, rpc } = await aChain()

    const events = await eventsOf(FROM, FROM + HOUR_MS, past('', rpc.url))

    const wanted = chain.blocks.filter(
      ({ blockTime }) => blockTime * 1000 >= FROM && blockTime * 1000 < FROM + HOUR_MS,
    )
    const blocks = blocksOf(events)
    const [first] = blocks
    expect(first!.params.blockTime * 1000).toBeLessThanOrEqual(FROM - 120_000)
    expect(first!.params.blockTime * 1000).toBeGreaterThanOrEqual(FROM - 180_000)
    expect(
      blocks
        .filter(({ params }) => wanted.some(({ slot }) => slot === params.block))
        .map(({ params, blockhash, parentBlockhash }) => [params.block, blockhash, parentBlockhash]),
    ).toEqual(wanted.map(({ slot, blockhash, parentBlockhash }) => [slot, blockhash, parentBlockhash]))
    expect(events.filter(({ kind }) => kind === 'swap').length).toBeGreaterThan(100)
  })

  it('names the oldest block when the wanted ones are no longer kept', async () => {
    const { chain, rpc } = await aChain()
    rpc.faults.history = 300

    const reading = eventsOf(FROM, FROM + HOUR_MS, past('', rpc.url))

    await expect(reading).rejects.toThrow(`its oldest is ${chain.blocks.at(-300)!.slot}`)
  })

  it('needs an endpoint that has blocks', () => {
    expect(past('rpc+https://rpc.example').kind).toBe('chain')
    expect(() => past('logs+wss://rpc.example')).toThrow(/set SOLANA_RPC_URL/)
  })
})
