import { type Clock, type Log, within } from '@pairwire/basics'
import type { StreamEvent } from '@pairwire/contract'
import { slotBehind } from '../gap-between.ts'
import type { LiveSlots } from './live-slots.ts'
import { nextState, type PublisherEvent, type PublisherState } from './publisher-states.ts'
import { splitBody, writeSlot } from './slot-message.ts'
import { createSlotQueue, type QueuedSlot } from './slot-queue.ts'
import { RivalError, type SlotStream, type Tip } from './slot-stream.ts'
import { StreamView } from './stream-view.ts'

/** What a {@link Publisher} needs. */
export type PublisherOptions = Readonly<{
  stream: Pick<SlotStream, 'look' | 'lastSequence' | 'append' | 'clear'>
  /** Sends whole slots live while the stream takes them. */
  live: Pick<LiveSlots, 'tell'>
  /** This process's name among the publishers. */
  name: string
  /** The kind of source of its events: events of another kind are removed from the stream. */
  source: string
  /** The newest message of the stream when it was opened. */
  tip: Tip
  /** Milliseconds of silence after which it takes over from another publisher; 0 for a single one. */
  takeOverMs: number
  /** Largest message in bytes. */
  maxPayload(): number
  /** Resolves when NATS is available. */
  whenUp(): Promise<void>
  clock: Pick<Clock, 'elapsed' | 'wait'>
  log: Pick<Log, 'info' | 'warn'>
  /** Memory for slots that are not in the stream yet, and those that it may lose again. */
  queueBytes?: number
}>

/** Four minutes of a busy chain, compressed. */
const QUEUE_BYTES = 64 * 1024 * 1024

/** Milliseconds between two looks at the stream while it stands by. */
const LOOK_EVERY_MS = 250

/** Milliseconds before a failed attempt is repeated. */
const RETRY_MS = 250

/** Milliseconds after which a slot that is not in the stream is late. */
const LATE_MS = 5_000

/** Milliseconds that closing has to publish the rest, and starting over to remove the old events. */
const SETTLE_MS = 2_000

/**
 * Publishes slots to the stream, in order and each once, whatever NATS does, without making callers wait. It runs from
 * its first slot on: {@link nextState} is its table of states.
 */
export class Publisher {
  readonly #options: PublisherOptions
  readonly #isAlone: boolean
  readonly #view: StreamView
  readonly #queue: ReturnType<typeof createSlotQueue>
  readonly #abort = new AbortController()
  #state: PublisherState
  /** The last appended slot. */
  #appended: QueuedSlot | undefined
  /** Attempts with an id that the stream remembers although it lost the message. */
  #attempt = 0
  #hasFailed = false
  #isRunning = false
  #hasPublished = false
  #unnamed = 0
  #wake = () => {}
  readonly #whenIdle: (() => void)[] = []

  /** Creates one that waits for its first slot. */
  constructor(options: PublisherOptions) {
    const { takeOverMs, queueBytes = QUEUE_BYTES } = options
    this.#options = options
    this.#isAlone = takeOverMs === 0
    this.#state = this.#isAlone ? 'looking' : 'standby'
    this.#view = new StreamView(options)
    this.#queue = createSlotQueue(this.#view.newestCursor(), queueBytes)
  }

  /** @throws Error when an event is older than the one before it; nothing of the batch is kept then */
  publish(events: readonly StreamEvent[], id?: string): void {
    const { name, live, source, clock } = this.#options
    const { isToClear, epoch } = this.#view
    const before = this.#queue.newest()
    let told = Promise.resolve()
    this.#queue.push(events, id ?? `${name}/${this.#unnamed++}`, clock.elapsed(), () => told)
    // A batch without an id may be part of a block that another process has whole. While it looks again after a failure
    // it also sends live: a reader takes nothing after a slot that it was not sent.
    if (id !== undefined && this.#state !== 'standby' && !isToClear) {
      told = live.tell({ events, before, source, epoch, publisher: name })
    }
    this.#hasPublished = true
    this.#start()
  }

  hasPublished(): boolean {
    return this.#hasPublished
  }

  /** Cursor of the newest event that it was given, or that the stream had when opened. */
  newestCursor(): string | undefined {
    return this.#queue.newest() || undefined
  }

  /** Forgets its slots, and removes those of the stream before it appends anything else. */
  async startOver(): Promise<void> {
    this.#queue.clear()
    this.#view.startOver()
    this.#start()
    await within(SETTLE_MS, this.settled())
  }

  /** Call it after NATS was away: the stream may have other messages than before. */
  lookAgain(): void {
    this.#note('failed')
    this.#view.doubt()
    this.#wake()
  }

  state(): PublisherState {
    return this.#state
  }

  /** False once a slot has waited for seconds. */
  isAcknowledged(): boolean {
    const waiting = this.#state === 'standby' ? undefined : this.#next()
    return !waiting || this.#options.clock.elapsed() - waiting.at < LATE_MS
  }

  /** Sequence of the newest message that it knows to be in the stream. */
  sequence(): number {
    return this.#view.tip.sequence
  }

