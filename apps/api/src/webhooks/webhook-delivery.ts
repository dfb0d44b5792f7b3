import type { NotedMessage, OwnWebhook } from '@pairwire/accounts'
import { gapBetween } from '@pairwire/bus'
import { planById, WEBHOOK_LIMITS } from '@pairwire/contract'
import { assertPlanAllows, type Interest, StreamFault, wantsEvent } from '@pairwire/filter'
import { traceOf } from '../trace-of.ts'
import { classOf, outcomeOf } from './answer-table.ts'
import { type Bounds, bodyOf, Collected, gapFrame } from './collected.ts'
import type { DeliveryParts } from './delivery-parts.ts'
import { readWebhookParams } from './read-params.ts'
import { signatureHeaders } from './sign.ts'
import type { Reading } from './stream-reader.ts'

/** Milliseconds until the next look at an account that may get nothing, and at a database that is away. */
const LOOK_AGAIN_MS = 10_000
const RETRY_MS = 1_000

/** Milliseconds to answer beyond which an endpoint counts as slow. */
const SLOW_MS = 2_000

/** Milliseconds of a wait from which no events are held during it: they are read again afterwards. */
const HELD_MS = 10_000

/** Milliseconds for which a noted message may be ahead of the stream: after a crash it is read again. */
const UNREAD_MS = 60_000

/** The dead letter whose events a message repeats, or the message in hand that it replaces. */
type InPlaceOf = Readonly<{ letter?: number; instead?: number }>

/** The delivery to one endpoint: one message at a time, in chain order. */
export class WebhookDelivery {
  readonly #parts: DeliveryParts<WebhookDelivery>
  own: OwnWebhook
  readonly #interest: Interest
  reading: Reading
  /** Events for the message after the one in hand, and those to be noted now. */
  #next: Collected
  #ready: Collected | undefined
  /** A gap to announce next, and where to continue. */
  #lost: Bounds | undefined
  #body: { n: number; body: string } | undefined
  #unreadSince: number | undefined
  #isRunning = false
  #running = Promise.resolve()
  #isCalled = false
  #isOver = false
  #callOff = () => {}

  constructor(own: OwnWebhook, parts: DeliveryParts<WebhookDelivery>) {
    this.#parts = parts
    this.own = own
    this.#interest = readWebhookParams(own.kind, own.params)
    const readTo = own.message && !own.message.isAgain ? own.message.last : own.place
    this.reading = this.#readFrom(readTo)
    this.#next = this.#begin()
  }

  /** The place up to which everything was delivered, if nothing waits; undefined otherwise. */
  quietPlace(): string | undefined {
    const isQuiet =
      !this.own.message && this.#next.count === 0 && !this.#ready && !this.#lost && this.own.letter === null
    const place = this.#parts.reader.placeOf(this.reading)
    return isQuiet && place > this.own.place ? place : undefined
  }

  /** Sends nothing more. Resolves once what is under way has ended. */
  end(): Promise<void> {
    this.#isOver = true
    this.#callOff()
    this.#parts.reader.end(this.reading)
    return this.#running
  }

