import { createPairwire } from '@pairwire/client'
import { WebSocket } from 'ws'

/** A program that reads swaps ahead of confirmation with the SDK. */
export type EarlyClient = Readonly<{
  /** Signatures of the swaps of each slot that it saw from beginning to end, one per swap. */
  settled: Map<number, readonly string[]>
  stop(): void
}>

/** Slots whose first events may have been executed before the subscribe; a stand-in for the chain is one slot ahead. */
const BEGUN_BEFORE = 8

/** Starts one; `port` returns that of the gateway to try next. */
export function createEarlyClient({
  port,
  key,
  problem,
}: Readonly<{ port(): number; key: string; problem(sentence: string): void }>): EarlyClient {
  const settled = new Map<number, readonly string[]>()
  const sent = new Map<number, string[]>()
  /** The first slot that it sees completely on this connection. */
  let first: number | undefined
  let ended = 0

  class AnyGateway extends WebSocket {
    constructor(address: string, ...options: [string[], WebSocket.ClientOptions]) {
      super(Object.assign(new URL(address), { port: String(port()) }), ...options)
    }
  }
  const pairwire = createPairwire({
    ...{ url: 'ws://127.0.0.1', key, WebSocket: AnyGateway, retryMaxMs: 400 },
    onState(state) {
      if (state !== 'waiting') return
      sent.clear()
      first = undefined
      ended = 0
    },
  })
  const swaps = pairwire.swaps({ commitment: 'processed' })
  swaps
    .on('gap', ({ cause, toSlot }) => {
      if (cause !== 'disconnected' && first !== undefined) first = Math.max(first, toSlot!)
    })
    .on('slotDropped', ({ slot, signatures }) => {
      const left = sent.get(slot)?.filter((signature) => !signatures.includes(signature)) ?? []
      if (left.length > 0) sent.set(slot, left)
      else sent.delete(slot)
    })
    .on('event', ({ slot, signature }) => {
      first ??= slot + BEGUN_BEFORE
      if (slot <= ended) problem(`An early swap of slot ${slot} came after its end.`)
      sent.set(slot, [...(sent.get(slot) ?? []), signature])
    })
  const blocks = pairwire.blocks().on('event', ({ block: slot }) => {
    ended = slot
    // Blocks of the time away come first.
    if (first !== undefined && slot > first) settled.set(slot, sent.get(slot) ?? [])
    for (const passed of [...sent.keys()].filter((other) => other <= slot)) {
      if (passed < slot) problem(`${sent.get(passed)!.length} early swaps of slot ${passed} are left.`)
      sent.delete(passed)
    }
  })
  for (const stream of [swaps, blocks])
    void stream.closed.then((error) => {
      if (error) problem(String(error))
      if (stream.stats().duplicates > 0) problem(`${stream.stats().duplicates} early events came twice.`)
    })

  return { settled, stop: () => void pairwire.close() }
}
