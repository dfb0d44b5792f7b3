import { randomUUID } from 'node:crypto'
import type { Clock, Log } from '@pairwire/basics'
import { LAST_PLACE, parseCursor, type StreamEvent } from '@pairwire/contract'
import type { LiveSlots } from './live-slots.ts'
import { nextState, type PublisherEvent, type PublisherState } from './publisher-states.ts'
import { splitBody, writeSlot } from './slot-message.ts'
import { createSlotQueue, type QueuedSlot } from './slot-queue.ts'
import { RivalError, type SlotStream, type Tip } from './slot-stream.ts'
import { within } from './within.ts'

/** What {@link createPublisher} needs. */
export type PublisherOptions = Readonly<{
  stream: Pick<SlotStream, 'look' | 'lastSequence' | 'append' | 'clear'>
  /** Where whole slots are told while the stream takes them. */
  live: Pick<LiveSlots, 'tell'>
  /** Names this process among those that publish. */
  name: string
  /** What kind of source its events are of: what another kind left in the stream is removed. */
  source: string
  /** What the stream had when it was opened. */
  tip: Tip
  /** Milliseconds of silence after which it takes over from another one; 0 where it is to be alone. */
  takeOverMs: number
  /** Bytes that a message may have. */
  maxPayload(): number
  /** Resolves when NATS may be asked. */
  whenUp(): Promise<void>
  clock: Pick<Clock, 'elapsed' | 'wait'>
  log: Pick<Log, 'info' | 'warn'>
  /** Memory for the slots that are not in the stream yet, and those that it may lose again. */
  queueBytes?: number
}>

/** Publishes slots to the stream, in order and each once, whatever NATS does; nobody has to wait for it. */
export type Publisher = Readonly<{
  /** @throws Error when an event is older than the one before it; nothing of the batch is kept then */
  publish(events: readonly StreamEvent[], id?: string): void
  /** Cursor of the newest event that it was given, or the stream had when it was opened. */
  newestCursor(): string | undefined
  /** Forgets what it has, and removes what the stream has, before anything else is appended. */
  startAnew(): Promise<void>
  /** To be called when NATS was away: what it has may be another than before. */
  lookAgain(): void
  state(): PublisherState
  /** False once what it is to publish has waited for seconds. */
  isAcknowledged(): boolean
  /** Sequence of the newest message that it knows to be in the stream. */
  sequence(): number
  /** Resolves once all is in the stream; at once where another one publishes. */
  settled(): Promise<void>
  close(): Promise<void>
}>

/** Four minutes of a busy chain, compressed. */
const QUEUE_BYTES = 64 * 1024 * 1024

/** Milliseconds between two looks of one that stands by. */
const LOOK_EVERY_MS = 250

/** Milliseconds before what failed is tried again. */
const RETRY_MS = 250

/** Milliseconds after which the stream should have had a slot. */
const LATE_MS = 5_000

/** Milliseconds that the end may take to bring out what is left, and a new beginning to remove what was. */
const SETTLE_MS = 2_000