  /** Resolves once all slots are in the stream; at once while another one publishes. */
  settled(): Promise<void> {
    const isDone = this.#state === 'publishing' && !this.#view.isToClear && !this.#next()
    if (!this.#isRunning || this.#state === 'standby' || isDone) return Promise.resolve()
    return new Promise((resolve) => this.#whenIdle.push(resolve))
  }

  /** Publishes the rest, within a few seconds, and stops. */
  async close(): Promise<void> {
    if (this.#next()) await within(SETTLE_MS, this.settled())
    this.#abort.abort()
    this.#wake()
    this.#tellIdle()
  }

  /** A process that never publishes sends no request to NATS. */
  #start(): void {
    if (this.#isRunning) this.#wake()
    else {
      this.#isRunning = true
      this.#view.heard()
      void this.#run()
    }
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort
    while (!signal.aborted) {
      try {
        await this.#options.whenUp()
        if (signal.aborted) return
        const isLooking = this.#state === 'looking'
        await this.#act()
        if (!isLooking) this.#noteSuccess()
      } catch (error) {
        if (error instanceof RivalError) this.#note('rival')
        else {
          this.#noteFailure(error)
          await this.#options.clock.wait(RETRY_MS, signal)
        }
      }
    }
  }

  #act(): Promise<void> {
    switch (this.#state) {
      case 'standby':
        return this.#standBy()
      case 'looking':
        return this.#look()
      case 'publishing':
        return this.#publishNext()
    }
  }

  async #standBy(): Promise<void> {
    const { clock, takeOverMs } = this.#options
    await clock.wait(LOOK_EVERY_MS, this.#abort.signal)
    if ((await this.#view.silentMs()) < takeOverMs || !(await this.#view.readTip())) return
    const waiting = this.#next()
    if (waiting && clock.elapsed() - waiting.at >= takeOverMs) this.#note('silence')
  }

  async #look(): Promise<void> {
    const { sequence } = this.#view.tip
    const tip = await this.#view.look()
    const isOthers = tip.sequence > sequence && tip.publisher !== this.#options.name
    this.#note(isOthers ? 'rival' : 'found')
  }

  async #publishNext(): Promise<void> {
    if (this.#view.isToClear) await this.#view.clear()
    const slot = this.#next()
    if (!slot) {
      this.#tellIdle()
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
      return
    }
    const patienceMs = this.#patienceFor(slot)
    if (patienceMs > 0) await this.#options.clock.wait(patienceMs, this.#abort.signal)
    else await this.#append(slot)
  }

  /** Milliseconds until a gap may be appended: another publisher may have the missing slots, and take over for them. */
  #patienceFor(slot: QueuedSlot): number {
    const { clock, takeOverMs } = this.#options
    return this.#isAlone || !slot.gap ? 0 : this.#view.grewAt + 2 * takeOverMs - clock.elapsed()
  }

  async #append(slot: QueuedSlot): Promise<void> {
    const { stream, source, name, maxPayload } = this.#options
    const view = this.#view
    const { before, last } = slot
    const whole = { before, last, source, epoch: view.epoch, publisher: name }
    const parts = splitBody(await bodyOf(slot, view.tip.last), maxPayload())
    for (const [at, data] of parts.entries()) {
      const part = at + 1
      const head = { ...whole, part, parts: parts.length }
      const id = parts.length === 1 ? slot.id : `${slot.id}/${name}/${part}`
      const attemptId = this.#attempt === 0 ? id : `${id}/${name}/${this.#attempt}`
      const { sequence, isDuplicate } = await stream.append(head, data, attemptId, view.tip.sequence)
      if (isDuplicate) {
        // The stream has it, or had it before losing it.
        this.#attempt++
        await this.#look()
        return
      }
      const isLast = part === parts.length
      view.see({ ...head, sequence, last: isLast ? last : view.tip.last })
    }
    this.#appended = slot
    this.#attempt = 0
  }

  /** The next slot to append. */
  #next(): QueuedSlot | undefined {
    return this.#queue.after(this.#view.newestCursor(), this.#appended)
  }

  #note(event: PublisherEvent): void {
    const before = this.#state
    this.#state = nextState(before, event, this.#isAlone)
    if (this.#isAlone || this.#state === before) return
    const { log } = this.#options
    if (this.#state === 'standby') log.info('Another ingest publishes; this one stands by.')
    else if (this.#state === 'publishing' && !this.#hasFailed) log.info('This ingest publishes.')
  }

  #noteFailure(error: unknown): void {
    this.#note('failed')
    // While it stood by, it saw nothing.
    this.#view.heard()
    if (!this.#hasFailed && !this.#abort.signal.aborted) {
      this.#options.log.warn(
        'NATS does not take events; retrying. If its disk was full, make room and restart it.',
        { error: String(error) },
      )
    }
    this.#hasFailed = true
  }

  #noteSuccess(): void {
    if (this.#hasFailed) this.#options.log.info('Events reach NATS again.')
    this.#hasFailed = false
  }

  #tellIdle(): void {
    for (const resolve of this.#whenIdle.splice(0)) resolve()
  }
}

/** Returns a gap without the slots that the stream has: another publisher may have had some of them. */
async function bodyOf({ gap, body }: QueuedSlot, last: string): Promise<Buffer> {
  if (!gap) return body
  const { fromSlot, toSlot } = gap.params
  const firstMissing = slotBehind(last)
  if (firstMissing <= fromSlot || firstMissing > toSlot) return body
  return writeSlot([{ ...gap, params: { ...gap.params, fromSlot: firstMissing } }])
}
