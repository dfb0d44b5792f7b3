import { type Clock, followSignals, isObject, readObject } from '@pairwire/basics'
import WebSocket from 'ws'
import { isSlot, readSlot } from '../chain/chain-numbers.ts'
import { FeedError } from '../chain/feed.ts'
import type { RpcClient } from './rpc-client.ts'

/** Knows the newest slot of an endpoint. */
export type HeadWatch = ReturnType<typeof watchHead>

/** What {@link watchHead} needs. */
type HeadWatchOptions = Readonly<{
  client: RpcClient
  /** Address of the endpoint; its websocket is at the same one, or one port above. */
  url: URL
  token: string | undefined
  clock: Clock
  signal: AbortSignal
  /** The head at the start. */
  head: number
}>

/** Bounds of the milliseconds between two requests for the head without a websocket. */
const MIN_POLL_MS = 250
const MAX_POLL_MS = 2_000

/** Consecutive failed requests after which the endpoint counts as away. */
const MAX_FAILURES = 3

/** Milliseconds without a notification after which the head is requested anyway. */
const SILENT_MS = 5_000

/** Watches the head: with `slotSubscribe` if there is a websocket, else by polling, about twice per measured slot. */
export function watchHead({ client, url, token, clock, signal, head: start }: HeadWatchOptions) {
  const failing = new AbortController()
  const closing = followSignals(signal, failing.signal)
  const closed = closing.signal
  let head = start
  let heardAt = Number.NEGATIVE_INFINITY
  let pollMs = MIN_POLL_MS
  let failures = 0
  let wake: (() => void)[] = []

  const rise = (slot: number) => {
    if (slot <= head) return
    head = slot
    for (const resolve of wake.splice(0)) resolve()
  }

  const note = (error: unknown): undefined => {
    if (!(error instanceof FeedError) || ++failures < MAX_FAILURES) return
    failing.abort(error)
  }

  const poll = async () => {
    let before = { slot: head, at: clock.elapsed() }
    while (!closed.aborted) {
      if (clock.elapsed() - heardAt > SILENT_MS) {
        const said = client.call('getSlot', [{ commitment: 'confirmed' }], closed)
        const slot = await said.then(readSlot).catch(note)
        if (slot !== undefined) {
          failures = 0
          rise(slot)
          const now = clock.elapsed()
          if (slot > before.slot) {
            const slotMs = (now - before.at) / (slot - before.slot)
            pollMs = Math.min(MAX_POLL_MS, Math.max(MIN_POLL_MS, slotMs / 2))
            before = { slot, at: now }
          }
        }
      }
      await clock.wait(pollMs, closed)
    }
  }

  void poll()
  void listen(websocketsOf(url), token, closed, clock, (slot) => {
    heardAt = clock.elapsed()
    rise(slot)
  })
  return {
    /** The newest slot seen. */
    head: () => head,
    /** Resolves when the head has risen, or after a while. */
    moved: (moving: AbortSignal) =>
      new Promise<void>((resolve) => {
        wake.push(resolve)
        void clock.wait(MAX_POLL_MS, moving).then(() => {
          wake = wake.filter((each) => each !== resolve)
          resolve()
        })
      }),
    /** Aborts with a FeedError when the endpoint no longer reports its slot. */
    failed: failing.signal,
    close: () => closing.abort(),
  }
}

/** The possible websocket addresses: the same one, or, as with validators, one port above. */
function websocketsOf(url: URL): readonly URL[] {
  const same = new URL(url)
  same.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:'
  if (url.port === '') return [same]
  const above = new URL(same)
  above.port = String(Number(url.port) + 1)
  return [same, above]
}

/** Milliseconds before a websocket is retried. */
const RETRY_MS = 15_000

async function listen(
  addresses: readonly URL[],
  token: string | undefined,
  signal: AbortSignal,
  clock: Clock,
  onSlot: (slot: number) => void,
): Promise<void> {
  while (!signal.aborted) {
    for (const address of addresses) {
      const heard = await listenOnce(address, token, signal, onSlot)
      if (heard || signal.aborted) break
    }
    await clock.wait(RETRY_MS, signal)
  }
}

/** @returns whether it was a websocket that sent slots, once it has ended */
function listenOnce(
  address: URL,
  token: string | undefined,
  signal: AbortSignal,
  onSlot: (slot: number) => void,
): Promise<boolean> {
  return new Promise((resolve) => {
    const headers = token === undefined ? {} : { 'x-token': token }
    const socket = new WebSocket(address, { headers, handshakeTimeout: 10_000, maxPayload: 1024 * 1024 })
    let heard = false
    const end = () => socket.terminate()
    signal.addEventListener('abort', end)
    socket.on('open', () => socket.send('{"jsonrpc":"2.0","id":1,"method":"slotSubscribe"}'))
    socket.on('message', (text) => {
      const slot = slotOf(String(text))
      if (slot === undefined) return
      heard = true
      onSlot(slot)
    })
    socket.on('error', () => {})
    socket.on('close', () => {
      signal.removeEventListener('abort', end)
      resolve(heard)
    })
    if (signal.aborted) end()
  })
}

function slotOf(text: string): number | undefined {
  const params = readObject(text)?.params
  const result = isObject(params) ? params.result : undefined
  return isObject(result) && isSlot(result.slot) ? result.slot : undefined
}
