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
import { type GrpcCall, type GrpcServer, type GrpcServerOptions, STATUS, serveGrpc } from './grpc-server.ts'

/** What {@link serveYellowstone} needs. */
export type YellowstoneOptions = GrpcServerOptions &
  Readonly<{
    chain: Chain
    faults?: Faults
    seed?: number
    /** Answer of `GetVersion`. */
    version?: string
    /** Milliseconds between two pings. */
    pingMs?: number
    /** Methods that it does not support. */
    missing?: readonly string[]
  }>

/** Answered version of the Yellowstone plugin. */
const VERSION = JSON.stringify({
  version: { package: 'yellowstone-grpc-geyser', version: '15.1.2', proto: '13.1.0', solana: '4.3.0' },
})

/** Bytes that a client may leave unread before it is dropped as lagging. */
const MAX_QUEUED = 256 * 1024 * 1024

/**
 * Serves Geyser over `chain` like the open-source server: at confirmed, a whole block at once in no inner order, then
 * its block meta, then its confirmation; at processed, transactions as they are executed, also of banks that die, and
 * later the outcome.
 *
 * @see https://github.com/rpcpool/yellowstone-grpc yellowstone-grpc-geyser/src/grpc.rs
 */
export async function serveYellowstone(options: YellowstoneOptions): Promise<Yellowstone> {
  const double = new Yellowstone(options)
  await double.listen()
  return double
}

/** A Yellowstone server that can fail on command. */
export class Yellowstone {
  readonly faults: Faults
  /** All calls by method, with the slot that a stream asked for. */
  readonly calls: { method: string; fromSlot?: number | undefined }[] = []
  /** Slots of which something was sent after their end, against the server's own promise. */
  readonly lateSlots = new Set<number>()
  readonly #options: YellowstoneOptions
  readonly #random: () => number
  readonly #streams = new Set<Stream>()
  readonly #steps: ChainStep[] = []
  /** Executed and not confirmed yet. */
  readonly #ahead = new Set<ChainStep>()
  #server!: GrpcServer
  #leave!: () => void

  constructor(options: YellowstoneOptions) {
    this.#options = options
    this.faults = options.faults ?? noFaults()
    this.#random = createRandom(options.seed ?? 1)
  }

  async listen(): Promise<void> {
    this.#server = await serveGrpc(this.#handlers(), this.#options)
    this.#leave = this.#follow()
  }

  get port(): number {
    return this.#server.port
  }

  /** For `SOLANA_SOURCE`. */
  get url(): string {
    return `yellowstone+${this.#options.tls ? 'https' : 'http'}://localhost:${this.port}`
  }

  /** Open streams. */
  streams(): number {
    return this.#streams.size
  }

  /** Breaks every connection. */
  drop(): void {
    this.#streams.clear()
    this.#server.dropConnections()
  }

