import { SLOT_MS } from '@pairwire/ingest'
import WebSocket from 'ws'

/** A client of `processed`, which starts over on each connection. */
export type EarlyClient = Readonly<{
  /** Signatures of the swaps of each slot that it saw from beginning to end, one per swap. */
  settled: Map<number, readonly string[]>
  stop(): void
}>

/** Milliseconds between two attempts. */
const RETRY_MS = 200

/** Starts one; `port` returns that of the gateway to try next. */
export function createEarlyClient({
  port,
  key,
  problem,
}: Readonly<{ port(): number; key: string; problem(sentence: string): void }>): EarlyClient {
  const settled = new Map<number, readonly string[]>()
  let socket: WebSocket
  let stopped = false

  const open = () => {
    if (stopped) return
    const own = new WebSocket(`ws://127.0.0.1:${port()}/`, {
      headers: { 'X-API-KEY': key },
      handshakeTimeout: 10_000,
    })
    socket = own
    const sent = new Map<number, string[]>()
    let subscribedAt = 0
    /** It has everything of the slots after this one. */
    let first: number | undefined
    let ended = 0
    const subscribe = (kind: string) =>
      own.send(`{"id":1,"method":"${kind}Subscribe","params":{"commitment":"processed"}}`)
    const endSlot = (slot: number, blockTime: number) => {
      // The slot executed then: those of the stand-in follow the clock, one ahead, and their times are whole seconds.
      first ??= slot + 1 + Math.ceil((subscribedAt - blockTime * 1000) / SLOT_MS)
      ended = slot
      if (slot > first) settled.set(slot, sent.get(slot) ?? [])
      for (const passed of [...sent.keys()].filter((other) => other <= slot)) {
        // Of a slot that ended between its two requests it has swaps and no block.
        if (passed > first && passed < slot)
          problem(`${sent.get(passed)!.length} early swaps of slot ${passed} are left.`)
        sent.delete(passed)
      }
    }
    own.on('open', () => {
      subscribe('swap')
      subscribe('latestBlock')
    })
    own.on('message', (data) => {
      const { id, method, params } = JSON.parse(String(data))
      if (id) subscribedAt = Date.now()
      else if (method === 'swapNotification') {
        if (params.slot <= ended) problem(`An early swap of slot ${params.slot} came after its end.`)
        sent.set(params.slot, [...(sent.get(params.slot) ?? []), params.signature])
      } else if (method === 'slotDroppedNotification') {
        const dropped = new Set(params.signatures)
        const left = sent.get(params.slot)?.filter((signature) => !dropped.has(signature)) ?? []
        if (left.length > 0) sent.set(params.slot, left)
        else sent.delete(params.slot)
      } else if (method === 'gapNotification') first = Math.max(first ?? 0, params.toSlot)
      else if (method === 'latestBlockNotification') endSlot(params.block, params.blockTime)
    })
    own.on('unexpected-response', (_request, response) => {
      response.resume().once('end', () => own.terminate())
    })
    own.on('error', () => {})
    own.on('close', () => setTimeout(open, RETRY_MS * (1 + Math.random())))
  }
  open()

  return {
    settled,
    stop() {
      stopped = true
      socket.terminate()
    },
  }
}
