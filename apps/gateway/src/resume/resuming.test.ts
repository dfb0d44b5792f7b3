import { inCi } from '@pairwire/basics/testing/in-ci'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { createInProcessBus } from '@pairwire/bus'
import { formatCursor, type StreamEvent, type StreamKind } from '@pairwire/contract'
import { type Interest, wantsEvent } from '@pairwire/filter'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { websocketCodec } from '../codecs/websocket-codec.ts'
import { ConnectionSubscriptions } from '../connection/connection-subscriptions.ts'
import { Hub } from '../fanout/hub.ts'
import { DEFAULT_LIMITS } from '../limits.ts'
import { ALONE } from '../rates/shared-spending.ts'
import { Seats } from '../seats/seats.ts'
import { aBlock, address, aNewPair, aSwap } from '../testing/events.ts'
import { Resuming } from './resuming.ts'

/** Number of cuts; 10,000 with PAIRWIRE_CUTS=10000. */
const CUTS = Number(process.env.PAIRWIRE_CUTS ?? inCi(1_000, 150))

/** Small, so that each bound is reached within some dozen events. */
const limits = {
  ...DEFAULT_LIMITS,
  windowMaxEvents: 7,
  recentEvents: 6,
  gatherMs: 3,
  replaySliceBytes: 1_500,
  replaySliceEvents: 5,
  replayTurnBytes: 6_000,
  seamEvents: 5,
  replayedEventsKept: 20,
  resumesPerMinute: 1e9,
}
const log = { info() {}, warn() {}, error: (...words: unknown[]) => expect(words).toBe('no error') }

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Events of all kinds, with gaps among them. */
function createChain() {
  let slot = 0
  const kinds = [aSwap, aNewPair, aBlock, aSwap]
  return (pick: number): StreamEvent => {
    slot++
    const cursor = formatCursor({ run: 1, slot, transactionIndex: pick % 5, eventIndex: 0 })
    if (pick % 23 === 0) {
      const params = { fromSlot: slot, toSlot: slot, cause: 'upstream', resume_from: null } as const
      return { kind: 'gap', cursor, params }
    }
    const mint = address(pick % 3)
    const event =
      pick % 4 === 3
        ? aSwap({ baseTokenMint: mint, swapType: pick % 2 ? 'buy' : 'sell', usdValue: pick })
        : kinds[pick % 4]!()
    return { ...event, cursor }
  }
}

/** What a client has of one stream, over all its connections. */
type Holding = { interest: Interest; last: string; got: string[] }

/** An outbox that passes on as much as a test says, like a slow socket; without `maxBytes` everything at once. */
function anOutbox(maxBytes: number) {
  let queue: Buffer[] = []
  let bytes = 0
  let waiting: (() => void)[] = []
  const passed: Buffer[] = []
  return {
    passed,
    write({ bytes: frames }: { bytes: Buffer }) {
      if (maxBytes === 0) {
        passed.push(Buffer.from(frames))
        return true
      }
      if (bytes > maxBytes) return false
      queue.push(Buffer.from(frames))
      bytes += frames.length
      return true
    },
    whenDrained(callback: () => void) {
      if (queue.length === 0) callback()
      else waiting.push(callback)
    },
    drain(writes: number) {
      for (const frames of queue.slice(0, writes)) {
        passed.push(frames)
        bytes -= frames.length
      }
      queue = queue.slice(writes)
      if (queue.length > 0) return
      const callbacks = waiting
      waiting = []
      for (const callback of callbacks) callback()
    },
  }
}

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the form of what it reads
function readFrames(bytes: Buffer): any[] {
  const frames = []
  for (let at = 0; at < bytes.length; ) {
    const short = bytes[at + 1]!
    const start = at + (short === 126 ? 4 : 2)
    const length = short === 126 ? bytes.readUInt16BE(at + 2) : short
    frames.push(JSON.parse(bytes.toString('utf8', start, start + length)))
    at = start + length
  }
  return frames
}

