import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Accounts } from '@pairwire/accounts'
import { withTimeout } from '@pairwire/basics'
import { type AnyStream, type OpenStream, STREAM_RANKS, type StreamsWanted } from '@pairwire/contract'
import type { Shards } from '../fanout/shards.ts'
import { createSweep } from '../fanout/sweep.ts'
import { Outbox } from '../outbox/outbox.ts'
import { OutboxBudget } from '../outbox/outbox-budget.ts'
import { SimulatedOutbox } from '../outbox/simulated-outbox.ts'
import type { Allowance } from '../rates/allowance.ts'
import { Connection } from './connection.ts'
import { ConnectionNotes } from './connection-notes.ts'
import type { ConnectionContext, Newcomer } from './connection-parts.ts'

/** The parts that a gateway's connections share. */
type ConnectionsParts = Omit<ConnectionContext, 'hub' | 'onClosed' | 'onEnd'> &
  Readonly<{
    shards: Shards
    accounts: Pick<Accounts, 'recordConnections' | 'recordRefusedUpgrades'>
    allowanceOf(accountId: string): Allowance
  }>

/** Connections that a list ranks in one turn of the loop: a thousand at once would keep the stream waiting for milliseconds. */
const RANKED_AT_ONCE = 100

/** Counts since the start; the first four are current values. */
export type ConnectionFigures = Readonly<{
  connections: number
  subscriptions: number
  queuedBytes: number
  /** Bytes of memory behind the queues; frames shared by several clients count once. */
  heldBytes: number
  sentEvents: number
  sentBytes: number
  acceptedUpgrades: number
  /** By the name of their codec: open ones, and events sent since the start. */
  codecs: Readonly<Record<string, Readonly<{ connections: number; sentEvents: number }>>>
  /** Connections ended by the gateway, by reason. */
  ended: Readonly<Record<string, number>>
}>

/** The connections of a gateway: opens them, checks them once a second, and records when they come and go. */
export class Connections {
  readonly #parts: ConnectionsParts
  readonly #all = new Set<Connection>()
  readonly #budget: OutboxBudget
  readonly #notes: ConnectionNotes
  readonly #sweep: ReturnType<typeof createSweep>
  readonly #ended: Record<string, number> = {}
  /** Of closed connections; the open ones know their own. */
  readonly #sentByGone = { sentEvents: 0, sentBytes: 0 }
  readonly #eventsByGone = new Map<string, number>()
  #accepted = 0
  /** When all open connections were last recorded as open, in milliseconds of the clock. */
  #notedAt: number
  #isNoteTime = false
  #whenEmpty = () => {}

