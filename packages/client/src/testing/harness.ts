import { afterEach, beforeEach } from 'vitest'
import type { PairwireOptions } from '../config.ts'
import type { FakeEvent } from '../fake/fake-events.ts'
import type { Pairwire, Stream } from '../index.ts'
import { pairwireFor } from '../pairwire.ts'
import { platform } from '../platform.ts'
import type { WebSocketClass } from '../socket.ts'
import { openNodeSocket } from '../socket-node.ts'

/** A service under test: the fake server, or the gateway. */
export type ServiceUnderTest = Readonly<{
  url: string
  key: string
  push(event: FakeEvent, options?: { to?: 'confirmed' | 'processed' }): string | null
  block(): string
  gap(): void
  cut(): void
  /** Closes the account's connections with 4009. */
  disconnect(): void
  /** Closes every connection with 1001, and accepts new ones. */
  restart(): unknown
  /** Sends more than a client may leave unread, and closes with 4008. @returns the cursors of what it sent, and of one event more */
  outrun(): (string | null)[] | Promise<(string | null)[]>
  /** Answers nothing on open connections. */
  silence(): void
  /** Refuses connections by the limit, for the plan, or while accounts are away; or playbacks. The fake server does once. */
  shut(door: 'limit' | 'plan' | 'accounts' | 'archive'): unknown
  /** Ends {@link silence} and {@link shut}. */
  reopen(): void
  /** Forgets every event so far. */
  forget(): void
  /** Makes hours for a playback. @returns them, and the cursors of their swaps */
  record(): { replay: { from: string; to?: string }; cursors: (string | null)[] }
  /** Refuses the next request, or the next upgrade with an HTTP status, on a service that does not validate. */
  refuse?(reason: 'INVALID_USD_VALUE' | 'TOO_MANY_REQUESTS' | number): void
  /** Closes every connection with any code; the gateway needs a reason. */
  close?(code: number, reason: string): void
  /** Leaves one swap in the plan, or so many milliseconds of it; the fake server counts neither. */
  leaveOne?(): void
  endPlan?(inMs: number): void
  stop(): Promise<void>
}>

/** How the package opens sockets in this runtime. */
const openSocket = 'process' in globalThis ? openNodeSocket : platform.openSocket

/** A clock that a test can speed up. */
export type HurriedClock = (typeof platform)['clock'] & {
  /** Timers set from now on fire this many times sooner. */
  speed: number
  /** Milliseconds to add to the time that has passed. */
  ahead: number
  /** The delay of every timer, in milliseconds. */
  readonly waits: number[]
}

/** What the tests of the promises work with. */
export type Harness = Readonly<{
  service: ServiceUnderTest
  clock: HurriedClock
  warnings: readonly string[]
  /** The reported states, each with the type of its reason. */
  states: readonly string[]
  /** The methods and cursors sent on each connection. */
  sent: readonly string[][]
  /** How many requests of a method were sent on all connections. */
  askedFor(method: string): number
  /** Sends data on the newest connection that the SDK itself never would. */
  sendRaw(data: string | Uint8Array): void
  /** The SDK on the service. Waits between retries take no time, since `random` returns 0. */
  open(options?: PairwireOptions): Pairwire
}>

/** Starts a service before each test, and stops it and the SDK afterwards. */
export function prepareHarness(start: () => Promise<ServiceUnderTest>, Class: WebSocketClass): Harness {
  let current: ServiceUnderTest
  const service = new Proxy({} as ServiceUnderTest, {
    get(_, name) {
      const member: unknown = Reflect.get(current, name)
      return typeof member === 'function' ? member.bind(current) : member
    },
  })
  const warnings: string[] = []
  const states: string[] = []
  const sent: string[][] = []
  const opened: Pairwire[] = []
  let newest: { sendRaw(data: string | Uint8Array): void }
  const clock: HurriedClock = {
    ...{ speed: 1, ahead: 0, waits: [] },
    elapsed: () => platform.clock.elapsed() + clock.ahead,
    after(ms, callback) {
      clock.waits.push(ms)
      return platform.clock.after(ms / clock.speed, callback)
    },
  }
  beforeEach(async () => {
    current = await start()
    for (const list of [warnings, states, sent, clock.waits]) list.length = 0
    Object.assign(clock, { speed: 1, ahead: 0 })
  })
  afterEach(async () => {
    for (const pairwire of opened.splice(0)) await pairwire.close()
    await current.stop()
  })

  class ToldWebSocket extends (Class as new (...parts: unknown[]) => { send(data: unknown): void }) {
    readonly #sent: string[] = []

    constructor(...parts: unknown[]) {
      super(...parts)
      sent.push(this.#sent)
      newest = this
    }

    sendRaw(data: unknown): void {
      super.send(data)
    }

    override send(text: string): void {
      const { method, params } = JSON.parse(text)
      this.#sent.push(params?.resume_from ? `${method} behind ${params.resume_from}` : method)
      super.send(text)
    }
  }

  return {
    ...{ service, clock, warnings, states, sent },
    askedFor: (method) => sent.flat().filter((one) => one.startsWith(method)).length,
    sendRaw: (data) => newest.sendRaw(data),
    open(options = {}) {
      const findWebSocket = async () => ToldWebSocket
      const createPairwire = pairwireFor({
        ...{ ...platform, clock, random: () => 0, findWebSocket, openSocket },
      })
      const pairwire = createPairwire({
        ...{ url: service.url, key: service.key, onWarning: (one: string) => warnings.push(one) },
        onState: (state, why) => states.push(why ? `${state}: ${why.errorType}` : state),
        ...options,
      })
      opened.push(pairwire)
      return pairwire
    },
  }
}

/** Returns a function that reads that many more events. */
export function read<Event>(stream: AsyncIterable<Event>): (count: number) => Promise<Event[]> {
  const iterator = stream[Symbol.asyncIterator]()
  return async (count) => {
    const events: Event[] = []
    while (events.length < count) {
      const { done, value } = await iterator.next()
      if (done) break
      events.push(value)
    }
    return events
  }
}

/** Whether the promise settles within two milliseconds. */
export function settled(coming: Promise<unknown>): Promise<boolean> {
  const limit = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 2))
  return Promise.race([coming.then(() => true), limit])
}

/** Resolves once the stream is subscribed. */
export function subscribed(stream: Pick<Stream, 'stats'>): Promise<void> {
  return until(() => stream.stats().connects > 0)
}

/** Checks on each turn of the event loop, until the test times out. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 1))
}
