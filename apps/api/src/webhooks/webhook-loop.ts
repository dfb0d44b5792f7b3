import { randomUUID } from 'node:crypto'
import { type Accounts, type OwnWebhook, WEBHOOK_LEASE_MS } from '@pairwire/accounts'
import { type Clock, createFairQueue, type Log, lookAgain } from '@pairwire/basics'
import type { Bus } from '@pairwire/bus'
import { WEBHOOK_STATES } from '@pairwire/contract'
import { metricTable } from '@pairwire/process'
import type { PublicPost } from '@pairwire/public-fetch'
import { traceOf } from '../trace-of.ts'
import type { DeliveryParts } from './delivery-parts.ts'
import { sendPost } from './send-post.ts'
import { Standings } from './standings.ts'
import { type StreamBus, StreamReader } from './stream-reader.ts'
import { WebhookDelivery } from './webhook-delivery.ts'

/** Shares of a lease: after which it is renewed, and for which this process relies on it. */
const RENEWED_AFTER = 1 / 4
const RELIED_ON = 5 / 6

/** Milliseconds between two notes of places to which nothing was to be sent. */
const NOTE_EVERY_MS = 10_000

/** Posts at a time: of all, of one account, and of endpoints that fail or are slow. */
const POSTS = 64
const POSTS_OF_ACCOUNT = 4
const POSTS_OF_SLOW = POSTS / 2

/** Milliseconds of a shutdown that posts in flight may take. */
const CLOSE_WITHIN_MS = 2_000

/** What {@link WebhookLoop} needs. */
type Parts = Readonly<{
  accounts: DeliveryParts<never>['accounts'] &
    Pick<Accounts, 'authorizeAccount' | 'freeWebhooks' | 'notePlaces' | 'readWebhooks' | 'takeWebhooks'>
  bus: StreamBus & Pick<Bus, 'onControl'>
  posting: PublicPost
  /** Whether messages say that their data is simulated. */
  simulated: boolean
  /** Whether events have cursors: without them nothing is delivered. */
  hasPlaces: boolean
  /** Milliseconds for which a lease lasts; 30 s by default. */
  leaseMs?: number
  clock: Clock
  log: Log
}>

/** Delivers to the endpoints whose lease this process has. Any number of processes may run one each. */
export class WebhookLoop {
  readonly #parts: Parts
  readonly #owner = randomUUID()
  readonly #leaseMs: number
  readonly #deliveries = new Map<string, WebhookDelivery>()
  /** Endpoints that are being read again. */
  readonly #opening = new Set<string>()
  readonly #loopParts: DeliveryParts<WebhookDelivery>
  readonly #looking
  readonly #noting
  readonly #counts = { taken: 0, later: 0, refused: 0, gone: 0, events: 0, inFlight: 0 }
  #leasedAt = Number.NEGATIVE_INFINITY
  #lookedAt: number
  #isOver = false
  #stopListening = () => {}

