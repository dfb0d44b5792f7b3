import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  Client,
  type ClientDuplexStream,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js'
import { readSlot } from '../chain/chain-numbers.ts'
import { FeedError, type FeedOptions, type FeedParts } from '../chain/feed.ts'
import { hideSecrets } from '../hide-secrets.ts'
import { MalformedMessageError, ProtobufReader } from './protobuf-reader.ts'
import { readUpdate, type StreamUpdate } from './read-update.ts'
import { describeVersion } from './server-version.ts'
import { faultOf } from './stream-fault.ts'
import { createLackWatch } from './stream-lacks.ts'
import { writeCommitment, writePing, writeRequest } from './write-request.ts'

/** Bytes of the largest message; a busy block's transactions are above gRPC's 4 MiB. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024

/** Bytes that may be in flight: a slot arrives in one burst. */
const FLOW_WINDOW_BYTES = 8 * 1024 * 1024

/** Milliseconds in which a unary call must be answered. */
const ANSWER_MS = 10_000

/**
 * Milliseconds of reading before other work of the process gets a turn: a slot's transactions arrive in one burst, and
 * the socket delivers megabytes of it at once. A turn also has other work, and some garbage collection. By the machine's
 * time: a clock that a test hastens would leave a turn a message or two, and a slow machine would never catch up.
 */
const TURN_MS = 1

/** Milliseconds of silence after which a stream counts as dead; servers ping every 15 s. */
const SILENT_MS = 30_000
const LOOK_EVERY_MS = 5_000

/** Whether a stream is read ahead of confirmation, and the calls that report whether this server supports that. */
type Ahead = Readonly<{ isAhead: boolean; votesLack(): void; votesCame(): void }>

/**
 * Block metas without a confirmed slot after which none is expected: votes are some two slots behind, and a server that
 * sends slot statuses at all does so before the slots' end.
 */
const METAS_WITHOUT_VOTE = 16
const METAS_WITHOUT_STATUS = 2

const NO_YELLOWSTONE = 'The server at this address does not speak the Yellowstone protocol.'
const NO_VOTES =
  'The endpoint never says that a slot is confirmed. The service now reads it at commitment confirmed, so nothing arrives early.'

/** Reads a stream until the signal aborts. @throws FeedError when it cannot be read, or no longer */
export async function readStream(
  options: FeedOptions,
  parts: FeedParts,
  ahead: Ahead = { isAhead: true, votesLack() {}, votesCame() {} },
): Promise<void> {
  const client = openClient(options)
  const metadata = new Metadata()
  if (options.token !== undefined) metadata.set('x-token', options.token)
  try {
    await converse({ client, metadata, options, parts, ahead })
  } catch (error) {
    if (!parts.signal.aborted) throw withoutToken(error, options.token)
  } finally {
    client.close()
  }
}

/** A server's refusal may repeat what it was sent. */
function withoutToken(error: unknown, token: string | undefined): unknown {
  if (error instanceof MalformedMessageError)
    return new FeedError('unusable', `${NO_YELLOWSTONE} ${error.message}`)
  if (!(error instanceof FeedError)) return error
  return new FeedError(error.kind, hideSecrets([token], [])(error.message), error.firstAvailable)
}

/** A client for a server, which connects with the first call; its address has no path. */
function openClient({ url }: FeedOptions): Client {
  const isSecure = url.protocol === 'https:'
  const port = url.port || (isSecure ? '443' : '80')
  const security = isSecure ? credentials.createSsl() : credentials.createInsecure()
  return new Client(`${url.hostname}:${port}`, security, {
    'grpc.max_receive_message_length': MAX_MESSAGE_BYTES,
    'grpc-node.flow_control_window': FLOW_WINDOW_BYTES,
    // We know better when to retry, and a new attempt must not wait for an old one's delay.
    'grpc.enable_retries': 0,
    'grpc.use_local_subchannel_pool': 1,
  })
}

type Opened = Readonly<{
  client: Client
  metadata: Metadata
  options: FeedOptions
  parts: FeedParts
  ahead: Ahead
}>

async function converse(opened: Opened): Promise<void> {
  const { parts, options, ahead } = opened
  const version = await ask(opened, 'GetVersion')
  parts.report(describeVersion(firstField(version, (fields) => fields.text())))

  const head = await ask(opened, 'GetSlot', writeCommitment())
  const history = await ask(opened, 'SubscribeReplayInfo')
  const fromSlot = parts.whereFrom({
    head: firstField(head, slotOf),
    firstAvailable: firstField(history, slotOf),
  })
  if (parts.signal.aborted) return

  const request = writeRequest({ programs: options.programs, fromSlot, isAhead: ahead.isAhead })
  const stream = opened.client.makeBidiStreamRequest(
    '/geyser.Geyser/Subscribe',
    asBytes,
    asBytes,
    opened.metadata,
    {},
  )
  parts.push({ kind: 'connected', from: fromSlot, isAhead: ahead.isAhead })
  try {
    await pump(stream, request, fromSlot, opened)
  } finally {
    stream.cancel()
  }
}

