import { randomUUID } from 'node:crypto'
import { type Clock, type Log, systemClock } from '@pairwire/basics'
import type { SourceKind } from '@pairwire/contract'
import type { Bus } from '../bus.ts'
import type { Retention } from '../event-log.ts'
import { lastCursorOf } from '../event-ring.ts'
import type { NatsAddress } from '../nats-address.ts'
import { openControlChannel } from './control-channel.ts'
import { openEarlyChannel } from './early-channel.ts'
import { createLiveSlots } from './live-slots.ts'
import { type NatsLink, openNatsLink } from './nats-link.ts'
import { createNatsRequests } from './nats-requests.ts'
import { createPastEvents } from './past-events.ts'
import { Publisher } from './publisher.ts'
import type { PublisherState } from './publisher-states.ts'
import { openPulse } from './pulse.ts'
import { createReader } from './reader.ts'
import { createSlotPages } from './slot-pages.ts'
import { openSlotStream } from './slot-stream.ts'

export { type NatsAddress, readNatsAddress } from '../nats-address.ts'
export { lookAtNats } from './look-at-nats.ts'
export type { PublisherState } from './publisher-states.ts'

/** What {@link openNatsBus} needs. */
export type NatsBusOptions = Readonly<{
  address: NatsAddress
  /** The kind of source of the events: a change removes what is kept. */
  source: SourceKind
  retention: Retention
  /** Whether it creates the streams and sets their `retention`, as publishers do; true by default. */
  publishes?: boolean
  log: Pick<Log, 'info' | 'warn'>
  /** About the heap for the newest events, in processes that subscribe. */
  maxBytes: number
  /**
   * Milliseconds of silence after which a publisher takes over from another. 0: it publishes at once, which only a
   * single publisher should.
   */
  takeOverMs?: number
  /** Prefix of its names in NATS, for deployments that share an account. */
  prefix?: string
  /** About the heap for slots that NATS does not have. */
  queueBytes?: number
  clock?: Pick<Clock, 'elapsed' | 'wait'>
}>

/** A bus between processes. */
export type NatsBus = Bus &
  Readonly<{
    /** Whether JetStream answered in the last seconds, and acknowledges what this process publishes. */
    isUp(): boolean
    /** Whether this process publishes, or stands by for another one. */
    publisherState(): PublisherState
    /** Resolves once everything published is in the stream; at once if another process publishes. */
    settled(): Promise<void>
  }>

/** Two seconds of silence at most; looking and appending take the rest. */
const TAKE_OVER_MS = 1_200

/**
 * A bus over NATS with JetStream: one message per slot in a stream that keeps what RETENTION says, and control messages
 * in a stream of their own. Publishing waits for nothing: what NATS does not take is retried, from limited memory.
 *
 *     publish -> publisher -> stream -> reader -> listeners, ring of the newest
 *                    |                    ^  \
 *                    +------- live -------+   +-> pages -> replays of what is older
 *
 * @throws Error with a sentence where NATS cannot be used
 */
export async function openNatsBus(options: NatsBusOptions): Promise<NatsBus> {
  const parts = await openParts(options)
  const { link, control, early, reader, publisher, pulse, requests } = parts
  const past = createPastEvents({ ...parts, source: options.source })
  const abort = new AbortController()

  const assertOpen = () => {
    if (abort.signal.aborted) throw new Error('The bus is closed.')
  }

  return {
    async publish(events, id) {
      assertOpen()
      if (events.length > 0) publisher.publish(events, id)
    },

    subscribe: reader.subscribe,

    async *replay(cursor, inTurn) {
      await reader.started()
      let from = cursor
      while (!abort.signal.aborted) {
        const batch = await past.after(from, inTurn)
        if (batch.length === 0) return

        yield batch
        from = lastCursorOf(batch)
      }
    },

    holds: past.holds,
    oldestCursor: past.oldestCursor,
    newestCursor: past.newestCursor,

    startOver: () => publisher.startOver(),

    // Each ingest executes the same.
    publishEarly(message) {
      if (publisher.state() !== 'standby') early.send(message)
    },

    wantsEarly: () => early.isWanted() && publisher.state() !== 'standby',

    onEarly: early.listen,

    async sendControl(message) {
      assertOpen()
      // Each ingest learns the same about a pair.
      if (message.type === 'pairUpdate' && publisher.state() === 'standby') return
      await control.send(message)
    },

    onControl: control.listen,

    async request(subject, body, timeoutMs) {
      assertOpen()
      return requests.request(subject, body, timeoutMs)
    },

    requestAll: requests.requestAll,
    answer: requests.answer,

    isUp: () => pulse.isAnswering() && publisher.isAcknowledged(),
    publisherState: () => publisher.state(),
    settled: () => publisher.settled(),

    async close() {
      if (abort.signal.aborted) return
      await publisher.close()
      abort.abort()
      pulse.close()
      control.close()
      early.close()
      reader.close()
      await link.close()
    },
  }
}

/** Opens the connection and the streams, and creates the parts that use them. */
async function openParts(options: NatsBusOptions) {
  const { log, source, maxBytes, queueBytes, prefix = 'pairwire', takeOverMs = TAKE_OVER_MS } = options
  const { clock = systemClock } = options
  const link = await openNatsLink(options.address, log)
  const { stream, tip, control } = await openStreams(link, options, prefix).catch(async (error: unknown) => {
    await link.close()
    throw error
  })
  const pages = createSlotPages(stream)
  const live = createLiveSlots(link, `${prefix}.live`)
  const reader = createReader({ link, stream, live, pages, maxBytes, log })
  const publisher = new Publisher({
    ...{ stream, live, name: randomUUID(), source, tip, takeOverMs, clock, log },
    maxPayload: link.maxPayload,
    whenUp: async () => {
      await link.whenUp()
      // A process that subscribes before it publishes gets everything it publishes.
      await reader.started()
    },
    ...(queueBytes !== undefined && { queueBytes }),
  })
  link.onChange((isUp) => {
    if (isUp) publisher.lookAgain()
  })
  const where = options.address.servers.join(', ')
  return {
    ...{ link, stream, control, pages, reader, publisher },
    pulse: openPulse({ link, where, ask: stream.lastSequence, clock, log }),
    early: openEarlyChannel(link, `${prefix}.early`, log),
    requests: createNatsRequests(link, `${prefix}.ask`),
  }
}

async function openStreams(
  link: NatsLink,
  { retention, publishes: makes = true, log }: NatsBusOptions,
  prefix: string,
) {
  const streamName = (what: string) => `${prefix}_${what}`.toUpperCase().replaceAll('-', '_')
  const slots = { name: streamName('events'), subject: `${prefix}.events`, retention, makes }
  const stream = await openSlotStream(link, slots)
  const messages = { name: streamName('control'), subject: `${prefix}.control`, makes }
  return { stream, tip: await stream.look(), control: await openControlChannel(link, messages, log) }
}