  constructor(parts: ConnectionsParts) {
    const { accounts, clock, limits, log } = parts
    this.#parts = parts
    this.#budget = new OutboxBudget(limits.outboxesMaxBytes)
    this.#notedAt = clock.elapsed()
    this.#notes = new ConnectionNotes({
      record: (batch) => accounts.recordConnections(batch),
      recordRefused: (...refused) => accounts.recordRefusedUpgrades(...refused),
      ...{ clock, log, everyMs: limits.countEveryMs },
    })
    this.#sweep = createSweep({
      items: this.#all,
      begin: () => this.#beginSweep(),
      look: (connection) => this.#look(connection),
      ...{ clock, everyMs: limits.sweepEveryMs },
    })
  }

  /** Opens a connection for a client whose line is open. */
  open({ line, codec, socket, openInlet, ...newcomer }: Newcomer): Connection {
    const { allowanceOf, clock, limits, simulated } = this.#parts
    this.#accepted++
    const { outboxMaxBytes: maxBytes } = limits
    const allowance = allowanceOf(newcomer.seat.accountId)
    const parts = { line, socket, ping: codec.ping, budget: this.#budget, clock, maxBytes }
    const connection = new Connection(
      {
        ...{ ...newcomer, line, codec, allowance },
        openOutbox: (owner) =>
          simulated && codec.isSingle
            ? new SimulatedOutbox({ ...parts, owner })
            : new Outbox({ ...parts, owner }),
        inlet: openInlet(allowance.reading),
      },
      {
        ...this.#parts,
        hub: this.#parts.shards.assign(codec),
        onClosed: () => this.#onClosed(connection),
        onEnd: (reason) => {
          this.#ended[reason] = (this.#ended[reason] ?? 0) + 1
        },
      },
    )
    this.#all.add(connection)
    this.#notes.note(connection)
    this.#sweep.wake()
    return connection
  }

  figures(): ConnectionFigures {
    const sum = { ...this.#sentByGone, queuedBytes: 0, subscriptions: 0 }
    const codecs: Record<string, { connections: number; sentEvents: number }> = {}
    for (const [name, sentEvents] of this.#eventsByGone) codecs[name] = { connections: 0, sentEvents }
    for (const connection of this.#all) {
      const { name } = connection.codec
      const { connections = 0, sentEvents = 0 } = codecs[name] ?? {}
      codecs[name] = { connections: connections + 1, sentEvents: sentEvents + connection.sentEvents }
      sum.sentEvents += connection.sentEvents
      sum.sentBytes += connection.sentBytes
      sum.queuedBytes += connection.queuedBytes
      sum.subscriptions += connection.subscriptions.count
    }
    return {
      ...sum,
      connections: this.#all.size,
      heldBytes: this.#budget.bytes,
      acceptedUpgrades: this.#accepted,
      codecs,
      ended: { ...this.#ended },
    }
  }

  /** Returns an account's open connections, oldest first, once others' ends are recorded or that takes too long. */
  async ofAccount(accountId: string): Promise<readonly OpenStream[]> {
    const { clock, limits } = this.#parts
    const own = [...this.#all].filter((connection) => connection.accountId === accountId)
    const open = own.filter((connection) => connection.isOpen()).map(openStreamOf)
    for (const connection of own) if (connection.ended) this.#notes.note(connection)
    // Otherwise they are recorded a little later, and until then look as if this gateway had died.
    await withTimeout(this.#notes.flush(), clock, limits.countEveryMs).catch(() => {})
    return open
  }

  /** Returns the open connections of all accounts, or of one, that stand highest in the sort order: only these are read whole. */
  async list({ accountId, id, sort, limit }: StreamsWanted): Promise<readonly AnyStream[]> {
    const rankOf = STREAM_RANKS[sort]
    const ranked: Readonly<{ one: Connection; rank: number }>[] = []
    let looked = 0
    for (const one of this.#all) {
      const isWanted = (accountId ?? one.accountId) === one.accountId && (id ?? one.id) === one.id
      if (isWanted) ranked.push({ one, rank: rankOf(one) })
      if (++looked % RANKED_AT_ONCE === 0) await nextTurn()
    }
    ranked.sort((left, right) => right.rank - left.rank)
    const rows: AnyStream[] = []
    for (const { one } of ranked) {
      if (rows.length === limit) break
      if (one.isOpen()) rows.push({ ...openStreamOf(one), accountId: one.accountId, faults: one.faults })
    }
    return rows
  }

  /** Counts a refused upgrade of an account. */
  noteRefused(accountId: string, refusal: string): void {
    this.#notes.noteRefused(accountId, refusal)
  }

  /** Ends one connection of an account, and only of that account. */
  end(accountId: string, connectionId: string): void {
    const connection = [...this.#all].find(({ id }) => id === connectionId)
    if (connection?.accountId === accountId) connection.end('disconnected')
  }

  /** Ends all in groups, within `withinMs`, so that they do not all reconnect at once. */
  async drain(withinMs: number): Promise<void> {
    const { clock, limits } = this.#parts
    const groups = Math.max(1, Math.floor(withinMs / limits.drainEveryMs))
    const size = Math.max(limits.drainGroup, Math.ceil(this.#all.size / groups))
    for (;;) {
      // Ended ones drop out; the first of the rest are still open.
      const open = [...this.#all].filter((connection) => connection.isOpen())
      for (const connection of open.slice(0, size)) connection.end('restart')
      if (open.length <= size) return
      await new Promise<void>((resolve) => clock.after(limits.drainEveryMs, resolve))
    }
  }

  /** Closes all; resolves once every client has gone. */
  endAll(): Promise<void> {
    for (const connection of [...this.#all]) connection.end('restart')
    if (this.#all.size === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#whenEmpty = resolve
    })
  }

  /** Cuts the remaining ones, and records how they ended. */
  async close(): Promise<void> {
    const { clock, limits, log } = this.#parts
    for (const connection of [...this.#all]) connection.terminate()
    // Connections that were just cut are closed in the next turn.
    await new Promise(setImmediate)
    await withTimeout(this.#notes.flush(), clock, limits.closeGraceMs).catch(() => {
      log.error('The ends of the last connections were not recorded in time.')
    })
    this.#sweep.close()
  }

  #onClosed(connection: Connection): void {
    if (!this.#all.delete(connection)) return
    this.#sentByGone.sentEvents += connection.sentEvents
    this.#sentByGone.sentBytes += connection.sentBytes
    const { name } = connection.codec
    this.#eventsByGone.set(name, (this.#eventsByGone.get(name) ?? 0) + connection.sentEvents)
    this.#notes.note(connection)
    if (this.#all.size === 0) this.#whenEmpty()
  }

  #beginSweep(): void {
    const { seats, clock, limits } = this.#parts
    this.#isNoteTime = clock.elapsed() - this.#notedAt >= limits.noteEveryMs
    if (this.#isNoteTime) this.#notedAt = clock.elapsed()
    seats.lookAtPlans()
  }

  #look(connection: Connection): void {
    connection.tick()
    if (this.#isNoteTime) this.#notes.note(connection)
  }
}

function openStreamOf(connection: Connection): OpenStream {
  const { id, address, client, lastSeenAt, connectedAt, sentEvents, sentBytes, queuedBytes } = connection
  const subscriptions = connection.subscriptions.all.map(({ id, kind }) => ({ id, kind }))
  return { id, address, client, lastSeenAt, connectedAt, subscriptions, sentEvents, sentBytes, queuedBytes }
}