function createWorld() {
  const clock = createManualClock()
  const bus = createInProcessBus({ maxBytes: 10_000_000 })
  const hub = new Hub({ clock, limits })
  const resuming = new Resuming({ bus, clock, limits, log, spending: ALONE })
  const accounts = {
    authorizeAccount: async () => ({ outcome: 'unknown_key' as const }),
    readStandings: async () => new Map(),
    recordDelivered: async () => [],
  }
  const seats = new Seats({ accounts, clock, limits, log, spending: ALONE, seatsBefore: async () => 0 })
  const seat = seats.admit({
    outcome: 'allowed',
    accountId: 'a1',
    planId: 3,
    connectionLimit: 1,
    endsAt: null,
    planInForceId: 'paid',
    period: '2026-11-01',
    periodEndsAt: new Date('2026-12-01T00:00:00Z'),
    standing: { key: 'a', plan: 'a' },
    delivered: { newPair: 0, swap: 0 },
  })
  bus.subscribe((events) => hub.publish(events))
  return { clock, bus, hub, resuming, seat }
}

/** A client that reconnects with its cursors whenever it is cut. */
function createClient(
  world: ReturnType<typeof createWorld>,
  interests: readonly Interest[],
  maxBytes: number,
) {
  const { hub, resuming, seat } = world
  const holdings = new Map<StreamKind, Holding>()
  const start = formatCursor({ run: 1, slot: 1, transactionIndex: 1, eventIndex: 0 })
  for (const interest of interests) holdings.set(interest.kind, { interest, last: start, got: [] })
  let outbox = anOutbox(maxBytes)
  let subscriptions: ConnectionSubscriptions
  let kinds = new Map<number, StreamKind>()
  let isBehind = false
  let sent = 0
  let got = 0
  let wasCut = false

  const connect = () => {
    outbox = anOutbox(maxBytes)
    kinds = new Map()
    isBehind = false
    const client: ConstructorParameters<typeof ConnectionSubscriptions>[1] = {
      codec: websocketCodec,
      outbox,
      overflowed() {
        isBehind = true
        subscriptions.clear()
      },
      sent: ({ newPair, swap, latestBlock }) => {
        sent += newPair + swap + latestBlock
      },
      meter: () => undefined,
      played() {},
    }
    const playbacks = { open: () => expect.unreachable() }
    const streams = { hub, early: { hub, note() {} }, resuming, playbacks }
    const opened = new ConnectionSubscriptions(streams, client, seat)
    subscriptions = opened
    const ids = kinds
    for (const { interest, last } of holdings.values()) {
      opened.resume(interest, last).then(
        ({ id, kind }) => ids.set(id, kind),
        (error) => expect(String(error)).toContain('The connection has ended.'),
      )
    }
  }

  /** Reads what was passed on; all events of one connection come in chain order. */
  const read = () => {
    let before = ''
    for (const frame of readFrames(Buffer.concat(outbox.passed))) {
      const isGap = frame.method === 'gapNotification'
      const holding = holdings.get(kinds.get(isGap ? frame.params.subscription_id : frame.subscription_id)!)!
      if (isGap) {
        holding.got.push(`gap ${frame.params.fromSlot}`)
        // A gap's position is known only by its slot.
        const { fromSlot } = frame.params
        holding.last = formatCursor({ run: 1, slot: fromSlot, transactionIndex: 9, eventIndex: 0 })
        continue
      }
      expect(frame.cursor >= before).toBe(true)
      before = frame.cursor
      holding.got.push(frame.cursor)
      holding.last = frame.cursor
      got++
    }
    outbox.passed.length = 0
  }

  connect()
  return {
    holdings,
    counts: () => ({ sent, got, wasCut }),
    isBehind: () => isBehind,
    drain: (writes: number) => outbox.drain(writes),
    /** Cuts the connection, losing the queue. `takesAll`: the client reads it to its end first. */
    cut(takesAll: boolean) {
      if (takesAll) outbox.drain(Number.POSITIVE_INFINITY)
      subscriptions.clear()
      wasCut = true
      read()
      connect()
    },
    read,
  }
}

