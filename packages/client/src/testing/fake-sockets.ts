import { createManualClock, type ManualClock } from '@pairwire/basics/testing/manual-clock'
import type { PairwireOptions } from '../config.ts'
import { type Pairwire, pairwireFor } from '../pairwire.ts'
import { openNodeSocket } from '../socket-node.ts'

/** The service's end of a socket, controlled by the test. */
export type FakeSocket = {
  readonly url: URL
  /** Requests that the client sent, oldest first. */
  readonly sent: { id: number; method: string; params: Record<string, unknown> }[]
  isClosed: boolean
  isPaused: boolean
  opens(): void
  /** Sends a frame. */
  says(frame: object): void
  /** Sends swaps of these slots to the first subscription. */
  swaps(...slots: number[]): void
  /** Answers every open request except those of one method: subscribes with growing ids, others with true. */
  answers(butMethod?: string): void
  /** Answers the newest request of a method with an error. */
  refuses(method: string, errorType: string, code: number, data?: object): void
  closes(code: number, reason?: string): void
}

/** The SDK with sockets, a clock and random numbers controlled by the test. */
export type SdkUnderTest = Readonly<{
  pairwire: Pairwire
  clock: ManualClock
  /** Every socket opened, oldest first. */
  sockets: readonly FakeSocket[]
  /** The states reported, each with the type of its reason. */
  states: readonly string[]
  warnings: readonly string[]
  /** Reports the machine as online again. */
  goesOnline(): void
  /** Opens the newest socket, and answers it. */
  connect(): Promise<FakeSocket>
}>

/** The cursor of a block's end. */
export const blockOf = (slot: number) => `000000000-${String(slot).padStart(12, '0')}-999999-9000`

/** The cursor of the first transaction of a slot. */
export const cursorOf = (slot: number, run = 0) =>
  `${String(run).padStart(9, '0')}-${String(slot).padStart(12, '0')}-000000-0000`

/** Makes one. `random` is the result of every draw, at least 0, below 1; `canPause` adds the members of `ws`. */
export function createSdkUnderTest({
  random = 1,
  canPause = false,
  ...options
}: PairwireOptions & { random?: number; canPause?: boolean } = {}): SdkUnderTest {
  const clock = createManualClock()
  const sockets: FakeSocket[] = []
  const states: string[] = []
  const warnings: string[] = []
  const onlineListeners = new Set<() => void>()
  const platform = {
    clock,
    random: () => random,
    findWebSocket: async () => fakeClass(sockets, canPause),
    openSocket: openNodeSocket,
    onOnline(callback: () => void) {
      onlineListeners.add(callback)
      return () => void onlineListeners.delete(callback)
    },
  }
  const pairwire = pairwireFor(platform)({
    url: 'wss://stream.example',
    key: 'the key',
    onState: (state, why) => {
      states.push(why ? `${state} ${why.errorType}` : state)
    },
    onWarning: (sentence) => warnings.push(sentence),
    ...options,
  })
  return {
    ...{ pairwire, clock, sockets, states, warnings },
    goesOnline() {
      for (const callback of onlineListeners) callback()
    },
    async connect() {
      await clock.pass(0)
      const socket = sockets.at(-1)!
      socket.opens()
      socket.answers()
      return socket
    },
  }
}

function fakeClass(sockets: FakeSocket[], canPause: boolean) {
  class FakeWebSocket {
    onopen: (() => void) | null = null
    onmessage: ((event: { data: unknown }) => void) | null = null
    onerror: ((event: unknown) => void) | null = null
    onclose: ((event: unknown) => void) | null = null
    readonly #socket: FakeSocket

    constructor(url: string) {
      let answered = 0
      let nextId = 1
      const socket: FakeSocket = {
        ...{ url: new URL(url), sent: [], isClosed: false, isPaused: false },
        opens: () => this.onopen?.(),
        says: (frame) => this.onmessage?.({ data: JSON.stringify(frame) }),
        answers(butMethod) {
          while (answered < socket.sent.length) {
            const { id, method } = socket.sent[answered++]!
            if (method === butMethod) continue
            socket.says({ id, result: method.endsWith('Subscribe') ? { subscription_id: nextId++ } : true })
          }
        },
        swaps(...slots) {
          for (const slot of slots)
            socket.says({
              ...{ subscription_id: 1, method: 'swapNotification', cursor: cursorOf(slot) },
              params: { slot, signature: `${slot}`, blockTime: 1, swap: {} },
            })
        },
        refuses(method, errorType, code, data = {}) {
          const { id } = socket.sent.findLast((request) => request.method === method)!
          socket.says({ id, error: { code, message: 'The sentence.', data: { errorType, ...data } } })
        },
        closes: (code, reason = '') => this.onclose?.({ code, reason }),
      }
      this.#socket = socket
      sockets.push(socket)
      if (canPause) {
        Object.assign(this, {
          pause: () => (socket.isPaused = true),
          resume: () => (socket.isPaused = false),
        })
      }
    }

    send(text: string): void {
      this.#socket.sent.push(JSON.parse(text))
    }

    close(): void {
      this.#socket.isClosed = true
    }
  }
  if (canPause) Object.assign(FakeWebSocket.prototype, { pause() {} })
  return FakeWebSocket
}