  /** Ends every stream with this status. */
  endStreams(status: number, message: string): void {
    for (const { call } of this.#streams) call.end(status, message)
    this.#streams.clear()
  }

  /** Bound, so that it can be passed as a function. */
  readonly close = async (): Promise<void> => {
    this.#leave()
    await this.#server.close()
  }

  /** Handlers by path. */
  #handlers(): Record<string, (call: GrpcCall) => void> {
    const { chain, version = VERSION } = this.#options
    const slot = () => chain.head()?.slot ?? 0
    const unary: Record<string, Unary> = {
      GetVersion: () => ({ version }),
      GetSlot: () => ({ slot: slot() }),
      GetBlockHeight: () => ({ blockHeight: chain.head()?.blockHeight ?? 0 }),
      GetLatestBlockhash: () => ({
        slot: slot(),
        blockhash: chain.head()?.blockhash ?? '',
        lastValidBlockHeight: slot() + 150,
      }),
      Ping: ({ count }) => ({ count }),
      SubscribeReplayInfo: () =>
        this.faults.replay === 'off' ? {} : { firstAvailable: this.#firstAvailable() },
    }
    const answers = Object.entries(unary).map(([method, answer]) => [
      `/geyser.Geyser/${method}`,
      (call: GrpcCall) => this.#answer(call, method, answer),
    ])
    return {
      ...Object.fromEntries(answers),
      '/geyser.Geyser/Subscribe': (call) => this.#subscribe(call),
    }
  }

  /** Sends the chain's steps, and pings, until the returned function is called. */
  #follow(): () => void {
    const { chain, pingMs = 15_000 } = this.#options
    const leaveChain = chain.onStep((step) => this.#confirmed(step))
    const leaveExecuted = chain.onExecuted((step) => {
      this.#ahead.add(step)
      for (const stream of [...this.#streams])
        if (isProcessed(stream.request)) this.#deliver(stream, step, 'executed')
    })
    const pinging = setInterval(() => {
      if (this.faults.isSilent) return
      for (const { call } of this.#streams) call.write(encodePing())
    }, pingMs)
    pinging.unref()
    return () => {
      leaveChain()
      leaveExecuted()
      clearInterval(pinging)
    }
  }

  #answer(call: GrpcCall, method: string, answer: Unary): void {
    this.calls.push({ method })
    if (this.#refuses(call, method)) return
    call.onMessage((bytes) => {
      const name = method === 'Ping' ? 'PongResponse' : `${method}Response`
      call.write(encodeMessage(name, answer(decodeMessage(`${method}Request`, bytes))))
      call.end(STATUS.ok)
    })
  }

  /** Refuses a call if a fault requires it. @returns whether it did */
  #refuses(call: GrpcCall, method: string): boolean {
    const { token, isDown } = this.faults
    if (this.#options.missing?.includes(method)) call.end(STATUS.unimplemented, `${method} is not here.`)
    else if (token !== undefined && call.headers['x-token'] !== token) {
      call.end(STATUS.unauthenticated, 'No valid auth token')
    } else if (isDown) call.end(STATUS.unavailable, 'The node is down.')
    else return false
    return true
  }

  #subscribe(call: GrpcCall): void {
    if (this.#refuses(call, 'Subscribe')) return
    call.accept()
    const stream: Stream = { call, request: undefined, isNew: true, held: [] }
    call.onClose(() => this.#streams.delete(stream))
    call.onMessage((bytes) => {
      const request = decodeMessage('SubscribeRequest', bytes) as SubscribeRequest
      if (request.ping) {
        call.write(encodePong(request.ping.id ?? 0))
        return
      }
      // Each request replaces the previous one, and asks for its own replay.
      stream.request = request
      this.#open(stream, request)
    })
  }

  #open(stream: Stream, request: SubscribeRequest) {
    const { faults } = this
    const fromSlot = request.fromSlot ?? undefined
    this.calls.push({ method: 'Subscribe', fromSlot })
    const { call } = stream
    if (faults.lagsOut) return call.end(STATUS.internal, 'lagged to receive geyser messages')
    if (fromSlot !== undefined) {
      if (faults.replay === 'off') return call.end(STATUS.internal, 'from_slot is not supported')
      if (faults.replay === 'stalled') return call.end(STATUS.internal, 'failed to get replay response')
      const first = this.#firstAvailable()
      if (faults.replay === 'refused' || first === undefined || fromSlot < first) {
        const sentence = `broadcast from ${fromSlot} is not available, last available: ${first ?? 'none'}`
        return call.end(STATUS.outOfRange, sentence)
      }
    }
    this.#streams.add(stream)
    if (fromSlot === undefined || faults.replay === 'ignored') return
    stream.isNew = false
    for (const step of held(this.#steps, faults)) if (step.block.slot >= fromSlot) this.#deliver(stream, step)
    if (isProcessed(request)) for (const step of this.#ahead) this.#deliver(stream, step, 'executed')
  }

  #confirmed(step: ChainStep): void {
    this.#steps.push(step)
    if (this.#steps.length > this.#options.chain.keeps) this.#steps.shift()
    const wasAhead = this.#ahead.delete(step)
    for (const stream of [...this.#streams]) {
      this.#deliver(stream, step, wasAhead && isProcessed(stream.request) ? 'confirmed' : 'all')
    }
  }

  #firstAvailable(): number | undefined {
    return held(this.#steps, this.faults)[0]?.block.slot
  }

  #deliver(stream: Stream, step: ChainStep, part: Part = 'all'): void {
    const { faults, lateSlots } = this
    const streams = this.#streams
    const random = this.#random
    if (!streams.has(stream) || faults.isSilent || random() < faults.lostBlocks) return
    const { content, ends } = messagesOf(step, stream.request ?? {}, faults, random, lateSlots, part)
    if (stream.isNew && random() < faults.midSlots) content.splice(0, Math.ceil(random() * content.length))
    stream.isNew = false
    // With disorder, the end of the previous slot comes in the middle of this one.
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
}

/** Answers a unary call with these fields. */
type Unary = (request: Readonly<Record<string, unknown>>) => Record<string, unknown>

type Stream = {
  readonly call: GrpcCall
  request: SubscribeRequest | undefined
  /** Whether nothing was sent yet. */
  isNew: boolean
  /** The end of the newest slot, while disorder delays it. */
  held: readonly Buffer[]
}

/** The part of a step to send: at confirmed everything at once. */
type Part = 'all' | 'executed' | 'confirmed'

/** Whether unconfirmed transactions are wanted: the protocol's own default. */
function isProcessed(request: SubscribeRequest | undefined): boolean {
  return (request?.commitment ?? 0) === 0
}

/** Returns the steps that can still be replayed. */
function held(steps: readonly ChainStep[], faults: Faults): readonly ChainStep[] {
  return faults.history === 0 ? [] : steps.slice(-faults.history)
}

/** Returns the messages of a step: its contents, and the end of its slot. */
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

/** Returns the names of the filters that accept a transaction. */
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

/** Moves each element by at most `reach` positions. */
function shuffled<Item>(items: readonly Item[], reach: number, random: () => number): Item[] {
  if (reach === 0) return [...items]
  return items
    .map((item, at) => ({ item, key: at + random() * reach }))
    .sort((left, right) => left.key - right.key)
    .map(({ item }) => item)
}
