import { type AnswerError, errorOfAnswer, errorOfClosed, isPassing, type PairwireError } from './errors.ts'
import { type Answer, type Frame, LastingLine, type LineSettings } from './lasting-line.ts'
import type { LineState } from './line-states.ts'
import type { Platform } from './platform.ts'

/** A stream as its connection sees it. */
export type Member = {
  readonly kind: 'swap' | 'newPair' | 'latestBlock'
  /** Its name, for messages. */
  readonly name: string
  /** The cursor of the last event received; null if it has none. */
  readonly place: string | null
  /** Its params, without a cursor. */
  readonly params: Readonly<{ commitment?: string | undefined }>
  /** The params of an update until the service has answered; undefined without one. */
  readonly wantedParams: object | undefined
  /** The service accepted the subscription. */
  subscribed(): void
  /** The connection of its subscription was lost. */
  interrupted(): void
  /** A frame of its subscription arrived. */
  frame(frame: Frame): void
  /** Everything up to here was sent. */
  passed(cursor: string | undefined, slot: number): void
  /** The update is in force, or was refused. */
  settled(error: PairwireError | null): void
  /** The events after its cursor are gone or not reached yet. @returns whether it continues from the oldest kept one */
  cannotResume(oldest: string | null): boolean
  /** It has ended: nothing more will follow. */
  end(error: PairwireError | null): void
}

/** The state of a member on the current connection. */
type Standing = {
  phase: 'apart' | 'asked' | 'waiting' | 'standing'
  id: number
  tries: number
  aheadSince?: number
  /** The params of an update without an answer so far. */
  updating?: object | undefined
}

/** The latest blocks, after `from` or from now on, perhaps ahead of streams that resume. `id` is known once answered. */
type BlockFeed = { id?: number; from?: string | undefined; isAhead?: boolean; whenAnswered?: () => void }

/** Milliseconds during which a cursor ahead of the service is retried. */
const AHEAD_LIMIT_MS = 30_000

/** Milliseconds that a stream may pause the connection before a warning names it. */
const REST_WARNING_MS = 10_000

/**
 * The streams on one connection: when it opens, all of them subscribe together, each after its cursor, so that the
 * service sends the missed events in one order. It also follows the latest blocks, from the oldest of these cursors on,
 * so that a block never runs ahead of events that a stream has yet to get; first from now on, while one has no cursor.
 */
export class SharedLine {
  readonly #platform: Platform
  readonly #settings: LineSettings
  readonly #warn: (sentence: string) => void
  readonly #replay: object | undefined
  readonly #members = new Map<Member, Standing>()
  readonly #subscriptions = new Map<number, [Member, Standing]>()
  readonly #full = new Map<Member, () => void>()
  /** Streams that have left, until the service has ended their subscriptions: it takes no other of the kind before. */
  readonly #leaving = new Set<Member>()
  /** Retries pending on this connection. */
  readonly #waits = new Set<() => void>()
  readonly #line: LastingLine
  #feed: BlockFeed | undefined
  #feedTries = 0

