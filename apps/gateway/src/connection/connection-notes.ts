import { randomUUID } from 'node:crypto'
import type { Accounts, ConnectionNote, RefusedUpgrades } from '@pairwire/accounts'
import { type Clock, type Log, nameOf, oneAtATime } from '@pairwire/basics'
import { HOUR_MS } from '@pairwire/contract'
import type { Connection } from './connection.ts'

/** Notes kept while the accounts cannot take them; beyond that the oldest are dropped. */
const KEPT = 20_000

/** Connections recorded in one statement: a thousand would block the stream for milliseconds. */
const NOTED_AT_ONCE = 200

/** The recorded fields of a connection. */
type Noted = Pick<
  Connection,
  'id' | 'accountId' | 'address' | 'client' | 'connectedAt' | 'ended' | 'faultCounts' | 'sentEvents'
>

/** The parts that recording needs. */
type ConnectionNotesParts = Readonly<{
  record(notes: readonly ConnectionNote[]): Promise<void>
  recordRefused: Accounts['recordRefusedUpgrades']
  clock: Clock
  everyMs: number
  log: Log
}>

/** Records when connections open, are still open, and how they end: the latest state of each, every `everyMs`. */
export class ConnectionNotes {
  readonly #parts: ConnectionNotesParts
  readonly #waiting = new Map<string, ConnectionNote>()
  /** By account, hour and refusal. */
  readonly #refused = new Map<string, RefusedUpgrades>()
  /** Sent without an answer, and perhaps recorded: they are sent again as they were, by the same number. */
  #unanswered: readonly RefusedUpgrades[] = []
  readonly #counter = randomUUID()
  #number = 0
  readonly #alone = oneAtATime()
  #cancelTimer: (() => void) | undefined
  #isAway = false

  constructor(parts: ConnectionNotesParts) {
    this.#parts = parts
  }

  /** Adds the connection's current state to the next batch. */
  note(connection: Noted): void {
    this.#waiting.set(connection.id, noteOf(connection, new Date(this.#parts.clock.now())))
    this.#wake()
  }

  /** Counts a refused upgrade of an account. Beyond the number kept it is not counted. */
  noteRefused(accountId: string, refusal: string): void {
    const now = this.#parts.clock.now()
    const hour = new Date(now - (now % HOUR_MS))
    const id = `${accountId} ${hour.getTime()} ${refusal}`
    const count = (this.#refused.get(id)?.count ?? 0) + 1
    if (count === 1 && this.#refused.size >= KEPT) return
    this.#refused.set(id, { accountId, hour, refusal, count })
    this.#wake()
  }

  /** Records all notes; resolves when that has succeeded or failed. Failed notes are kept for the next try. */
  flush(): Promise<void> {
    return this.#alone(async () => {
      this.#cancelTimer?.()
      this.#cancelTimer = undefined
      const notes = [...this.#waiting.values()]
      this.#waiting.clear()
      let recorded = 0
      try {
        for (; recorded < notes.length; recorded += NOTED_AT_ONCE) {
          await this.#parts.record(notes.slice(recorded, recorded + NOTED_AT_ONCE))
        }
        await this.#recordRefused()
        this.#isAway = false
      } catch (error) {
        this.#keep(notes.slice(recorded), error)
      }
    })
  }

  async #recordRefused(): Promise<void> {
    if (this.#unanswered.length > 0) await this.#sendRefused()
    const ids = [...this.#refused.keys()]
    for (let at = 0; at < ids.length; at += NOTED_AT_ONCE) {
      const batch = ids.slice(at, at + NOTED_AT_ONCE)
      this.#unanswered = batch.map((id) => this.#refused.get(id)!)
      for (const id of batch) this.#refused.delete(id)
      this.#number++
      await this.#sendRefused()
    }
  }

  async #sendRefused(): Promise<void> {
    await this.#parts.recordRefused(this.#unanswered, { counter: this.#counter, number: this.#number })
    this.#unanswered = []
  }

  #keep(left: readonly ConnectionNote[], error: unknown): void {
    if (!this.#isAway)
      this.#parts.log.warn('Connections could not be recorded; they are kept for the next try.', {
        errorName: nameOf(error),
        notes: left.length,
      })
    this.#isAway = true
    for (const note of left) if (!this.#waiting.has(note.id)) this.#waiting.set(note.id, note)
    for (const id of this.#waiting.keys()) {
      if (this.#waiting.size <= KEPT) break
      this.#waiting.delete(id)
    }
    this.#wake()
  }

  #wake(): void {
    const { clock, everyMs } = this.#parts
    this.#cancelTimer ??= clock.after(everyMs, () => void this.flush())
  }
}

function noteOf(connection: Noted, now: Date): ConnectionNote {
  const { id, accountId, address, client, connectedAt, ended, faultCounts, sentEvents } = connection
  const seenAt = now.getTime() < connectedAt ? new Date(connectedAt) : now // the clock may be set back
  return {
    id,
    accountId,
    address,
    client,
    openedAt: new Date(connectedAt),
    seenAt,
    closedAt: ended === undefined ? null : seenAt,
    ended: ended ?? null,
    sentEvents,
    faults: { ...faultCounts },
  }
}
