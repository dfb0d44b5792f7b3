import type { ConnectionNote } from '@pairwire/accounts'
import { type Clock, type Log, nameOf, oneAtATime } from '@pairwire/process'
import type { Connection } from './connection.ts'

/** Notes kept while the accounts cannot take them; beyond it the oldest are given up. */
const KEPT = 20_000

/** Connections that are noted in one statement: a thousand would hold up the stream for milliseconds. */
const NOTED_AT_ONCE = 200

/** What is noted of a connection. */
type Noted = Pick<Connection, 'id' | 'accountId' | 'address' | 'client' | 'connectedAt' | 'ended' | 'figures'>

/** Writes down when connections open, that they still are, and how they end. */
type ConnectionNotes = Readonly<{
  /** The connection as it is now goes into the next batch. */
  note(connection: Noted): void
  /** Hands everything over; resolves when that has succeeded or failed. What failed is kept for the next time. */
  flush(): Promise<void>
}>

/** Hands notes to `record`, the latest of each connection, every `everyMs` while there are any. */
export function createConnectionNotes({
  record,
  clock,
  everyMs,
  log,
}: {
  record: (notes: readonly ConnectionNote[]) => Promise<void>
  clock: Clock
  everyMs: number
  log: Log
}): ConnectionNotes {
  const waiting = new Map<string, ConnectionNote>()
  const alone = oneAtATime()
  let cancelTimer: (() => void) | undefined

  const wake = () => {
    cancelTimer ??= clock.after(everyMs, () => {
      cancelTimer = undefined
      void flush()
    })
  }

  const send = async () => {
    const notes = [...waiting.values()]
    waiting.clear()
    let recorded = 0
    try {
      for (; recorded < notes.length; recorded += NOTED_AT_ONCE) {
        await record(notes.slice(recorded, recorded + NOTED_AT_ONCE))
      }
    } catch (error) {
      const left = notes.slice(recorded)
      log.warn('Connections could not be recorded; they are kept for the next try.', {
        errorName: nameOf(error),
        notes: left.length,
      })
      for (const note of left) if (!waiting.has(note.id)) waiting.set(note.id, note)
      for (const id of waiting.keys()) {
        if (waiting.size <= KEPT) break
        waiting.delete(id)
      }
      wake()
    }
  }

  const flush = () =>
    alone(async () => {
      if (waiting.size === 0) return
      cancelTimer?.()
      cancelTimer = undefined
      await send()
    })

  return {
    note(connection) {
      waiting.set(connection.id, noteOf(connection, new Date(clock.now())))
      wake()
    },
    flush,
  }
}

function noteOf(connection: Noted, now: Date): ConnectionNote {
  const { id, accountId, address, client, connectedAt, ended } = connection
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
    sentEvents: connection.figures().sentEvents,
  }
}