/** Passes messages from the stream to the keeper until one of them fails. */
function pump(
  stream: ClientDuplexStream<Buffer, Buffer>,
  request: Buffer,
  fromSlot: number | undefined,
  { options: { clock }, parts, ahead }: Opened,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const done = new AbortController()
    let heardAt = clock.elapsed()
    let pings = 0
    let metasWithoutVote = 0
    let isToldOfSlots = false
    let isPaused = false
    let turnBegan = 0
    const lookAt = createLackWatch(parts.report)
    const settle = (error?: unknown) => {
      done.abort()
      parts.signal.removeEventListener('abort', stop)
      if (error) reject(error)
      else resolve()
    }
    const stop = () => settle()
    parts.signal.addEventListener('abort', stop)

    stream.on('data', (bytes: Buffer) => {
      // Messages still in flight when the stream broke must not be mistaken for parts of the next connection.
      if (done.signal.aborted) return
      heardAt = clock.elapsed()
      if (turnBegan === 0) {
        turnBegan = performance.now()
        setImmediate(() => {
          turnBegan = 0
        })
      }
      const update = readUpdate(bytes)
      if (update.kind === 'ping') {
        // A load balancer cuts a stream whose client never writes.
        stream.write(writePing(++pings))
        return
      }
      try {
        checkSlots(update)
      } catch (error) {
        settle(error)
        return
      }
      lookAt(update)
      if (update.kind === 'slotStatus') isToldOfSlots = true
      else if (update.kind === 'confirmed') {
        isToldOfSlots = true
        metasWithoutVote = 0
        if (!ahead.isAhead) ahead.votesCame()
      } else if (update.kind === 'blockMeta' && ahead.isAhead) {
        metasWithoutVote++
        if (metasWithoutVote >= (isToldOfSlots ? METAS_WITHOUT_VOTE : METAS_WITHOUT_STATUS)) {
          ahead.votesLack()
          settle(new FeedError('broken', NO_VOTES))
          return
        }
      }
      const hasRoom = update.kind === 'slotStatus' || update.kind === 'other' || parts.push(update)
      if (hasRoom && performance.now() - turnBegan < TURN_MS) return
      isPaused = true
      stream.pause()
      void (hasRoom ? nextTurn() : parts.drained()).then(() => {
        heardAt = clock.elapsed()
        isPaused = false
        stream.resume()
      })
    })
    stream.on('error', (error: ServiceError) => settle(faultOf(error, fromSlot)))
    stream.on('end', () => settle(new FeedError('broken', 'The endpoint ended the stream.')))
    stream.write(request)

    const watch = async () => {
      while (!done.signal.aborted) {
        await clock.wait(LOOK_EVERY_MS, done.signal)
        if (!isPaused && clock.elapsed() - heardAt > SILENT_MS) {
          settle(new FeedError('broken', `The endpoint said nothing for ${SILENT_MS / 1000} s.`))
        }
      }
    }
    void watch()
  })
}

/**
 * Returns the answer to a unary call; undefined if the server does not support it. @throws FeedError when the server
 * cannot be used at all
 */
function ask(
  { client, metadata, options, parts }: Opened,
  method: string,
  request: Buffer = Buffer.alloc(0),
): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const deadline = Date.now() + ANSWER_MS
    const call = client.makeUnaryRequest(
      `/geyser.Geyser/${method}`,
      asBytes,
      asBytes,
      request,
      metadata,
      { deadline },
      (error, answer) => {
        parts.signal.removeEventListener('abort', cancel)
        if (!error) return resolve(answer)
        if (FATAL.includes(error.code)) reject(faultOf(error, undefined, options.url))
        else resolve(undefined)
      },
    )
    const cancel = () => call.cancel()
    parts.signal.addEventListener('abort', cancel)
    if (parts.signal.aborted) cancel()
  })
}

const asBytes = (bytes: Buffer): Buffer => bytes
const slotOf = (fields: ProtobufReader): number => readSlot(fields.varint())

/** Statuses of one unary call that mean that all others fail too. */
const FATAL: readonly number[] = [
  status.UNAVAILABLE,
  status.UNAUTHENTICATED,
  status.PERMISSION_DENIED,
  status.DEADLINE_EXCEEDED,
  status.CANCELLED,
]

/** @throws FeedError when an impossible slot is named */
function checkSlots(update: StreamUpdate): void {
  if ('slot' in update && update.slot !== undefined) readSlot(update.slot)
  if (update.kind === 'blockMeta') readSlot(update.parentSlot)
}

/** Returns the first field of an answer, parsed by `read`; undefined if it has none. */
function firstField<Value>(
  message: Buffer | undefined,
  read: (fields: ProtobufReader) => Value,
): Value | undefined {
  const fields = new ProtobufReader(message ?? Buffer.alloc(0))
  let value: Value | undefined
  while (fields.next()) {
    if (fields.number === 1) value = read(fields)
    else fields.skip()
  }
  return value
}