  constructor(parts: Parts) {
    this.#parts = parts
    this.#lookedAt = parts.clock.elapsed()
    this.#leaseMs = parts.leaseMs ?? WEBHOOK_LEASE_MS
    const { accounts, bus, clock, log, simulated } = parts
    const standings = new Standings(accounts, clock)
    this.#loopParts = {
      ...{ accounts, clock, log, simulated, standings, owner: this.#owner },
      reader: new StreamReader({ bus, clock, log }),
      posts: createFairQueue(POSTS, { perOwner: POSTS_OF_ACCOUNT, ofSlow: POSTS_OF_SLOW }),
      post: async (url, headers, body) => {
        this.#counts.inFlight++
        const answer = await sendPost(parts.posting, url, headers, body)
        this.#counts.inFlight--
        return answer
      },
      signsOff: () => clock.elapsed() - this.#leasedAt > this.#leaseMs * RELIED_ON,
      inHandOf: ({ id, accountId }) =>
        [...this.#deliveries.values()]
          .filter(({ own }) => own.accountId === accountId && own.id !== id)
          .reduce((sum, { own }) => sum + (own.message?.type === 'swap' ? own.message.count : 0), 0),
      count: (answer, events) => {
        this.#counts[answer]++
        if (answer === 'taken') this.#counts.events += events
      },
      reread: (delivery) => this.#reread(delivery),
    }
    this.#looking = lookAgain(clock, () => this.#look())
    this.#noting = lookAgain(clock, () => this.#notePlaces())
  }

  start(): void {
    if (!this.#parts.hasPlaces) return
    this.#stopListening = this.#parts.bus.onControl((message) => {
      if (message.type === 'spent' || message.type === 'pairUpdate') return
      this.#loopParts.standings.forget(message.accountId)
      if (message.type === 'webhooksChanged') void this.#look()
      else for (const one of this.#deliveries.values()) if (one.own.accountId === message.accountId) one.run()
    })
    void this.#looking.start()
    void this.#noting.start()
  }

  /** Whether it has looked after its endpoints lately. */
  isUp = (): boolean =>
    !this.#parts.hasPlaces || this.#parts.clock.elapsed() - this.#lookedAt < 2 * this.#leaseMs

  /** Sends nothing more, and leaves the endpoints to others. */
  async stop(): Promise<void> {
    this.#isOver = true
    this.#stopListening()
    const ended = Promise.all([...this.#deliveries.values()].map((delivery) => delivery.end()))
    this.#loopParts.reader.close()
    await Promise.all([this.#looking.stop(), this.#noting.stop()])
    const over = new AbortController()
    void ended.then(() => over.abort())
    await this.#parts.clock.wait(CLOSE_WITHIN_MS, over.signal)
    this.#parts.posting.close()
    if (this.#parts.hasPlaces) await this.#parts.accounts.freeWebhooks(this.#owner).catch(() => {})
  }

  readonly metrics = metricTable(
    [
      {
        name: 'pairwire_webhook_posts_total',
        help: 'Posts of webhooks by what the answer means: taken, later (no answer, 5xx), refused (3xx, 4xx), gone (410).',
        labels: ['answer'],
        read: (loop: WebhookLoop) =>
          (['taken', 'later', 'refused', 'gone'] as const).map((answer) => [loop.#counts[answer], answer]),
      },
      {
        name: 'pairwire_webhook_events_total',
        help: 'Events that webhooks took.',
        read: (loop) => loop.#counts.events,
      },
      {
        name: 'pairwire_webhook_posts_in_flight',
        help: 'Posts that wait for an answer.',
        read: (loop) => loop.#counts.inFlight,
      },
      {
        name: 'pairwire_webhook_endpoints',
        help: 'Endpoints of this process by state.',
        labels: ['state'],
        read: (loop) =>
          WEBHOOK_STATES.map((state) => [loop.#all().filter((own) => own.state === state).length, state]),
      },
      {
        name: 'pairwire_webhook_level_endpoints',
        help: 'Of these, those that read with the stream; the others read what is kept.',
        read: (loop) => loop.#loopParts.reader.level,
      },
    ],
    () => this as WebhookLoop,
  )

  #all(): OwnWebhook[] {
    return [...this.#deliveries.values()].map(({ own }) => own)
  }

  async #look(): Promise<number> {
    try {
      const askedAt = this.#parts.clock.elapsed()
      const { mine, over } = await this.#parts.accounts.takeWebhooks(this.#owner, this.#leaseMs)
      // Another process may have moved what is this one's again.
      const hasLapsed = this.#parts.clock.elapsed() - this.#leasedAt > this.#leaseMs
      this.#leasedAt = askedAt
      const revisions = new Map(mine.map(({ id, revision }) => [id, revision]))
      for (const [id, delivery] of this.#deliveries) if (!revisions.has(id)) this.#drop(id, delivery)
      void this.#giveBack(over)
      const changed = mine.filter(
        ({ id, revision }) =>
          !over.includes(id) && (hasLapsed || this.#deliveries.get(id)?.own.revision !== revision),
      )
      const [known, fresh] = [true, false].map((is) =>
        changed.filter(({ id }) => this.#deliveries.has(id) === is).map(({ id }) => id),
      ) as [string[], string[]]
      // Not waited for: a post that waits for its turn must not cost the lease.
      for (const ids of [fresh, ...known.map((id) => [id])]) void this.#open(ids)
    } catch (error) {
      this.#parts.log.warn('The endpoints of webhooks could not be read; trying again.', traceOf(error))
    }
    // Also if the database is away, which has a line of its own.
    this.#lookedAt = this.#parts.clock.elapsed()
    return this.#leaseMs * RENEWED_AFTER
  }

  /** Begins the delivery to endpoints as they are now, once what is under way has ended. */
  async #open(asked: readonly string[]): Promise<void> {
    const ids = asked.filter((id) => !this.#opening.has(id))
    if (ids.length === 0) return
    for (const id of ids) this.#opening.add(id)
    try {
      await Promise.all(ids.map((id) => this.#deliveries.get(id)?.end()))
      for (const id of ids) this.#deliveries.delete(id) // one that ended and stayed would not be read again
      const owned = await this.#parts.accounts.readWebhooks(this.#owner, ids)
      if (this.#isOver) return
      for (const own of owned) this.#begin(own)
    } catch (error) {
      this.#parts.log.warn('Endpoints of webhooks could not be read; trying again.', traceOf(error))
    } finally {
      for (const id of ids) this.#opening.delete(id)
    }
  }

  /** Leaves endpoints to another process once what is under way has ended, so that nothing is sent by both. */
  async #giveBack(ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return
    const ending = ids.map(async (id) => {
      const delivery = this.#deliveries.get(id)
      await delivery?.end()
      if (delivery) this.#drop(id, delivery)
    })
    await Promise.all(ending)
    // It is tried again after the next look.
    await this.#parts.accounts.freeWebhooks(this.#owner, ids).catch(() => {})
  }

  #begin(own: OwnWebhook): void {
    try {
      const delivery = new WebhookDelivery(own, this.#loopParts)
      this.#deliveries.set(own.id, delivery)
      delivery.run()
    } catch (error) {
      this.#parts.log.error('A webhook cannot be served.', { endpoint: own.id, ...traceOf(error) })
    }
  }

  async #reread(delivery: WebhookDelivery): Promise<void> {
    const { id, revision, message } = delivery.own
    const [own] = await this.#parts.accounts.readWebhooks(this.#owner, [id])
    if (!own) this.#drop(id, delivery)
    else if (own.revision !== revision || (own.message && own.message.n !== message?.n)) void this.#open([id])
    else delivery.own = own
  }

  #drop(id: string, delivery: WebhookDelivery): void {
    void delivery.end()
    if (this.#deliveries.get(id) === delivery) this.#deliveries.delete(id)
  }

  async #notePlaces(): Promise<number> {
    const places = [...this.#deliveries.values()].flatMap((delivery) => {
      const place = delivery.quietPlace()
      return place === undefined ? [] : { delivery, place }
    })
    try {
      const given = places.map(({ delivery: { own }, place }) => ({
        id: own.id,
        revision: own.revision,
        place,
      }))
      await this.#parts.accounts.notePlaces(this.#owner, given)
    } catch (error) {
      this.#parts.log.warn('The places of webhooks could not be noted.', traceOf(error))
    }
    return NOTE_EVERY_MS
  }
}
