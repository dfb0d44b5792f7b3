import { join } from 'node:path'
import { systemClock } from '@pairwire/basics'
import { createJumpingClock } from '@pairwire/basics/testing/manual-clock'
import { createInProcessBus, openEventReader, openEventStore } from '@pairwire/bus'
import { createChain, createRandom, type Rpc, serveRpc, toChainTransaction } from '@pairwire/chain-double'
import { cursorBehind, encodeBase58, type NotificationEvent, type StreamEvent } from '@pairwire/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { createIngest } from '../create-ingest.ts'
import { createSimulator, SLOT_MS } from '../sources/simulator.ts'
import { LIVE_RUN, type Source } from '../sources/source.ts'
import { silentLog } from '../testing/silent-log.ts'
import { aFolder } from '../testing/temporary-folder.ts'
import { auditSlots, beginOf } from './audit-slots.ts'
import { type ChainReader, openChainReader } from './chain-reader.ts'
import type { AuditFault } from './compare-slot.ts'
import { reportAudit } from './report-audit.ts'

/** Slots of the simulated chain; 10,000 with PAIRWIRE_AUDIT_SLOTS take a minute. */
const SLOTS = Number(process.env.PAIRWIRE_AUDIT_SLOTS ?? 150)

/** Events of one record of the store. */
const RECORD_EVENTS = 50

const warn = () => {}
const signal = new AbortController().signal

/** What was published from a simulated chain, as the service does it, and the chain itself over JSON-RPC. */
let published: readonly StreamEvent[]
let chain: ChainReader
let rpc: Rpc
let fromSlot: number
let toSlot: number

beforeAll(
  async () => {
    const double = createChain({ slotMs: SLOT_MS })
    const clock = createJumpingClock()
    const market = createSimulator({
      ...{ seed: 7, swapsPerSecond: 10, nextRun: async () => 1 },
      clock: { ...clock, wait: async (milliseconds) => clock.advance(milliseconds) },
    })
    for await (const { transactions } of market.blocks(signal)) {
      const skipped = double.blocks.length % 20 === 19 ? 1 : 0
      double.add(transactions.map(toChainTransaction), { skipped })
      if (double.blocks.length === SLOTS) break
    }
    fromSlot = double.blocks[1]!.slot
    toSlot = double.blocks.at(-1)!.slot
    rpc = await serveRpc({ chain: double })
    rpc.faults.history = SLOTS
    chain = openChainReader('', { tokens: [], rpcUrl: rpc.url, clock: systemClock })!

    const batches: (readonly StreamEvent[])[] = []
    const bus = createInProcessBus({ maxBytes: 1024 * 1024 })
    bus.subscribe((batch) => batches.push(batch))
    const faults: unknown[] = []
    await new Promise<void>((resolve) => {
      const source: Source = {
        simulated: false,
        isRecording: true, // Its block times are of another day.
        async *blocks() {
          for await (const { blockTime, ...block } of chain.blocks(double.blocks[0]!.slot, toSlot, signal)) {
            yield { ...block, run: LIVE_RUN, blockTime: blockTime! }
          }
          resolve()
        },
      }
      const warn = (sentence: string, details?: object) => {
        faults.push(sentence, details)
        resolve()
      }
      createIngest({ source, bus, clock: systemClock, log: { ...silentLog, warn } }).start()
    })
    expect(faults).toEqual([])
    published = batches.flat()
    return () => rpc.close()
  },
  60_000 + SLOTS * 100,
)

/** Makes a store on disk with these events, as a service that published them would have left it. */
async function keep(events: readonly StreamEvent[]) {
  const folder = join(aFolder({}), 'stream')
  const retention = { milliseconds: 1e12, bytes: 1e12 }
  const store = await openEventStore({ folder, source: 'chain', retention, now: Date.now, log: silentLog })
  for (let at = 0; at < events.length; at += RECORD_EVENTS) {
    await store.keep([{ events: events.slice(at, at + RECORD_EVENTS), bytes: 1 }])
  }
  await store.close()
  return openEventReader(folder, 'chain', warn)
}