  /** `replay`: the hours that its streams replay; undefined if they are live. */
  constructor(
    settings: LineSettings,
    platform: Platform,
    calls: Readonly<{
      warn(sentence: string): void
      state(state: LineState, why: PairwireError | null): void
    }>,
    replay?: object,
  ) {
    this.#platform = platform
    this.#settings = settings
    this.#warn = calls.warn
    this.#replay = replay
    this.#line = new LastingLine(settings, platform, {
      opened: () => this.#opened(),
      lost: () => this.#lost(),
      failed: (error) => this.#failed(error),
      frame: (frame) => this.#frame(frame),
      state: calls.state,
    })
  }

  /** Adds a stream; the first one opens the connection. */
  join(member: Member): void {
    this.#members.set(member, { phase: 'apart', id: 0, tries: 0 })
    if (this.#line.isOpen) this.#subscribe()
    else this.#line.on('wanted')
  }

  /** Removes a stream; the last one closes the connection. */
  leave(member: Member): void {
    const standing = this.#members.get(member)
    if (!standing) return
    this.#members.delete(member)
    this.#subscriptions.delete(standing.id)
    this.drained(member)
    this.#rest()
    if (this.#members.size === 0) this.#line.on('ended')
    else if (member.kind !== 'latestBlock' && standing.phase !== 'apart' && standing.phase !== 'waiting') {
      this.#leaving.add(member)
      if (standing.phase === 'standing') this.#endLeft(member, standing.id)
    }
  }

  /** A stream reached its limit of unread items: reading stops for all of them, unless an update waits for its answer. */
  full(member: Member): void {
    const warn = () =>
      this.#warn(
        `The stream "${member.name}" has been full for ${REST_WARNING_MS / 1000} s, so its connection is paused.`,
      )
    this.#full.set(member, this.#platform.clock.after(REST_WARNING_MS, warn))
    this.#rest()
  }

  /** The stream has room again. */
  drained(member: Member): void {
    this.#full.get(member)?.()
    if (this.#full.delete(member) && this.#full.size === 0) this.#line.resume()
  }

  #rest(): void {
    const isUpdating = [...this.#members.keys()].some(({ wantedParams }) => wantedParams)
    if (this.#full.size > 0 && !isUpdating) this.#line.on('full')
  }

  /** A stream wants other params: at once if it has yet to join. A resting line is read until the answer: a reader may wait. */
  update(member: Member): void {
    const standing = this.#members.get(member)
    const { wantedParams } = member
    if (!wantedParams) return
    if (standing) this.#line.resume()
    else member.settled(null)
    if (standing?.phase !== 'standing' || !this.#line.isOpen || standing.updating === wantedParams) return
    standing.updating = wantedParams
    const params = { subscription_id: standing.id, params: wantedParams }
    this.#line.request('updateSubscriptionParams', params, ({ error }) => {
      if (!this.#members.has(member)) return
      standing.updating = undefined
      if (error && isPassing(error.code)) this.#afterWait(standing.tries++, () => this.update(member))
      else member.settled(error ? errorOfAnswer(error, this.#settings.docsUrl) : null)
      this.#rest()
    })
  }

  #opened(): void {
    for (const member of this.#members.keys()) this.update(member)
    this.#subscribe()
    this.#rest()
  }

  #lost(): void {
    this.#feed = undefined
    this.#subscriptions.clear()
    this.#leaving.clear()
    for (const stopWaiting of this.#waits) stopWaiting()
    this.#waits.clear()
    for (const [member, standing] of this.#members) {
      if (standing.phase === 'standing') member.interrupted()
      standing.phase = 'apart'
      standing.updating = undefined
    }
  }

  #failed(error: PairwireError): void {
    const members = [...this.#members.keys()]
    for (const member of members) this.drained(member)
    this.#members.clear()
    for (const member of members) member.end(error)
  }

  /** Subscribes, in one go, all streams that are not yet subscribed on this connection. */
  #subscribe(): void {
    if (!this.#line.isOpen) return
    let mustFollow = !this.#feed
    for (const [member, standing] of this.#members) {
      if (standing.phase !== 'apart' || [...this.#leaving].some(({ kind }) => kind === member.kind)) continue
      standing.phase = 'asked'
      mustFollow ||= member.place !== null || this.#feed?.from !== undefined
      if (member.kind === 'latestBlock') {
        if (this.#feed?.id && !mustFollow) this.#stand(member, standing, this.#feed.id)
        continue
      }
      const params = { ...member.params, ...(member.place !== null && { resume_from: member.place }) }
      this.#line.request(`${member.kind}Subscribe`, params, (answer) =>
        this.#answered(member, standing, answer),
      )
    }
    if (mustFollow) this.#followBlocks()
  }

  #answered(member: Member, standing: Standing, { result, error }: Answer): void {
    if (!this.#members.has(member)) {
      // It left in the meantime.
      this.#endLeft(member, result?.subscription_id)
    } else if (error) this.#refused(member, standing, error)
    else {
      this.#stand(member, standing, result!.subscription_id)
      this.#subscriptions.set(standing.id, [member, standing])
      this.update(member)
    }
  }

  #stand(member: Member, standing: Standing, id: number): void {
    Object.assign(standing, { phase: 'standing', id, tries: 0 })
    delete standing.aheadSince
    member.subscribed()
  }

  #refused(member: Member, standing: Standing, answer: AnswerError): void {
    const error = errorOfAnswer(answer, this.#settings.docsUrl)
    const now = this.#platform.clock.elapsed()
    const mayBeAhead =
      error.errorType === 'CURSOR_AHEAD' && now - (standing.aheadSince ?? now) < AHEAD_LIMIT_MS
    if (mayBeAhead) standing.aheadSince ??= now
    if (mayBeAhead || isPassing(answer.code)) this.#askLater(standing)
    else if (error.code === TOO_OLD && member.cannotResume(answer.data?.oldest ?? null)) {
      delete standing.aheadSince
      // Immediately the first time, then with a wait.
      if (standing.tries++ === 0) this.#askAgain(standing)
      else this.#askLater(standing)
    } else this.#endMember(member, error)
  }

  #endMember(member: Member, error: PairwireError | null): void {
    const standing = this.#members.get(member)
    if (standing) standing.phase = 'apart'
    this.leave(member)
    member.end(error)
  }

  /** Subscribes to the blocks again: now while a stream is new, else from the oldest cursor on. Ignores older frames. */
  #followBlocks(): void {
    const old = this.#feed
    const feed: BlockFeed = {}
    this.#feed = feed
    const ask = () => {
      const [oldest] = [...this.#members.keys()].flatMap(({ place }) => place ?? []).sort()
      feed.from = [...this.#members].some(isNew) ? undefined : oldest
      feed.isAhead = feed.from !== oldest && !this.#replay
      const params = {
        ...(this.#replay && { replay: this.#replay }),
        ...(feed.from !== undefined && { resume_from: feed.from }),
      }
      this.#line.request('latestBlockSubscribe', params, (answer) => this.#feedAnswered(feed, answer))
    }
    const replace = () => this.#unsubscribe('latestBlock', old?.id, ask)
    if (old && old.id === undefined) old.whenAnswered = replace
    else replace()
  }

  #feedAnswered(feed: BlockFeed, { result, error }: Answer): void {
    if (!error) {
      feed.id = result!.subscription_id
      this.#feedTries = 0
    }
    if (feed.whenAnswered) {
      feed.whenAnswered()
      return
    }
    const own = this.#blocksMember()
    if (!error) {
      if (own && own[1].phase !== 'standing') this.#stand(...own, result!.subscription_id)
      return
    }
    this.#feed = undefined
    const mayWait = isPassing(error.code) || (error.code === TOO_OLD && own?.[0].place !== feed.from)
    if (mayWait)
      this.#afterWait(this.#feedTries++, () => !this.#feed && this.#line.isOpen && this.#followBlocks())
    else if (own) this.#refused(...own, error)
  }

  #frame(frame: Frame): void {
    const id: unknown = frame.subscription_id ?? frame.params?.subscription_id
    if (typeof id !== 'number') return
    const found = this.#subscriptions.get(id)
    if (id === this.#feed?.id) this.#feedFrame(frame)
    else if (found && frame.method === 'subscriptionClosed') this.#closed(...found, frame)
    else found?.[0].frame(frame)
  }

  #feedFrame(frame: Frame): void {
    const own = this.#blocksMember()
    // Ahead of streams that resume, a block only shows new ones where they begin.
    const isFor = ({ place }: Member) => !this.#feed?.isAhead || place === null
    if (frame.method === 'subscriptionClosed') {
      if (frame.errorType !== undefined) this.#feed = undefined
      if (own) this.#closed(...own, frame)
      return
    }
    if (own && isFor(own[0])) own[0].frame(frame)
    if (frame.method !== 'latestBlockNotification') return
    for (const [member, { phase }] of this.#members)
      if (phase === 'standing' && member !== own?.[0] && isFor(member))
        member.passed(frame.cursor, frame.params.block)
    if (this.#feed?.isAhead && frame.cursor !== undefined) this.#followBlocks()
  }

  /** The service has ended a subscription; without a type it is about to close the connection, with the reason. */
  #closed(member: Member, standing: Standing, { errorType, reason }: Frame): void {
    if (errorType === undefined) return
    this.#subscriptions.delete(standing.id)
    const error = errorOfClosed(errorType, reason ?? '', this.#settings.docsUrl)
    if (errorType === 'REPLAY_AWAY') this.#askLater(standing)
    else this.#endMember(member, errorType === 'REPLAY_ENDED' ? null : error)
  }

  #blocksMember(): [Member, Standing] | undefined {
    return [...this.#members].find(([{ kind }]) => kind === 'latestBlock')
  }

  /** Ends the subscription of a stream that left; another of its kind may follow then. */
  #endLeft(member: Member, id: number | undefined): void {
    this.#unsubscribe(member.kind, id, () => {
      this.#leaving.delete(member)
      this.#subscribe()
    })
  }

  /** Ends a subscription, if there is one, then calls `ended`. */
  #unsubscribe(kind: Member['kind'], id: number | undefined, ended: () => void): void {
    if (id === undefined) ended()
    else
      this.#line.request(`${kind}Unsubscribe`, { subscription_id: id }, ({ error }) => {
        if (error && isPassing(error.code))
          this.#afterWait(this.#feedTries++, () => this.#unsubscribe(kind, id, ended))
        else ended()
      })
  }

  #askAgain(standing: Standing): void {
    standing.phase = 'apart'
    this.#subscribe()
  }

  #askLater(standing: Standing): void {
    standing.phase = 'waiting'
    this.#afterWait(standing.tries++, () => this.#askAgain(standing))
  }

  /** Acts later if the connection is still the same: on a new one everything is requested again. */
  #afterWait(tries: number, act: () => void): void {
    const stopWaiting = this.#platform.clock.after(this.#line.waitMs(tries), () => {
      this.#waits.delete(stopWaiting)
      act()
    })
    this.#waits.add(stopWaiting)
  }
}

/** Code of a cursor that cannot be resumed from. */
const TOO_OLD = -32_014

/** Whether a stream has asked to begin now, and has yet to learn its place; one ahead of confirmation has none. */
function isNew([{ place, params }, { phase }]: [Member, Standing]): boolean {
  return place === null && params.commitment !== 'processed' && (phase === 'asked' || phase === 'standing')
}