  /** Takes the steps that are due. */
  run(): void {
    this.#isCalled = true
    if (this.#isRunning || this.#isOver) return
    this.#isRunning = true
    this.#callOff()
    this.#running = this.#runAll()
  }

  async #runAll(): Promise<void> {
    let waitMs: number | undefined = 0
    while (!this.#isOver && (waitMs === 0 || this.#isCalled)) {
      this.#isCalled = false
      try {
        waitMs = await this.#step()
      } catch (error) {
        this.#parts.log.warn('A webhook could not be served; trying again.', traceOf(error))
        waitMs = RETRY_MS
      }
    }
    // At once: a call that came later would be lost.
    this.#isRunning = false
    if (waitMs === undefined || this.#isOver) return
    this.#callOff = this.#parts.clock.after(waitMs, () => this.run())
  }

  /** @returns milliseconds until the next step; undefined to wait for {@link run} */
  async #step(): Promise<number | undefined> {
    const { own } = this
    if (own.state === 'paused' || own.state === 'stopped') return this.#letGoFor(undefined)
    const left = await this.#left()
    if (left === undefined) return this.#letGoFor(LOOK_AGAIN_MS)
    if (own.message) {
      const waitMs = this.#untilNextTry()
      if (waitMs >= HELD_MS) return this.#letGoFor(waitMs)
      return waitMs || this.#send(own.message)
    }
    if (own.letter !== null) return this.#noteLetter(own.letter, left)
    if (this.#lost && !this.#ready) return this.#note(this.#lost, [gapFrame(this.#lost.gap!)])

    if (!this.#next.isFull) this.#parts.reader.read(this.reading)
    if (this.#next.count === 0 && !this.#ready) return undefined
    const waitMs = this.#ready ? 0 : this.#next.begunAt + own.maxWaitMs - this.#parts.clock.elapsed()
    if (waitMs > 0 && !this.#next.isFull) return waitMs
    if (left === 0) return LOOK_AGAIN_MS
    if (!this.#ready) {
      // More events come while it is noted.
      this.#ready = this.#next
      if (this.#ready.count > left) this.#cut(this.#ready, left)
      this.#next = this.#begin()
    }
    const { bounds, frames } = this.#ready.message()
    return this.#note(bounds, frames, this.#ready.arrivedAt)
  }

  /** Holds no events while it waits: they are in the kept stream, and are read again. */
  #letGoFor(waitMs: number | undefined): number | undefined {
    const first = this.#ready ?? this.#next
    const place = first.count > 0 ? first.message().bounds.after : this.#parts.reader.placeOf(this.reading)
    this.#parts.reader.end(this.reading)
    this.reading = this.#readFrom(place)
    this.#next = this.#begin()
    this.#ready = undefined
    this.#lost = undefined
    this.#body = undefined
    return waitMs
  }

  /** Milliseconds until the message in hand is due; 0 once it is, or if the clock was set back to before its last try. */
  #untilNextTry(): number {
    const { nextTryAt, lastAttempt } = this.own
    const now = this.#parts.clock.now()
    return nextTryAt && lastAttempt && Date.parse(lastAttempt.at) <= now
      ? Math.max(0, nextTryAt.getTime() - now)
      : 0
  }

  /** How many events its plan has left; undefined while it may get nothing, not even what is in hand. */
  async #left(): Promise<number | undefined> {
    const standing = await this.#parts.standings.of(this.own.accountId)
    const plan = standing.outcome === 'allowed' ? planById(standing.planId) : undefined
    if (!plan || standing.outcome !== 'allowed' || this.own.rank >= plan.webhooks) return undefined
    try {
      assertPlanAllows(this.#interest, plan)
    } catch (error) {
      if (error instanceof StreamFault) return undefined
      throw error
    }
    const most = (this.own.kind === 'swap' ? plan.swapEventsPerPeriod : null) ?? Number.POSITIVE_INFINITY
    const left = Math.max(0, most - standing.delivered.swap - this.#parts.inHandOf(this.own))
    return left < Math.min(this.own.message?.count ?? 0, most) ? undefined : left // no period may hold it all
  }

  /** Records a message before it is sent. */
  async #note(
    bounds: Bounds,
    frames: readonly string[],
    arrivedAt = this.#parts.clock.now(),
    over: InPlaceOf = {},
  ): Promise<number> {
    const { accounts, clock, owner, simulated } = this.#parts
    const { id, revision } = this.own
    const at = clock.now()
    const { body, digest } = bodyOf({ ...bounds, at }, frames, { id, simulated })
    const behindSince = new Date(arrivedAt)
    const noted = await accounts.noteMessage({
      ...{ id, owner, revision, behindSince, message: { ...bounds, at, digest } },
      ...over,
    })
    if (!noted) return this.#readAgain(RETRY_MS)
    this.own = { ...this.own, message: noted, letter: null, tries: 0, refusals: 0, nextTryAt: null }
    this.#body = { n: noted.n, body }
    if (bounds.isAgain) return 0
    // A gap of the stream itself has been read, like any event.
    if (bounds === this.#lost) this.reading.readTo = bounds.last
    this.#lost = undefined
    this.#ready = undefined
    this.#parts.reader.read(this.reading)
    return 0
  }

  /** Notes the events of a dead letter as a new message. */
  async #noteLetter(letter: number, left: number): Promise<number> {
    const message = await this.#parts.accounts.readQueuedLetter(this.own.id, letter)
    if (message && message.count > left) return LOOK_AGAIN_MS
    const frames = message && (await this.#framesOf(message))
    if (!message || !frames) return this.#readAgain(RETRY_MS)
    // Nothing else is sent before it.
    if (frames === 'gone') return this.#noteGone({ ...message, isAgain: true }, { letter })
    const { n: _n, digest: _digest, at: _at, ...bounds } = message
    return this.#note({ ...bounds, isAgain: true }, frames, undefined, { letter })
  }

  async #send(message: NotedMessage): Promise<number> {
    const { accounts, clock, owner, posts, signsOff } = this.#parts
    const body = await this.#bodyOf(message)
    if (body === undefined) return RETRY_MS
    if (body === 'gone') return this.#noteGone(message, { instead: message.n })
    const { id, accountId, url, lastAttempt } = this.own
    const isSlow = lastAttempt !== null && (lastAttempt.error !== null || lastAttempt.ms > SLOW_MS)
    return posts(
      accountId,
      async () => {
        // While it waited for its turn another process may have taken it.
        if (this.#isOver || signsOff()) return RETRY_MS
        const [at, began] = [clock.now(), clock.elapsed()]
        const headers = signatureHeaders(this.#secretsAt(at), `${id}_${message.n}`, at, body)
        const answer = await this.#parts.post(url, headers, body)
        const ms = Math.round(clock.elapsed() - began)
        const outcome = outcomeOf({
          ...{ ...answer, tries: this.own.tries, refusals: this.own.refusals, now: clock.now() },
          ...{
            failingSince: this.own.failingSince?.getTime() ?? null,
            notedAt: message.at,
            random: Math.random(),
          },
        })
        this.#parts.count(classOf(answer.status), message.count)
        const error = outcome.is === 'taken' ? null : (answer.error ?? `It answered ${answer.status}.`)
        const attempt = { at: new Date(at).toISOString(), status: answer.status, ms, error }
        const behindSince = new Date(this.#next.count > 0 ? this.#next.arrivedAt : clock.now())
        const charge = this.#parts.standings.chargeOf(accountId)
        const noted = { id, owner, message, attempt, outcome, behindSince, charge }
        const state = await this.#keepNoting(() => accounts.noteAnswer(noted))
        if (state === undefined || outcome.is !== 'taken') return this.#readAgain()
        const over = { message: null, tries: 0, refusals: 0, nextTryAt: null, failingSince: null }
        const place = message.isAgain ? this.own.place : message.last
        this.own = { ...this.own, ...over, place, state, lastAttempt: attempt }
        return message.isAgain ? this.#readAgain() : 0
      },
      isSlow,
    )
  }

  /** The secrets that sign, of those that did when it was read. */
  #secretsAt(now: number): readonly string[] {
    const { secrets, oldSecretUntil } = this.own
    return oldSecretUntil && oldSecretUntil.getTime() <= now ? secrets.slice(0, 1) : secrets
  }

  /** Retries until the answer is noted, since one that is not noted costs another try. */
  async #keepNoting<Answer>(write: () => Promise<Answer>): Promise<Answer | undefined> {
    for (;;) {
      try {
        return await write()
      } catch (error) {
        this.#parts.log.warn('The answer of a webhook could not be noted; trying again.', traceOf(error))
        if (this.#isOver) return undefined
        await new Promise<void>((resolve) => this.#parts.clock.after(RETRY_MS, resolve))
      }
    }
  }

  /** The body of the message in hand: kept, or made again; undefined if the stream has not reached it yet. */
  async #bodyOf(message: NotedMessage): Promise<string | 'gone' | undefined> {
    if (this.#body?.n === message.n) return this.#body.body
    const frames = await this.#framesOf(message)
    if (frames === undefined || frames === 'gone') return frames
    const { id } = this.own
    const { body, digest } = bodyOf(message, frames, { id, simulated: this.#parts.simulated })
    if (digest !== message.digest) return 'gone'
    this.#body = { n: message.n, body }
    return body
  }

  async #framesOf(message: NotedMessage): Promise<readonly string[] | 'gone' | undefined> {
    if (message.gap) return [gapFrame(message.gap)]
    const { clock, reader } = this.#parts
    const interest = message.params ? readWebhookParams(this.own.kind, message.params) : this.#interest
    const collected = new Collected(this.own.kind, WEBHOOK_LIMITS.eventsMost, interest.facts)
    const end = await reader.readUntil(
      this.own.accountId,
      message,
      (event) => event.kind !== 'gap' && (!wantsEvent(interest, event) || collected.take(event, 0, 0)),
    )
    if (end === 'early') {
      this.#unreadSince ??= clock.elapsed()
      if (clock.elapsed() - this.#unreadSince < UNREAD_MS) return undefined
    }
    this.#unreadSince = undefined
    return end === 'whole' && collected.count === message.count ? collected.message().frames : 'gone'
  }

  /** Announces a gap in place of a message that cannot be made again as it was. */
  async #noteGone({ after, first, last, isAgain }: NotedMessage, over: InPlaceOf): Promise<number> {
    const gap = { ...gapBetween(after, last).params, cause: 'too_old' }
    const bounds: Bounds = {
      ...{ type: 'gap', after, first, last, count: 0, buys: 0, gap },
      ...(isAgain && { isAgain }),
    }
    return this.#note(bounds, [gapFrame(gap)], undefined, over)
  }

  /** Reads the endpoint again, as the database has something else than is known here. */
  async #readAgain(waitMs = 0): Promise<number> {
    await this.#parts.reread(this)
    return waitMs
  }

  #readFrom(readTo: string): Reading {
    const { clock } = this.#parts
    const reading: Reading = {
      ...{ accountId: this.own.accountId, interest: this.#interest, readTo, isOver: false },
      take: (event) => {
        const taken = this.#next.take(event, clock.now(), clock.elapsed())
        if (taken && (this.#next.count === 1 || this.#next.isFull)) this.run()
        return taken
      },
      onLost: (to, last) => {
        const after = reading.readTo
        const gap = { ...gapBetween(after, to).params, cause: 'too_old' }
        // What was collected before goes first; then this is found once more.
        if (this.#next.count > 0) this.#next.isFull = true
        else this.#lost = { type: 'gap', after, first: to, last, count: 0, buys: 0, gap }
        this.run()
      },
    }
    return reading
  }

  /** Leaves the first events to be noted; the others are read again. */
  #cut(ready: Collected, count: number): void {
    ready.cut(count)
    this.#parts.reader.end(this.reading)
    this.reading = this.#readFrom(ready.message().bounds.last)
  }

  #begin(): Collected {
    const { kind, maxEvents } = this.own
    return new Collected(kind, maxEvents, this.#interest.facts)
  }
}
