import { AckPolicy, type ConsumerConfig, ReplayPolicy } from '@nats-io/jetstream'
import { type Msg, nanos } from '@nats-io/nats-core'
import type { NatsLink } from './nats-link.ts'

/** The position of a message in its stream. */
type StreamPlace = Readonly<{ sequence: number }>

/** Milliseconds between two heartbeats of JetStream, and without any before the reader starts over. */
const HEARTBEAT_MS = 1_000
const SILENT_MS = 3_000

/** Milliseconds after which NATS forgets a reader that has gone. */
const FORGOTTEN_AFTER_MS = 10_000

/**
 * Delivers each message of a stream, in order and one at a time, until something is wrong: the connection is lost, a
 * message is missing, nothing arrives, or `signal` aborts. The caller then finds the position again. Waiting messages
 * are limited: NATS sends more only once the previous ones are taken.
 */
export async function followStream(
  { connection, jsm, onChange, newInbox }: Pick<NatsLink, 'connection' | 'jsm' | 'onChange' | 'newInbox'>,
  stream: string,
  from: Pick<ConsumerConfig, 'deliver_policy' | 'opt_start_seq' | 'opt_start_time'>,
  signal: AbortSignal,
  take: (message: Msg, place: StreamPlace) => void | Promise<void>,
): Promise<void> {
  const inbox = newInbox()
  const subscription = connection.subscribe(inbox)
  const leave = () => subscription.unsubscribe()
  signal.addEventListener('abort', leave)
  const leaveLink = onChange(leave)
  let heardAt = performance.now()
  const watchdog = setInterval(() => {
    if (performance.now() - heardAt > SILENT_MS && subscription.getPending() === 0) leave()
  }, HEARTBEAT_MS)
  try {
    await jsm.consumers.add(stream, {
      ...from,
      deliver_subject: inbox,
      ack_policy: AckPolicy.None,
      replay_policy: ReplayPolicy.Instant,
      max_deliver: 1,
      flow_control: true,
      idle_heartbeat: nanos(HEARTBEAT_MS),
      inactive_threshold: nanos(FORGOTTEN_AFTER_MS),
      mem_storage: true,
      num_replicas: 1,
    })
    let delivered = 0
    for await (const message of subscription) {
      heardAt = performance.now()
      if (isStatus(message)) {
        if (lastDelivered(message) > delivered) return
        message.respond()
        continue
      }
      const place = readPlace(message.reply)
      if (place?.delivered !== ++delivered) return
      await take(message, place)
    }
  } finally {
    clearInterval(watchdog)
    signal.removeEventListener('abort', leave)
    leaveLink()
    leave()
  }
}

/** Whether the message is JetStream's own: a heartbeat or a flow control request. */
function isStatus({ headers }: Msg): boolean {
  return headers?.code === 100
}

/** Reads the number of delivered messages from a heartbeat. */
function lastDelivered({ headers }: Msg): number {
  return Number(headers?.get('Nats-Last-Consumer') || 0)
}

/**
 * Reads the position of a message, in the stream and for this reader.
 * `$JS.ACK.[domain.account.]stream.consumer.times.sequence.delivered.time.pending[.token]`
 */
function readPlace(reply: string | undefined): { sequence: number; delivered: number } | undefined {
  const words = reply?.split('.') ?? []
  const at = words.length >= 11 ? 7 : 5
  const [sequence, delivered] = [Number(words[at]), Number(words[at + 1])]
  return words[0] === '$JS' && sequence > 0 && delivered > 0 ? { sequence, delivered } : undefined
}
