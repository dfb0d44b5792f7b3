import { createManualClock, type ManualClock } from '@pairwire/basics/testing/manual-clock'
import type { PairwireOptions } from '../config.ts'
import { type Pairwire, pairwireFor } from '../pairwire.ts'

/** The service's end of a socket, in the test's hand. */
export type FakeSocket = {
  readonly url: URL
  /** What the client has sent, oldest first. */
  readonly sent: { id: number; method: string; params: Record<string, unknown> }[]
  isClosed: boolean
  isPaused: boolean
  opens(): void
  /** Sends a frame. */
  says(frame: object): void
  /** Answers every request that has no answer, but of one method: subscribes by ids that grow, others with true. */
  answers(butMethod?: string): void
  closes(code: number, reason?: string): void
}

/** The SDK on sockets, a clock and chance that a test holds. */
export type SdkUnderTest = Readonly<{
  pairwire: Pairwire
  clock: ManualClock
  /** Every socket that was opened, oldest first. */
  sockets: readonly FakeSocket[]
  /** The states that were told, each with the type of its reason. */
  states: readonly string[]
  warnings: readonly string[]
  /** The machine has a network again. */
  goesOnline(): void
  /** The newest socket, opened and answered. */
  connect(): Promise<FakeSocket>
}>

/** Makes one. `random` is what chance gives, at least 0, below 1; `canPause` makes its class one like that of `ws`. */
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
    onOnline(callback: () => void) {
      onlineListeners.add(callback)
      return () => void onlineListeners.delete(callback)
    },
  }
  const pairwire = pairwireFor(platform)({
    url: 'wss://stream.example',
    key: 'the key',
    onState: (state, why) => {
      states.push(why && 'errorType' in why ? `${state} ${why.errorType}` : state)
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
