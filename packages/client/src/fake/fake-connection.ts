import { readObject } from '@pairwire/basics/json'
import { parseCursor } from '@pairwire/contract/cursor'
import { NOTIFICATION_METHODS, REQUEST_FAILED } from '@pairwire/contract/methods'
import { STREAM_ERROR_TYPES, type StreamErrorType } from '@pairwire/contract/stream-error-types'
import type { WebSocket } from 'ws'
import type { FakeRequest, KeptItem } from './fake-events.ts'

/** What a connection needs from its server. */
type FakeHost = Readonly<{
  docsUrl: string
  items: readonly KeptItem[]
  newest: string
  /** Everything at or before this cursor is forgotten. */
  oldest: string
  isHolding: boolean
  /** Returns why to refuse the next request, or undefined. Called once for each request. */
  takeRefusal(request: FakeRequest): StreamErrorType | undefined
}>

type FakeSubscription = {
  id: number
  kind: string
  commitment: string
  isReplay: boolean
  hasFacts: boolean
  /** Cursor after which events are still to be sent; undefined once live. */
  from: string | undefined
}

/** Methods of frames that name their subscription at the top level. */
const EVENT_METHODS: ReadonlySet<string> = new Set(Object.values(NOTIFICATION_METHODS))

/** Answers to a client that asks whether the service is alive. */
const SIGNS_OF_LIFE: Readonly<Record<string, unknown>> = {
  ping: 'pong',
  heartbeat: { message: 'pong' },
  startSimulation: true,
}

/** One client of the fake server. */
export class FakeConnection {
  readonly #socket: WebSocket
  readonly #host: FakeHost
  #subscriptions: FakeSubscription[] = []
  #held: string[] = []
  #nextId = 1
  #isReplayDue = false

  constructor(socket: WebSocket, host: FakeHost) {
    this.#socket = socket
    this.#host = host
    socket.on('message', (data) => this.#answer((readObject(String(data)) ?? { method: '' }) as FakeRequest))
  }

  /** Sends an item to every live subscription to its kind; a gap to all of them. */
  send(item: Omit<KeptItem, 'cursor'>, cursor: string | null, commitment = 'confirmed'): void {
    const { kind } = item
    for (const subscription of this.#subscriptions) {
      const isFor = kind === 'gap' || (subscription.kind === kind && subscription.commitment === commitment)
      if (isFor && subscription.from === undefined) this.#sendTo(subscription, item, cursor)
    }
  }

  /** Sends each subscription its closing frame and closes. */
  close(code: number, reason: string): void {
    for (const { id } of this.#subscriptions)
      this.#write({ subscription_id: id, method: 'subscriptionClosed', reason })
    this.#socket.close(code, reason)
  }

  cut(): void {
    this.#socket.terminate()
  }

  release(): void {
    for (const text of this.#held.splice(0)) this.#socket.send(text)
  }

  #sendTo(
    { id, commitment, isReplay, hasFacts }: FakeSubscription,
    { frame, facts }: Omit<KeptItem, 'cursor'>,
    cursor: string | null,
  ): void {
    const early = commitment === 'processed' && { commitment }
    const played = isReplay && { replay: true }
    const asked = hasFacts && facts && { facts }
    const place = cursor !== null && { cursor }
    if (EVENT_METHODS.has(frame.method))
      this.#write({ subscription_id: id, ...frame, ...early, ...played, ...place, ...asked })
    else this.#write({ ...played, method: frame.method, params: { subscription_id: id, ...frame.params } })
  }

  #answer(request: FakeRequest): void {
    const params = request.params ?? {}
    const refusal = request.method ? this.#host.takeRefusal({ ...request, params }) : 'NOT_JSON'
    const [, kind, verb] = /^(swap|newPair|latestBlock)(Subscribe|Unsubscribe)$/.exec(request.method) ?? []
    const isKnown = this.#subscriptions.some(({ id }) => id === params.subscription_id)
    if (refusal) this.#refuse(request, refusal)
    else if (kind && verb === 'Subscribe') this.#subscribe(request, kind, params)
    else if (request.method in SIGNS_OF_LIFE) this.#result(request, SIGNS_OF_LIFE[request.method])
    else if (!verb && request.method !== 'updateSubscriptionParams') this.#refuse(request, 'UNKNOWN_METHOD')
    else if (!isKnown) this.#refuse(request, 'UNKNOWN_SUBSCRIPTION')
    else {
      if (verb) this.#subscriptions = this.#subscriptions.filter(({ id }) => id !== params.subscription_id)
      else this.#update(params)
      this.#result(request, true)
    }
  }

  #subscribe(request: FakeRequest, kind: string, params: FakeRequest['params']): void {
    const { commitment = 'confirmed', resume_from: from, replay } = params
    const { oldest, newest } = this.#host
    const isSame = (one: FakeSubscription) => one.kind === kind && one.commitment === commitment
    if (this.#subscriptions.some(isSame)) this.#refuse(request, 'ALREADY_SUBSCRIBED')
    else if (typeof from === 'string' && !parseCursor(from)) this.#refuse(request, 'INVALID_CURSOR')
    else if (typeof from === 'string' && from < oldest) this.#refuse(request, 'CURSOR_TOO_OLD')
    else if (typeof from === 'string' && from > newest) this.#refuse(request, 'CURSOR_AHEAD')
    else {
      const id = this.#nextId++
      const isReplay = replay !== undefined
      const start = typeof from === 'string' ? from : isReplay ? '' : undefined
      this.#subscriptions.push({
        ...{ id, kind, commitment: String(commitment), isReplay, hasFacts: params.facts === true },
        from: start,
      })
      this.#result(request, { subscription_id: id })
      if (start === undefined || this.#isReplayDue) return
      // Subscriptions that arrive together replay together.
      this.#isReplayDue = true
      setImmediate(() => this.#replay())
    }
  }

  #update({ subscription_id, params, update }: FakeRequest['params']): void {
    const changed = (params ?? update) as FakeRequest['params'] | undefined // as programs send it
    const subscription = this.#subscriptions.find(({ id }) => id === subscription_id)
    if (subscription) subscription.hasFacts = changed?.facts === true
  }