const account = fc.integer({ min: 0, max: 2 }).map(address)
const lists = { pools: new Set<string>(), wallets: new Set<string>(), mints: new Set<string>() }
const narrowing = { matchAll: true, exclude: lists, sourceExchanges: null, swapTypes: new Set(['buy']) }
const swaps = fc.oneof(
  fc.constant(null),
  account.map((mint) => ({ ...lists, mints: new Set([mint]), usdAtLeast: null })),
  account.map((mint) => ({ ...lists, mints: new Set([mint]), usdAtLeast: 50, narrowing })),
)
const interests: fc.Arbitrary<Interest[]> = fc
  .tuple(
    fc.option(
      fc.record({
        kind: fc.constant('swap' as const),
        timestamps: fc.boolean(),
        facts: fc.boolean(),
        filter: swaps,
        accountsInFilter: fc.constant(1),
      }),
    ),
    fc.option(
      fc.record({
        kind: fc.constant('newPair' as const),
        timestamps: fc.constant(false),
        facts: fc.constant(false),
        includeLaunchpads: fc.boolean(),
        sourceExchanges: fc.constant(null),
        stages: fc.constant(null),
        creators: fc.constant(null),
        accountsInFilter: fc.constant(0),
      }),
    ),
    fc.option(
      fc.record({ kind: fc.constant('latestBlock' as const), timestamps: fc.boolean(), facts: fc.boolean() }),
    ),
  )
  .map((all) => all.filter((interest) => interest !== null))
  .filter((all) => all.length > 0)

type Step =
  | Readonly<{ does: 'publish'; picks: readonly number[] }>
  | Readonly<{ does: 'wait'; ms: number; turns: number }>
  | Readonly<{ does: 'drain'; client: number; writes: number }>
  | Readonly<{ does: 'cut'; client: number; takesAll: boolean }>

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('publish' as const),
      picks: fc.array(fc.nat(1_000), { minLength: 1, maxLength: 20 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      does: fc.constant('wait' as const),
      ms: fc.constantFrom(0, 1, 5),
      turns: fc.nat(25),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('drain' as const),
      client: fc.nat(2),
      writes: fc.constantFrom(0, 1, 1, 100),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('cut' as const),
      client: fc.nat(2),
      takesAll: fc.boolean(),
    }),
  },
)

describe('resuming', () => {
  // An event lost here is lost for good: nothing else would report it.
  it('gives a client that is cut anywhere the filtered chain, in order, each event once', async () => {
    let cuts = 0
    const run = async (
      wanted: readonly Interest[][],
      steps: readonly Step[],
      maxBytes: readonly number[],
    ) => {
      const world = createWorld()
      const { clock, bus } = world
      const make = createChain()
      const chain: StreamEvent[] = [make(1)]
      await bus.publish(chain)
      const clients = wanted.map((interests, at) => createClient(world, interests, maxBytes[at]!))

      for (const step of steps) {
        if (step.does === 'publish') {
          const events = step.picks.map(make)
          chain.push(...events)
          await bus.publish(events)
        } else if (step.does === 'wait') {
          clock.advance(step.ms)
          for (let turns = 0; turns < step.turns; turns++) await turn()
        } else {
          const client = clients[step.client % clients.length]!
          if (step.does === 'drain') client.drain(step.writes)
          else {
            client.cut(step.takesAll)
            cuts++
          }
        }
      }

      for (let quiet = 0; quiet < 12; quiet++) {
        clock.advance(10)
        for (let turns = 0; turns < 8; turns++) {
          for (const client of clients) client.drain(Number.POSITIVE_INFINITY)
          await turn()
        }
        for (const client of clients) if (client.isBehind()) client.cut(true)
      }
      for (const client of clients) {
        client.read()
        for (const { interest, got } of client.holdings.values()) {
          const filtered = chain
            .slice(1)
            .filter((event) => event.kind === 'gap' || wantsEvent(interest, event))
            .map((event) => (event.kind === 'gap' ? `gap ${event.params.fromSlot}` : event.cursor))
          expect(got).toEqual(filtered)
        }
        const { sent, got, wasCut } = client.counts()
        if (wasCut) expect(sent).toBeGreaterThanOrEqual(got)
        else expect(sent).toBe(got)
      }
      await bus.close()
    }

    const wanted = fc.array(interests, { minLength: 1, maxLength: 3 })
    const steps = fc.array(step, { minLength: 15, maxLength: 60 })
    const maxBytes = fc.array(fc.constantFrom(0, 0, 1_000, 8_000, 1e9), { minLength: 3, maxLength: 3 })
    for (let seed = 1; cuts < CUTS; seed++) {
      await fc.assert(fc.asyncProperty(wanted, steps, maxBytes, run), { numRuns: 20, seed })
    }
  }, 600_000)
})