async function audit(events: readonly StreamEvent[]) {
  const faults: AuditFault[] = []
  const { replay } = await keep(events)
  const audited = await auditSlots({
    ...{ fromSlot, toSlot, replay, found: (fault) => faults.push(fault) },
    blocks: (from, to) => chain.blocks(from, to, signal),
  })
  return { ...audited, list: faults }
}

const isSwap = (event: StreamEvent) => event.kind === 'swap'
const isComparedSwap = (event: StreamEvent) => isSwap(event) && event.cursor > beginOf(fromSlot)
const comparable = () => published.filter(({ cursor }) => cursor > beginOf(fromSlot))

describe('an audit', () => {
  it('finds nothing when everything was published as it is on the chain', async () => {
    const { faults, blocks, expected } = await audit(published)
    expect({ faults, blocks, expected }).toEqual({
      faults: 0,
      blocks: SLOTS - 1,
      expected: comparable().length,
    })
    expect(published.filter(isSwap).length).toBeGreaterThan(SLOTS)
  })

  it('finds every event that was removed, altered or doubled, and nothing else', async () => {
    const random = createRandom(16)
    const done: string[] = []
    const spoiled = published.flatMap((event) => {
      if (event.cursor <= beginOf(fromSlot) || random() >= 0.02) return [event]
      const [kind, events] = spoil(event as NotificationEvent, random)
      done.push(`${kind} ${event.cursor}`)
      return events
    })
    const { list, byVenue } = await audit(spoiled)
    expect(list.map(({ kind, cursor }) => `${kind} ${cursor}`).sort()).toEqual(done.sort())
    expect(done.length).toBeGreaterThan(published.length / 200)
    const counted = [...byVenue.values()].reduce(
      (sum, counts) => sum + counts.missing + counts.extra + counts.different,
      0,
    )
    expect(counted).toBe(done.length)
  })

  // Reading on from the cursor of the last event would skip a repeated event.
  it('finds an event doubled exactly between two records of the store', async () => {
    const at = published.findIndex((event, at) => (at + 1) % RECORD_EVENTS === 0 && isComparedSwap(event))
    const { list } = await audit(published.toSpliced(at, 0, published[at]!))
    expect(list).toMatchObject([{ kind: 'extra', cursor: published[at]!.cursor }])
  })

  it('names what differs, and ignores what depends on earlier blocks', async () => {
    const at = published.findIndex(isComparedSwap)
    const event = published[at] as Extract<StreamEvent, { kind: 'swap' }>
    const swap = { ...event.params.swap, baseAmount: '1', usdValue: 17 }
    const { list } = await audit(published.with(at, { ...event, params: { ...event.params, swap } }))
    expect(list).toMatchObject([
      { kind: 'different', signature: event.params.signature, fields: ['params.swap.baseAmount'] },
    ])
  })

  it('reports of a missing event whether a gap covers it', async () => {
    const slots = [fromSlot + 3, fromSlot + 4]
    const ends = published.findIndex(
      (event) => event.kind === 'latestBlock' && event.params.block === slots[1],
    )
    const begins =
      published.findIndex((event) => event.kind === 'latestBlock' && event.params.block === slots[0]! - 1) + 1
    const params = { fromSlot: slots[0]!, toSlot: slots[1]!, cause: 'upstream', resume_from: null } as const
    const gap = { kind: 'gap', cursor: published[ends]!.cursor, params } as const
    const { list, announced } = await audit(published.toSpliced(begins, ends + 1 - begins, gap))
    expect(list).toHaveLength(ends + 1 - begins)
    expect(list.every(({ kind, announced }) => kind === 'missing' && announced)).toBe(true)
    expect(announced).toBe(list.length)
  })

  // Guards the alarm: a transaction that came late was announced already.
  it('reports that too if the gap was published some slots later, when the rest of the slot arrived', async () => {
    const at = published.findIndex((event) => isComparedSwap(event))
    const { slot } = (published[at] as Extract<StreamEvent, { kind: 'swap' }>).params
    const ends = published.findIndex(
      (event) => event.kind === 'latestBlock' && event.params.block >= slot + 3,
    )
    const params = { fromSlot: slot, toSlot: slot, cause: 'upstream', resume_from: null } as const
    const gap = { kind: 'gap', cursor: cursorBehind(published[ends]!.cursor), params } as const

    const { list } = await audit(published.toSpliced(ends + 1, 0, gap).toSpliced(at, 1))

    expect(list).toMatchObject([{ kind: 'missing', slot, announced: true }])
  })

  it('finds events published for a slot without a block', async () => {
    const at = published.findIndex(isComparedSwap)
    const event = published[at] as NotificationEvent
    const skipped = fromSlot + 18
    const cursor = event.cursor.replace(/-\d{12}-/, `-${String(skipped).padStart(12, '0')}-`)
    const behind = published.findIndex((each) => each.cursor > cursor)
    const { list } = await audit(published.toSpliced(behind, 0, { ...event, cursor }))
    expect(list).toMatchObject([{ kind: 'extra', slot: skipped }])
  })
})

