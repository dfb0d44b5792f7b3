import { eventsOf } from '@pairwire/bus/testing/chain-of-slots'
import WebSocket from 'ws'
import { EARLY_LEAD } from './early-of-slots.ts'
import { NARROW_HEADER } from './narrow-line.ts'
import { PRO_KEY } from './restart-accounts.ts'
import type { RestartClient, Wish } from './restart-client.ts'

/**
 * A client that wants everything as it is executed and starts over on each connection. At the end of each slot it
 * compares what it was sent, less what was taken back, with the chain.
 */
export function createEarlyClient(
  name: string,
  wish: Wish,
  isSlow: boolean,
  problem: (sentence: string) => void,
): RestartClient {
  const counts = { events: 0, gaps: 0, named: 0, slow: 0, slots: 0, takenBack: 0, caps: 0 }
  let socket: WebSocket | undefined
  let port = 0
  let isClosed = false

  const connect = () => {
    const headers = { 'X-API-KEY': PRO_KEY, ...(isSlow ? { [NARROW_HEADER]: '1' } : {}) }
    const own = new WebSocket(`ws://127.0.0.1:${port}/`, { headers })
    socket = own
    /** Signatures of events sent and not taken back, by slot. */
    const sent = new Map<number, Set<string>>()
    /** Events executed before this client connected are not for it: it checks the later slots. */
    let first = Number.POSITIVE_INFINITY
    let ended = 0
    const subscribe = (id: number, kind: string, params: object) =>
      own.send(
        JSON.stringify({ id, method: `${kind}Subscribe`, params: { ...params, commitment: 'processed' } }),
      )
    own.on('error', () => {})
    own.on('open', () => {
      subscribe(1, wish.kind, wish.params)
      subscribe(2, 'latestBlock', {})
    })
    own.on('message', (data) => {
      const frame = JSON.parse(String(data))
      if (frame.error) problem(`${name}: ${frame.error.message}`)
      else if (frame.method === `${wish.kind}Notification`) take(frame)
      else if (frame.method === 'slotDroppedNotification') takeBack(frame.params)
      else if (frame.method === 'latestBlockNotification') endSlot(frame.params.block)
      else if (frame.method === 'gapNotification') first = frame.params.toSlot + EARLY_LEAD
    })
    own.on('close', (code) => {
      if (code === 4008) counts.slow++
      if (socket === own && code === 4008 && !isClosed) connect()
    })

    const take = ({ commitment, cursor, params: { slot, signature } }: EarlyFrame) => {
      if (commitment !== 'processed' || cursor !== undefined) problem(`${name}: a frame of another kind.`)
      if (slot <= ended) problem(`${name}: ${signature} came when its slot had ended.`)
      const signatures = sent.get(slot) ?? new Set()
      sent.set(slot, signatures)
      if (signatures.has(signature)) problem(`${name}: ${signature} came twice.`)
      signatures.add(signature)
      counts.events++
    }

    const takeBack = ({ slot, signatures }: { slot: number; signatures: string[] }) => {
      for (const signature of signatures) {
        if (!sent.get(slot)?.delete(signature)) problem(`${name}: ${signature} is taken back unsent.`)
        counts.takenBack++
      }
    }

    const endSlot = (slot: number) => {
      if (first === Number.POSITIVE_INFINITY) first = slot + EARLY_LEAD
      if (slot <= ended) problem(`${name}: slot ${slot} ended after ${ended}.`)
      ended = slot
      const got = sent.get(slot) ?? new Set()
      sent.delete(slot)
      if (slot <= first) return
      counts.slots++
      const due = eventsOf(slot).flatMap((event) =>
        event.kind !== 'latestBlock' && wish.wants(event) ? [event.params.signature] : [],
      )
      const lacks = due.filter((signature) => !got.has(signature))
      if (lacks.length > 0) problem(`${name}: slot ${slot} ended without ${lacks[0]}.`)
      if (got.size > due.length) problem(`${name}: slot ${slot} ended with events that it does not have.`)
    }
  }

  return {
    connect(at) {
      port = at
      connect()
    },
    cut() {
      socket?.terminate()
      connect()
    },
    comeBack() {
      if (socket?.readyState === WebSocket.CLOSED) connect()
    },
    // What it missed while disconnected never comes again.
    hasAll: () => true,
    counts: () => ({ ...counts }),
    close() {
      isClosed = true
      socket?.terminate()
    },
  }
}

type EarlyFrame = Readonly<{
  commitment: unknown
  cursor: unknown
  params: Readonly<{ slot: number; signature: string }>
}>
