import type { Block, Chain, ChainStep } from './chain.ts'
import { accountsOf, type ChainTransaction } from './chain-transaction.ts'
import { createRandom, type Faults, noFaults } from './faults.ts'
import {
  decodeMessage,
  encodeBlockMeta,
  encodeMessage,
  encodePing,
  encodePong,
  encodeSlotStatus,
  encodeTransaction,
  SLOT_STATUS,
  type SubscribeRequest,
  type TransactionFilter,
} from './geyser.ts'
import { type GrpcCall, type GrpcServerOptions, STATUS, serveGrpc } from './grpc-server.ts'

/** What {@link serveYellowstone} needs. */
export type YellowstoneOptions = GrpcServerOptions &
  Readonly<{
    chain: Chain
    faults?: Faults
    seed?: number
    /** What `GetVersion` answers. */
    version?: string
    /** Milliseconds between two pings. */
    pingMs?: number
    /** Calls that it does not know, by method. */
    missing?: readonly string[]
  }>

/** A Yellowstone server that can be told to fail. */
export type Yellowstone = Readonly<{
  port: number
  /** For `SOLANA_SOURCE`. */
  url: string
  faults: Faults
  /** Open streams, and all calls that came, by method, with the slot that a stream asked for. */
  streams(): number
  calls: readonly Readonly<{ method: string; fromSlot?: number | undefined }>[]
  /** Slots of which something was sent after what ends them, against the server's own promise. */
  lateSlots: ReadonlySet<number>
  /** Breaks every connection off. */
  drop(): void
  /** Ends every stream with this status. */
  endStreams(status: number, message: string): void
  close(): Promise<void>
}>

/** Version of the Yellowstone plugin that the double answers with. */
const VERSION = JSON.stringify({
  version: { package: 'yellowstone-grpc-geyser', version: '15.1.2', proto: '13.1.0', solana: '4.3.0' },
})

/** Bytes that a client may leave unread before it is told that it lags. */
const MAX_QUEUED = 256 * 1024 * 1024

/**
 * A Geyser service over `chain` that behaves as the open-source server: at confirmed all of a block at once, in no
 * order inside of it, then its block meta, then its confirmation; at processed what is executed as it is, also of banks
 * that die, and later what became of it.
 *
 * @see https://github.com/rpcpool/yellowstone-grpc yellowstone-grpc-geyser/src/grpc.rs
 */