describe('the report of an audit', () => {
  const run = async (events: readonly StreamEvent[], from = fromSlot, to = toSlot) => {
    const lines: string[] = []
    const take = (line: string) => void lines.push(line)
    const options = { fromSlot: from, toSlot: to, chain, write: take, report: take, signal }
    const isRight = await reportAudit({ ...options, published: await keep(events) })
    return { isRight, lines }
  }

  it('says that all is correct, or has a line for each fault and the totals by venue', async () => {
    expect((await run(published)).lines.at(-1)).toMatch(
      /^\d+ events of \d+ blocks were compared. All of them/,
    )
    const at = published.findIndex(isComparedSwap)
    const { isRight, lines } = await run(published.toSpliced(at, 1))
    const event = published[at] as Extract<StreamEvent, { kind: 'swap' }>
    expect(isRight).toBe(false)
    expect(lines).toContainEqual(
      `missing ${event.params.swap.sourceExchange} swap slot ${event.params.slot} ${event.params.signature}`,
    )
    expect(lines.at(-1)).toMatch(/1 are at fault\.$/)
  })

  it('is an error sentence when events or blocks are no longer kept, or not yet', async () => {
    await expect(run(published, fromSlot, toSlot + 9)).rejects.toThrow(`kept up to slot ${toSlot}`)
    await expect(run(published.slice(-200), fromSlot, toSlot)).rejects.toThrow(
      'are not kept, or no longer; begin with',
    )
    rpc.faults.history = 5
    await expect(run(published)).rejects.toThrow(/no longer keeps slot \d+; its oldest is \d+/)
    rpc.faults.history = SLOTS
  })
})

type Random = () => number

/** Removes, doubles or alters an event in one place; returns what an audit must report. */
function spoil(event: NotificationEvent, random: Random): [AuditFault['kind'], NotificationEvent[]] {
  const way = random()
  if (way < 0.33) return ['missing', []]
  if (way < 0.66) return ['extra', [event, event]]
  return ['different', [alter(event, random)]]
}

function alter(event: NotificationEvent, random: Random): NotificationEvent {
  if (event.kind === 'latestBlock') return { ...event, params: { ...event.params, blockTime: 1 } }
  const strange = encodeBase58(new Uint8Array(32).fill(9))
  if (event.kind === 'newPair') {
    const pair = { ...event.params.pair, ammAccount: strange }
    return { ...event, params: { ...event.params, pair } }
  }
  const changes = [
    { baseAmount: '7' },
    { quoteAmount: '7' },
    { walletAccount: strange },
    { quoteTokenLiquidity: '7' },
    { swapType: event.params.swap.swapType === 'buy' ? 'sell' : 'buy' } as const,
    { quotePrice: '0.000000001' },
    { sourceExchange: 'nowhere' },
  ]
  const swap = { ...event.params.swap, ...changes[Math.floor(random() * changes.length)] }
  return { ...event, params: { ...event.params, swap } }
}