/** Makes a publisher, which runs from the first slot that it is given. */
export function createPublisher(options: PublisherOptions): Publisher {
  const { stream, live, name, source, takeOverMs, clock, log, queueBytes = QUEUE_BYTES } = options
  const isAlone = takeOverMs === 0
  const abort = new AbortController()
  let tip = options.tip
  /** Whether what the stream has is to be removed before anything is appended. */
  let isToClear = tip.last !== '' && tip.source !== source
  const queue = createSlotQueue(isToClear ? '' : tip.last, queueBytes)
  let epoch = (!isToClear && tip.epoch) || randomUUID()
  let state: PublisherState = isAlone ? 'looking' : 'standby'
  /** What it has appended last. */
  let appended: QueuedSlot | undefined
  /** Whether `tip` says the cursor too, and not the sequence alone. */
  let isTipKnown = true
  /** When the stream was last seen to grow. */
  let grewAt = clock.elapsed()
  let hasFailed = false
  /** What a message was tried under already although the stream does not have it. */
  let attempt = 0
  let wake = () => {}
  const whenIdle: (() => void)[] = []

  const know = (event: PublisherEvent) => {
    const before = state
    state = nextState(state, event, isAlone)
    if (isAlone || state === before) return
    if (state === 'standby') log.info('Another ingest publishes; this one stands by.')
    else if (state === 'publishing' && before === 'looking' && event === 'found' && !hasFailed)
      log.info('This ingest publishes.')
  }

  const see = (seen: Tip) => {
    if (seen.sequence !== tip.sequence) grewAt = clock.elapsed()
    tip = seen
    if (!isToClear && tip.epoch !== '') epoch = tip.epoch
  }

  const look = async () => {
    const before = tip
    see(await stream.look())
    const isOthers = tip.sequence > before.sequence && tip.publisher !== name
    know(isOthers ? 'rival' : 'found')
  }

  const clear = async () => {
    await stream.clear()
    isToClear = false
    tip = { sequence: await stream.lastSequence(), last: '', publisher: '', source: '', epoch: '' }
  }

  /** What is next to be appended. */
  const next = (): QueuedSlot | undefined => queue.after(isToClear ? '' : tip.last, appended)

  /** Milliseconds until a gap may be said: another one may have what is missing, and takes over for it. */
  const patienceFor = (slot: QueuedSlot): number =>
    isAlone || !slot.gap ? 0 : grewAt + 2 * takeOverMs - clock.elapsed()

  const append = async (slot: QueuedSlot) => {
    const parts = splitBody(await bodyOf(slot, tip.last), options.maxPayload())
    const { before, last } = slot
    for (const [at, data] of parts.entries()) {
      const part = at + 1
      const head = { before, last, source, epoch, publisher: name, part, parts: parts.length }
      const id = parts.length === 1 ? slot.id : `${slot.id}/${name}/${part}`
      const attemptId = attempt === 0 ? id : `${id}/${name}/${attempt}`
      const { sequence, isDuplicate } = await stream.append(head, data, attemptId, tip.sequence)
      if (isDuplicate) {
        // It is there, or was before the stream lost it.
        attempt++
        await look()
        return
      }
      see({ sequence, last: part === parts.length ? last : tip.last, publisher: name, source, epoch })
    }
    appended = slot
    attempt = 0
  }

  const standBy = async () => {
    await clock.wait(LOOK_EVERY_MS, abort.signal)
    const sequence = await stream.lastSequence()
    if (sequence !== tip.sequence) {
      see({ ...tip, sequence })
      isTipKnown = false
      return
    }
    if (clock.elapsed() - grewAt < takeOverMs) return
    if (!isTipKnown) {
      see(await stream.look())
      isTipKnown = true
      if (tip.sequence !== sequence) return
    }
    const waiting = next()
    if (waiting && clock.elapsed() - waiting.at >= takeOverMs) know('silence')
  }

  const publishNext = async () => {
    if (isToClear) await clear()
    const slot = next()
    if (!slot) {
      for (const resolve of whenIdle.splice(0)) resolve()
      await new Promise<void>((resolve) => {
        wake = resolve
      })
      return
    }
    const patienceMs = patienceFor(slot)
    if (patienceMs > 0) await clock.wait(patienceMs, abort.signal)
    else await append(slot)
  }

  const DOES: Readonly<Record<PublisherState, () => Promise<void>>> = {
    standby: standBy,
    looking: look,
    publishing: publishNext,
  }

  const run = async () => {
    while (!abort.signal.aborted) {
      try {
        await options.whenUp()
        if (abort.signal.aborted) return
        const isLooking = state === 'looking'
        await DOES[state]()
        if (hasFailed && !isLooking) {
          log.info('Events reach NATS again.')
          hasFailed = false
        }
      } catch (error) {
        if (error instanceof RivalError) {
          know('rival')
          continue
        }
        know('failed')
        // Whoever stands by has seen nothing meanwhile.
        grewAt = clock.elapsed()
        if (!hasFailed && !abort.signal.aborted) {
          log.warn('NATS does not take events; retrying. If its disk was full, make room and restart it.', {
            error: String(error),
          })
        }
        hasFailed = true
        await clock.wait(RETRY_MS, abort.signal)
      }
    }
  }
  let isRunning = false
  /** Who never publishes asks NATS nothing. */
  const start = () => {
    if (isRunning) return
    isRunning = true
    grewAt = clock.elapsed()
    void run()
  }

  const settled = (): Promise<void> => {
    if (!isRunning || state === 'standby' || (state === 'publishing' && !isToClear && !next()))
      return Promise.resolve()
    return new Promise((resolve) => whenIdle.push(resolve))
  }

  let unnamed = 0
  return {
    publish(events, id) {
      const before = queue.newest()
      let told = Promise.resolve()
      queue.push(events, id ?? `${name}/${unnamed++}`, clock.elapsed(), () => told)
      // What has no name may be a part of a block, of which another process has the whole. While it looks again after a
      // failure it tells too: a reader takes nothing behind a slot that it was not told.
      if (id !== undefined && state !== 'standby' && !isToClear) {
        told = live.tell({ events, before, source, epoch, publisher: name })
      }
      start()
      wake()
    },

    newestCursor: () => queue.newest() || undefined,

    async startAnew() {
      queue.clear()
      isToClear = true
      epoch = randomUUID()
      start()
      wake()
      await within(SETTLE_MS, settled())
    },

    lookAgain() {
      know('failed')
      isTipKnown = false
      grewAt = clock.elapsed()
      wake()
    },

    state: () => state,
    isAcknowledged() {
      const waiting = state === 'standby' ? undefined : next()
      return !waiting || clock.elapsed() - waiting.at < LATE_MS
    },
    sequence: () => tip.sequence,
    settled,

    async close() {
      if (next()) await within(SETTLE_MS, settled())
      abort.abort()
      wake()
      for (const resolve of whenIdle.splice(0)) resolve()
    },
  }
}

/** Of a gap only what the stream does not have: another one may have had a part of it. */
async function bodyOf({ gap, body }: QueuedSlot, last: string): Promise<Buffer> {
  const published = last === '' ? undefined : parseCursor(last)
  if (!gap || !published) return body
  const { fromSlot, toSlot } = gap.params
  const isWhole = published.transactionIndex === LAST_PLACE.transactionIndex
  const firstMissing = isWhole ? published.slot + 1 : published.slot
  if (firstMissing <= fromSlot || firstMissing > toSlot) return body
  return writeSlot([{ ...gap, params: { ...gap.params, fromSlot: firstMissing } }])
}