export async function serveYellowstone(options: YellowstoneOptions): Promise<Yellowstone> {
  const { chain, faults = noFaults(), seed = 1, version = VERSION, pingMs = 15_000, missing = [] } = options
  const random = createRandom(seed)
  const streams = new Set<Stream>()
  const calls: { method: string; fromSlot?: number | undefined }[] = []
  const steps: ChainStep[] = []
  /** Executed and not confirmed yet. */
  const ahead = new Set<ChainStep>()
  const lateSlots = new Set<number>()

  /** Answers with a refusal where there is one. @returns whether there was */
  const refuses = (call: GrpcCall, method: string): boolean => {
    if (missing.includes(method)) call.end(STATUS.unimplemented, `${method} is not here.`)
    else if (faults.token !== undefined && call.headers['x-token'] !== faults.token) {
      call.end(STATUS.unauthenticated, 'No valid auth token')
    } else if (faults.isDown) call.end(STATUS.unavailable, 'The node is down.')
    else return false
    return true
  }

  const unary =
    (method: string, request: string, answer: (request: Record<string, unknown>) => [string, object]) =>
    (call: GrpcCall) => {
      calls.push({ method })
      if (refuses(call, method)) return
      call.onMessage((bytes) => {
        const [name, fields] = answer(decodeMessage(request, bytes))
        call.write(encodeMessage(name, fields as Record<string, unknown>))
        call.end(STATUS.ok)
      })
    }

  const headSlot = () => chain.head()?.slot ?? 0
  const firstAvailable = () => held(steps, faults)[0]?.block.slot
  const server = await serveGrpc(
    {
      '/geyser.Geyser/Subscribe': (call) => {
        if (refuses(call, 'Subscribe')) return
        call.accept()
        const stream: Stream = { call, request: undefined, isNew: true, held: [] }
        call.onClose(() => streams.delete(stream))
        call.onMessage((bytes) => {
          const request = decodeMessage('SubscribeRequest', bytes) as SubscribeRequest
          if (request.ping) {
            call.write(encodePong(request.ping.id ?? 0))
            return
          }
          // Each request replaces the one before it, and asks for its own replay.
          stream.request = request
          open(stream, request)
        })
      },
      '/geyser.Geyser/GetVersion': unary('GetVersion', 'GetVersionRequest', () => [
        'GetVersionResponse',
        { version },
      ]),
      '/geyser.Geyser/GetSlot': unary('GetSlot', 'GetSlotRequest', () => [
        'GetSlotResponse',
        { slot: headSlot() },
      ]),
      '/geyser.Geyser/GetBlockHeight': unary('GetBlockHeight', 'GetBlockHeightRequest', () => [
        'GetBlockHeightResponse',
        { blockHeight: chain.head()?.blockHeight ?? 0 },
      ]),
      '/geyser.Geyser/GetLatestBlockhash': unary('GetLatestBlockhash', 'GetLatestBlockhashRequest', () => [
        'GetLatestBlockhashResponse',
        {
          slot: headSlot(),
          blockhash: chain.head()?.blockhash ?? '',
          lastValidBlockHeight: headSlot() + 150,
        },
      ]),
      '/geyser.Geyser/Ping': unary('Ping', 'PingRequest', ({ count }) => ['PongResponse', { count }]),
      '/geyser.Geyser/SubscribeReplayInfo': unary('SubscribeReplayInfo', 'SubscribeReplayInfoRequest', () => [
        'SubscribeReplayInfoResponse',
        faults.replay === 'off' ? {} : { firstAvailable: firstAvailable() },
      ]),
    },
    options,
  )

  const open = (stream: Stream, request: SubscribeRequest) => {
    const fromSlot = request.fromSlot ?? undefined
    calls.push({ method: 'Subscribe', fromSlot })
    const { call } = stream
    if (faults.lagsOut) return call.end(STATUS.internal, 'lagged to receive geyser messages')
    if (fromSlot !== undefined) {
      if (faults.replay === 'off') return call.end(STATUS.internal, 'from_slot is not supported')
      if (faults.replay === 'stalled') return call.end(STATUS.internal, 'failed to get replay response')
      const first = firstAvailable()
      if (faults.replay === 'refused' || first === undefined || fromSlot < first) {
        const last = first === undefined ? 'none' : first
        const sentence = `broadcast from ${fromSlot} is not available, last available: ${last}`
        return call.end(STATUS.outOfRange, sentence)
      }
    }
    streams.add(stream)
    if (fromSlot === undefined || faults.replay === 'ignored') return
    stream.isNew = false
    for (const step of held(steps, faults)) if (step.block.slot >= fromSlot) deliver(stream, step)
    if (isProcessed(request)) for (const step of ahead) deliver(stream, step, 'executed')
  }

  const deliver = (stream: Stream, step: ChainStep, part: Part = 'all') => {
    if (!streams.has(stream) || faults.isSilent || random() < faults.lostBlocks) return
    const { content, ends } = messagesOf(step, stream.request ?? {}, faults, random, lateSlots, part)
    if (stream.isNew && random() < faults.midSlots) content.splice(0, Math.ceil(random() * content.length))
    stream.isNew = false
    // With disorder, what ended the slot before comes in the middle of this one.
    const [before, held] = [stream.held, faults.reorder > 0 && random() < 0.5 ? ends : []]
    stream.held = held
    const here = shuffled([...before, ...content], faults.reorder, random)
    for (const message of held === ends ? here : [...here, ...shuffled(ends, faults.reorder, random)]) {
      stream.call.write(message)
      if (random() < faults.repeats) stream.call.write(message)
      if (random() < faults.drops) {
        streams.delete(stream)
        stream.call.destroy()
        return
      }
    }
    if (stream.call.queued() < MAX_QUEUED) return
    streams.delete(stream)
    stream.call.end(STATUS.internal, 'lagged to send an update')
  }

  const leaveChain = chain.onStep((step) => {
    steps.push(step)
    if (steps.length > chain.keeps) steps.shift()
    const wasAhead = ahead.delete(step)
    for (const stream of [...streams]) {
      deliver(stream, step, wasAhead && isProcessed(stream.request) ? 'confirmed' : 'all')
    }
  })
  const leaveExecuted = chain.onExecuted((step) => {
    ahead.add(step)
    for (const stream of [...streams]) if (isProcessed(stream.request)) deliver(stream, step, 'executed')
  })
  const pinging = setInterval(() => {
    if (faults.isSilent) return
    for (const { call } of streams) call.write(encodePing())
  }, pingMs)
  pinging.unref()

  const scheme = options.tls ? 'https' : 'http'
  return {
    port: server.port,
    url: `yellowstone+${scheme}://localhost:${server.port}`,
    faults,
    streams: () => streams.size,
    calls,
    lateSlots,
    drop: () => {
      streams.clear()
      server.dropConnections()
    },
    endStreams: (status, message) => {
      for (const stream of [...streams]) {
        streams.delete(stream)
        stream.call.end(status, message)
      }
    },
    close: async () => {
      leaveChain()
      leaveExecuted()
      clearInterval(pinging)
      await server.close()
    },
  }
}

type Stream = {
  readonly call: GrpcCall
  request: SubscribeRequest | undefined
  /** Whether nothing was sent yet. */
  isNew: boolean
  /** What ends the newest slot, where disorder holds it back. */
  held: readonly Buffer[]
}

