import {
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type StoredMsg,
  type StreamConfig,
  type StreamInfo,
  type StreamState,
} from '@nats-io/jetstream'
import { nanos } from '@nats-io/nats-core'
import type { Retention } from '../event-log.ts'
import type { NatsLink } from './nats-link.ts'
import { readHead, type SlotHead, writeHead } from './slot-message.ts'

/** The newest message and event of a stream. */
export type Tip = Readonly<{
  /** Of its newest message, complete or not; 0 if there never was one. */
  sequence: number
  /** Cursor of the newest event whose whole slot is in the stream; empty if there is none. */
  last: string
  /** The publisher, source and epoch of that event; empty if there is none. */
  publisher: string
  source: string
  epoch: string
}>

/** One message of the stream; `head` is undefined if it is not ours. */
type SlotMessage = Readonly<{ sequence: number; head: SlotHead | undefined; data: Uint8Array }>

/** Another process has published: the stream's newest message is not the expected one. */
export class RivalError extends Error {
  constructor() {
    super('Another process has published in the meantime.')
    this.name = 'RivalError'
  }
}

/** The stream of slots on JetStream, for the publisher and the reader. */
export type SlotStream = Awaited<ReturnType<typeof openSlotStream>>

/** Milliseconds within which JetStream detects a repeated id: as long as a publisher may retry. */
const DUPLICATE_WINDOW_MS = 120_000

/** Opens the stream; a process that `makes` it sets its `retention`. @throws Error with a sentence */
export async function openSlotStream(
  { js, jsm }: Pick<NatsLink, 'js' | 'jsm'>,
  slots: Readonly<{ name: string; subject: string; retention: Retention; makes: boolean }>,
) {
  const { name, subject, retention, makes } = slots
  const config = {
    subjects: [subject],
    max_age: nanos(retention.milliseconds),
    max_bytes: retention.bytes,
    duplicate_window: nanos(Math.min(DUPLICATE_WINDOW_MS, retention.milliseconds)),
    allow_direct: true,
  }
  const stateNow = await openStream(jsm, name, config, makes)

  return {
    name,

    async look(): Promise<Tip> {
      const state = await stateNow()
      const none = { sequence: state.last_seq, last: '', publisher: '', source: '', epoch: '' }
      if (state.messages === 0) return none
      const { head } = slotMessage((await jsm.streams.getMessage(name, { seq: state.last_seq }))!)
      if (!head) return none
      const { publisher, source, epoch } = head
      const last = head.part === head.parts ? head.last : head.before
      return { sequence: state.last_seq, last, publisher, source, epoch }
    },

    /** Sequence of the newest message. */
    lastSequence: async () => (await stateNow()).last_seq,

    /**
     * Appends a message after the one of sequence `behind`. An id appended within the last two minutes is not appended
     * again. @throws RivalError
     */
    async append(head: SlotHead, data: Uint8Array, id: string, behind: number) {
      try {
        const options = { msgID: id, headers: writeHead(head), expect: { lastSequence: behind } }
        const { seq, duplicate } = await js.publish(subject, data, options)
        return { sequence: seq, isDuplicate: duplicate }
      } catch (error) {
        if (codeOf(error) === JetStreamApiCodes.StreamWrongLastSequence) throw new RivalError()
        throw error
      }
    },

    /** Removes everything up to this sequence. */
    async clear(sequence: number): Promise<void> {
      await jsm.streams.purge(name, { seq: sequence + 1 })
    },

    /** Returns the first message of this sequence or a later one. */
    async at(sequence: number): Promise<SlotMessage | undefined> {
      const query = { seq: sequence, next_by_subj: subject }
      // A replica that answers directly may not have the newest yet.
      const stored =
        (await jsm.direct.getMessage(name, query)) ??
        (await jsm.streams.getMessage(name, query).catch((error: unknown) => {
          if (codeOf(error) === JetStreamApiCodes.NoMessageFound) return null
          throw error
        }))
      return stored ? slotMessage(stored) : undefined
    },

    /** First and last sequence of its messages; undefined if there are none. */
    async bounds() {
      const state = await stateNow()
      return state.messages === 0 ? undefined : { first: state.first_seq, last: state.last_seq }
    },
  }
}

/**
 * Opens a stream. A process that `makes` it does so whenever it is missing; for others a missing one is empty.
 *
 * @returns a function that reads its state
 */
export async function openStream(
  jsm: NatsLink['jsm'],
  name: string,
  config: Partial<StreamConfig>,
  makes: boolean,
): Promise<() => Promise<Pick<StreamState, 'messages' | 'first_seq' | 'last_seq'>>> {
  if (makes) await ensureStream(jsm, name, config)
  return async () => {
    const found = await findStream(jsm, name)
    if (found) return found.state
    if (!makes) return { messages: 0, first_seq: 0, last_seq: 0 }
    await ensureStream(jsm, name, config)
    return (await jsm.streams.info(name)).state
  }
}

/** Creates the stream, or updates its settings; the operator chooses the number of replicas. */
async function ensureStream(
  jsm: NatsLink['jsm'],
  name: string,
  config: Partial<StreamConfig>,
): Promise<void> {
  try {
    const found = await findStream(jsm, name)
    if (!found) {
      await jsm.streams.add({
        name,
        retention: RetentionPolicy.Limits,
        storage: StorageType.File,
        discard: DiscardPolicy.Old,
        ...config,
      })
    } else if (Object.entries(config).some(([key, value]) => differs(found.config, key, value))) {
      await jsm.streams.update(name, { ...found.config, ...config })
    }
  } catch (error) {
    const why =
      codeOf(error) === NO_STORAGE
        ? 'It has less room for files than RETENTION asks for; raise its max_file_store, or lower RETENTION.'
        : String(error)
    throw new Error(`Pairwire cannot use the stream ${name} of NATS. ${why}`)
  }
}

function findStream(jsm: NatsLink['jsm'], name: string): Promise<StreamInfo | undefined> {
  return jsm.streams.info(name).catch((error: unknown) => {
    if (codeOf(error) === JetStreamApiCodes.StreamNotFound) return undefined
    throw error
  })
}

/** JetStream's code for missing storage, @see nats-server `server/errors.json` */
const NO_STORAGE = 10047

function differs(config: StreamConfig, key: string, value: unknown): boolean {
  return JSON.stringify(config[key as keyof StreamConfig]) !== JSON.stringify(value)
}

function slotMessage({ seq, header, data }: StoredMsg): SlotMessage {
  return { sequence: seq, head: readHead(header), data }
}

function codeOf(error: unknown): number | undefined {
  return error instanceof JetStreamApiError ? error.code : undefined
}
