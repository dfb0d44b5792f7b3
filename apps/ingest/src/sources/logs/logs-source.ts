import { type Clock, followSignals, type Log } from '@pairwire/basics'
import type { LiveEndpoint } from '@pairwire/contract'
import {
  createLogsDecoder,
  type DecodedLogs,
  LOG_DECODERS,
  type LogsDecoder,
  type RefusalReason,
} from '@pairwire/decoders'
import { Endpoint } from '../chain/endpoint.ts'
import type { Feed } from '../chain/feed.ts'
import { Mailbox } from '../chain/mailbox.ts'
import { createSlotPace } from '../chain/slot-pace.ts'
import type { RpcClient } from '../rpc/rpc-client.ts'
import { describeVersion } from '../rpc/rpc-feed.ts'
import {
  type Arrivals,
  type ArrivedTransaction,
  type Gap,
  LIVE_RUN,
  type Source,
  type SourceStatus,
} from '../source.ts'
import { type AccountLookup, createAccountLookup } from './account-lookup.ts'
import type { LogsUpdate } from './logs-feed.ts'
import { createSignatureWindow } from './signature-window.ts'
import { createSlotTimes, type SlotTimes } from './slot-times.ts'

/** What {@link createLogsSource} needs. */
type LogsSourceParts = Readonly<{
  feed: Feed<LogsUpdate>
  /** Looks up pools and block times. */
  client: RpcClient
  clock: Clock
  log: Log
}>

/** Transactions waiting for lookups; further ones are dropped. */
const MAX_WAITING = 5_000

/** Rounds of account lookups for one transaction: its pools, then their mints. */
const LOOKUPS = 3

/**
 * The live chain as far as program logs cover it, from an endpoint without gRPC and without whole blocks.
 *
 *     feed ─ seen before? ─ decoder ─┬───────────────────────────┬─ mailbox ─ arrivals, gaps
 *                                    └─ pools, mints, time: RPC ─┘
 */
export function createLogsSource(parts: LogsSourceParts): Source<Arrivals | Gap> {
  const stream = new LogsStream(parts)
  return {
    simulated: false,
    inOrderOfArrival: true,
    blocks: (signal) => stream.blocks(signal),
    status: () => stream.status(),
  }
}

type Told = Extract<LogsUpdate, { kind: 'logs' }>

/** A complete transaction, the end of a slot, or a gap. */
type Mail = Readonly<{ slot: number; blockTime: number; transaction?: ArrivedTransaction }> | Gap

class LogsStream {
  readonly #parts: LogsSourceParts
  readonly #mailbox = new Mailbox<Mail>()
  readonly #endpoint: Endpoint<LogsUpdate>
  readonly #decoder: LogsDecoder = createLogsDecoder()
  readonly #pace = createSlotPace()
  readonly #isNew = createSignatureWindow()
  readonly #alarms: Record<string, number> = {}
  #accounts: AccountLookup | undefined
  #times: SlotTimes | undefined
  #version: string | null = null
  #waiting = 0
  #newestSlot = 0
  #newestTime = 0
  /** The slot from which logs may be missing, until those of a later one arrive. */
  #brokeAt: number | undefined
  #gaps = 0
  #slotsMissed = 0