/** Which messages of a step: at confirmed all at once. */
type Part = 'all' | 'executed' | 'confirmed'

/** Whether what is executed is wanted before it is confirmed: the protocol's own default. */
function isProcessed(request: SubscribeRequest | undefined): boolean {
  return (request?.commitment ?? 0) === 0
}

/** What is still there to be replayed. */
function held(steps: readonly ChainStep[], faults: Faults): readonly ChainStep[] {
  return faults.history === 0 ? [] : steps.slice(-faults.history)
}

/** The messages of a step: what is in it, and what ends its slot. */
function messagesOf(
  { dead, block }: ChainStep,
  request: SubscribeRequest,
  faults: Faults,
  random: () => number,
  lateSlots: Set<number>,
  part: Part,
): { content: Buffer[]; ends: Buffer[] } {
  const content: Buffer[] = []
  const ends: Buffer[] = []
  const shown = (each: Block): Block => (faults.hidesBanks ? { ...each, bankId: 0 } : each)
  const slotFilters = Object.keys(request.slots ?? {})
  const interslot = Object.entries(request.slots ?? {})
    .filter(([, filter]) => filter.interslotUpdates)
    .map(([name]) => name)
  const metaFilters = Object.keys(request.blocksMeta ?? {})

  const status = (each: Block, value: number, to = content) => {
    const filters = value >= SLOT_STATUS.firstShred ? interslot : slotFilters
    if (filters.length > 0 && !faults.hidesSlots) to.push(encodeSlotStatus(shown(each), value, filters))
  }
  const transactions = (each: Block) => {
    const order = each.transactions.map((_, index) => index)
    for (const index of shuffled(order, order.length, random)) {
      const filters = passing(each.transactions[index]!, request.transactions ?? {})
      if (filters.length === 0) continue
      const bytes = encodeTransaction(shown(each), index, filters)
      const isCut = random() < faults.malformed
      const isLate = random() < faults.lateTransactions
      if (isLate) lateSlots.add(each.slot)
      ;(isLate ? ends : content).push(isCut ? bytes.subarray(0, Math.floor(bytes.length * 0.7)) : bytes)
    }
  }

  const deaths = part === 'all' ? content : ends
  const sendsDead = faults.sendsDeadBanks || isProcessed(request)
  for (const each of dead) {
    if (part !== 'confirmed') {
      status(each, SLOT_STATUS.firstShred)
      status(each, SLOT_STATUS.createdBank)
      if (sendsDead) {
        transactions(each)
        if (metaFilters.length > 0) content.push(encodeBlockMeta(shown(each), metaFilters))
      }
    }
    if (part !== 'executed' && random() >= faults.silentDeaths) status(each, SLOT_STATUS.dead, deaths)
  }
  if (part !== 'confirmed') {
    for (const value of [SLOT_STATUS.firstShred, SLOT_STATUS.createdBank]) status(block, value)
    if (faults.padding > 0) {
      content.push(encodeMessage('SubscribeUpdate', { filters: ['x'.repeat(faults.padding)] }))
    }
    transactions(block)
    for (const value of [SLOT_STATUS.completed, SLOT_STATUS.processed]) status(block, value)
    if (metaFilters.length > 0 && random() >= faults.lostMetas) {
      const meta = encodeBlockMeta(shown(block), metaFilters)
      if (random() < faults.earlyMetas) content.splice(Math.floor(random() * content.length), 0, meta)
      else ends.unshift(meta)
    }
  }
  if (part !== 'executed' && random() >= faults.lostVotes) status(block, SLOT_STATUS.confirmed, ends)
  if (faults.lateTransactions > 0) ends.reverse()
  return { content, ends }
}

/** Names of the filters that let a transaction through. */
function passing(
  transaction: ChainTransaction,
  filters: Readonly<Record<string, TransactionFilter>>,
): string[] {
  const accounts = new Set(accountsOf(transaction))
  const failed = transaction.meta.err !== null
  return Object.entries(filters)
    .filter(([, filter]) => {
      const { accountInclude = [], accountExclude = [], accountRequired = [], signature } = filter
      if (filter.vote === true) return false
      if (typeof filter.failed === 'boolean' && filter.failed !== failed) return false
      if (signature && signature !== transaction.transaction.signatures[0]) return false
      if (accountInclude.length > 0 && !accountInclude.some((account) => accounts.has(account))) return false
      if (accountExclude.some((account) => accounts.has(account))) return false
      return accountRequired.every((account) => accounts.has(account))
    })
    .map(([name]) => name)
}

/** Each element moved by at most `reach` places. */
function shuffled<Item>(items: readonly Item[], reach: number, random: () => number): Item[] {
  if (reach === 0) return [...items]
  return items
    .map((item, at) => ({ item, key: at + random() * reach }))
    .sort((left, right) => left.key - right.key)
    .map(({ item }) => item)
}