  #replay(): void {
    this.#isReplayDue = false
    const behind = this.#subscriptions.filter(({ from }) => from !== undefined)
    for (const item of this.#host.items) {
      const { kind, cursor } = item
      for (const subscription of behind) {
        const isFor = kind === 'gap' || subscription.kind === kind
        if (isFor && cursor > subscription.from!) this.#sendTo(subscription, item, cursor)
      }
    }
    for (const subscription of behind) {
      subscription.from = undefined
      if (!subscription.isReplay) continue
      this.#subscriptions = this.#subscriptions.filter((one) => one !== subscription)
      const reason = 'The replay has ended.'
      this.#write({
        ...{ subscription_id: subscription.id, method: 'subscriptionClosed' },
        ...{ reason, errorType: 'REPLAY_ENDED' },
      })
    }
  }

  #result({ id, method }: FakeRequest, result: unknown): void {
    if (id !== undefined || !['ping', 'heartbeat'].includes(method))
      this.#write({ jsonrpc: '2.0', id, result })
  }

  #refuse({ id, method }: FakeRequest, errorType: StreamErrorType): void {
    const { docsUrl, oldest, items } = this.#host
    const docs = `${docsUrl}/errors/${errorType.toLowerCase().replaceAll('_', '-')}`
    const code = STREAM_ERROR_TYPES[errorType]
    const data = { errorType, docs, ...(code === -32_014 && { oldest: items.length > 0 ? oldest : null }) }
    const message = `The fake server refuses ${method}: ${errorType}.`
    // An error without an id ends the reader of older clients.
    if ((id ?? 0) === 0) this.#write({ method: REQUEST_FAILED, params: { code, message } })
    else this.#write({ jsonrpc: '2.0', id, error: { code, message, data } })
  }

  #write(frame: object): void {
    const text = JSON.stringify(frame)
    if (this.#host.isHolding) this.#held.push(text)
    else this.#socket.send(text)
  }
}