  constructor(parts: LogsSourceParts) {
    this.#parts = parts
    const { feed, clock, log } = parts
    this.#endpoint = new Endpoint<LogsUpdate>({
      feed,
      clock,
      log,
      take: (update) => this.#take(update),
      drained: () => this.#mailbox.drained(),
      whereFrom: () => undefined,
      tipSlot: () => undefined,
    })
  }

  async *blocks(signal: AbortSignal): AsyncIterable<Arrivals | Gap> {
    const { client, clock } = this.#parts
    const ending = followSignals(signal)
    const ended = ending.signal
    ended.addEventListener('abort', () => this.#mailbox.ring())
    this.#accounts = createAccountLookup({ client, decoder: this.#decoder, clock, signal: ended })
    this.#times = createSlotTimes(client, clock, ended)
    void this.#askVersion(ended)
    const reading = this.#endpoint.read(ended)
    try {
      while (!signal.aborted) {
        for (const entry of gather(this.#mailbox.take())) {
          yield entry
          if (signal.aborted) return
        }
        await this.#mailbox.filled()
      }
    } finally {
      ending.abort()
      await reading
    }
  }

  async #askVersion(signal: AbortSignal): Promise<void> {
    const version = await this.#parts.client.call('getVersion', [], signal).catch(() => undefined)
    if (version !== undefined) this.#version = describeVersion(version)
  }

  status(): SourceStatus {
    const endpoint = this.#endpoint.status()
    const trouble = this.#accounts?.trouble() ?? null
    const lookups: LiveEndpoint = {
      name: `rpc ${this.#parts.client.host}`,
      state: trouble === null ? 'connected' : 'resting',
      version: this.#version,
      slot: null,
      trouble,
    }
    const up = endpoint.state === 'connected'
    return {
      up,
      trouble: up ? null : endpoint.trouble,
      endpoints: [endpoint, lookups],
      slotMs: this.#pace.slotMs(),
      holesFilled: 0,
      holesNotFilled: this.#gaps,
      slotsMissed: this.#slotsMissed,
      alarms: this.#alarms,
      cannotSee: CANNOT_SEE,
    }
  }

  #take(update: LogsUpdate): boolean {
    if (update.kind !== 'logs') {
      if (this.#newestSlot > 0) this.#brokeAt ??= this.#newestSlot
      return true
    }
    return this.#isNew(update.slot, update.signature) ? this.#arrive(update) : true
  }

  #arrive(told: Told): boolean {
    this.#endpoint.completed(told.slot)
    this.#tellGap(told.slot)
    this.#rise(told.slot)
    const decoded = this.#decode(told)
    if (decoded === undefined) return true
    if (decoded.blockTime !== null) this.#times!.tell(told.slot, decoded.blockTime)
    const isWhole = decoded.unknownAccounts.length === 0
    const blockTime = this.#timeFor(told.slot, decoded)
    if (isWhole && blockTime !== undefined) return this.#put(told, decoded, blockTime)
    void this.#settle(told, decoded)
    return true
  }

  /** The slots right before and after a break may be incomplete too; of several in one slot there is one gap. */
  #tellGap(slot: number): void {
    const fromSlot = this.#brokeAt
    if (fromSlot === undefined || slot <= fromSlot) return
    this.#brokeAt = undefined
    this.#gaps++
    this.#slotsMissed += slot - fromSlot + 1
    this.#parts.log.warn('Logs were missed; every subscription gets a gap.', { fromSlot, toSlot: slot })
    this.#mailbox.put({ run: LIVE_RUN, fromSlot, toSlot: slot })
  }

  /** A slot has ended when a later one is seen. */
  #rise(slot: number): void {
    if (slot <= this.#newestSlot) return
    const blockTime = this.#times!.known(this.#newestSlot)
    if (blockTime !== undefined) this.#mailbox.put({ slot: this.#newestSlot, blockTime })
    this.#newestSlot = slot
    this.#pace.add(slot, this.#parts.clock.elapsed())
  }

  #decode({ logs }: Told): DecodedLogs | undefined {
    try {
      return this.#decoder.decode(logs)
    } catch (error) {
      this.#alarms.decoderFault = (this.#alarms.decoderFault ?? 0) + 1
      this.#parts.log.error('A decoder failed on logs, which are left out.', { error })
      return undefined
    }
  }

  /** Returns the block time of decoded events; refusals, which are only counted, take any. */
  #timeFor(slot: number, { events, refusals }: DecodedLogs): number | undefined {
    const known = this.#times!.known(slot)
    if (known !== undefined) return known
    return events.length > 0 || refusals.length === 0 ? undefined : this.#anyTime()
  }

  #anyTime(): number {
    return this.#newestTime || Math.floor(this.#parts.clock.now() / 1_000)
  }

  #put({ slot, signature }: Told, decoded: DecodedLogs, blockTime: number): boolean {
    this.#newestTime = Math.max(this.#newestTime, blockTime)
    if (decoded.events.length === 0 && decoded.refusals.length === 0) return true
    return this.#mailbox.put({ slot, blockTime, transaction: { signature, decoded } })
  }

  /** Looks up what is missing; what is not available is omitted and named. */
  async #settle(told: Told, first: DecodedLogs): Promise<void> {
    let decoded = first
    if (decoded.events.length === 0 && decoded.refusals.length === 0 && decoded.unknownAccounts.length === 0)
      return
    if (this.#waiting >= MAX_WAITING) {
      this.#put(told, refused(told, 'unknown_account'), this.#anyTime())
      return
    }
    this.#waiting++
    for (let round = 0; round < LOOKUPS && decoded.unknownAccounts.length > 0; round++) {
      await this.#accounts!.ask(decoded.unknownAccounts)
      decoded = this.#decode(told) ?? first
    }
    const { unknownAccounts, refusals } = decoded
    if (unknownAccounts.length > 0) {
      decoded = { ...decoded, refusals: [...refusals, ...refused(told, 'unknown_account').refusals] }
    }
    const blockTime = this.#timeFor(told.slot, decoded) ?? (await this.#times!.ask(told.slot))
    this.#waiting--
    if (blockTime === undefined) this.#put(told, refused(told, 'unknown_time'), this.#anyTime())
    else this.#put(told, decoded, blockTime)
  }
}

/** Groups successive transactions of one slot. */
function* gather(mails: readonly Mail[]): Iterable<Arrivals | Gap> {
  let arrived: ArrivedTransaction[] = []
  let at: { slot: number; blockTime: number } | undefined
  const rest = (): Arrivals[] => {
    const gathered = at && arrived.length > 0 ? [{ ...at, arrived, endsSlot: false }] : []
    arrived = []
    return gathered
  }
  for (const mail of mails) {
    if ('fromSlot' in mail) {
      yield* rest()
      yield mail
      continue
    }
    const { slot, blockTime, transaction } = mail
    if (slot !== at?.slot || !transaction) yield* rest()
    at = { slot, blockTime }
    if (transaction) arrived.push(transaction)
    else yield { ...at, arrived: [], endsSlot: true }
  }
  yield* rest()
}

function refused({ program }: Told, reason: RefusalReason): DecodedLogs {
  const refusals = [{ exchange: program.exchange, path: '', reason }]
  return { events: [], refusals, blockTime: null, unknownAccounts: [] }
}

const CANNOT_SEE = sentences()

function sentences(): string {
  const whole = LOG_DECODERS.filter(({ gives }) => gives.includes('swap')).map(({ exchange }) => exchange)
  const pairsOnly = LOG_DECODERS.filter(({ gives }) => !gives.includes('swap')).map(
    ({ exchange }) => exchange,
  )
  return (
    `Logs cover only ${whole.join(', ')}, and new pairs of ${pairsOnly.join(', ')}. ` +
    'They miss swaps signed by a program, and anything after the first 10 kB of a log. ' +
    'Events are in order of arrival, without cursors. The service does not fetch what it missed.'
  )
}
