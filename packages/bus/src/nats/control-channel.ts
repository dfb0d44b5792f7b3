import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { DeliverPolicy } from '@nats-io/jetstream'
import { nanos } from '@nats-io/nats-core'
import { BoundedMap, type Log, readObject, within } from '@pairwire/basics'
import { ControlMessage } from '@pairwire/contract'
import { callAll, register } from '../listeners.ts'
import { followStream } from './follow-stream.ts'
import type { NatsLink } from './nats-link.ts'
import { openStream } from './slot-stream.ts'

/** Milliseconds that a control message is kept: gateways read accounts again by themselves long before. */
const KEPT_MS = 600_000

/** Most messages kept, and most that wait. */
const MAX_MESSAGES = 100_000
const MAX_WAITING = 10_000

/** Milliseconds that a sender waits, and before a failed attempt is retried. */
const SEND_LIMIT_MS = 1_000
const RETRY_MS = 250

/** Ids of delivered messages that are remembered: a stream that lost its tail may repeat them. */
const IDS_KNOWN = 10_000

/** The header by which JetStream identifies a message. */
const ID = 'Nats-Msg-Id'

/**
 * Sends control messages over their own stream, so that a process that was briefly away gets them too. Pair updates and
 * the rates that gateways have spent bypass it, each on its own subject, and only reach processes that listen: a login
 * that may write these may not end connections.
 *
 * Only messages sent from now on are received. A process that `makes` its stream does so whenever there is none.
 */
export async function openControlChannel(
  link: NatsLink,
  { name, subject, makes }: Readonly<{ name: string; subject: string; makes: boolean }>,
  log: Pick<Log, 'warn'>,
) {
  const { connection, js, jsm } = link
  const passing = `${subject}.passing`
  const config = {
    subjects: [subject],
    max_age: nanos(KEPT_MS),
    max_msgs: MAX_MESSAGES,
    duplicate_window: nanos(KEPT_MS),
  }
  const stateNow = await openStream(jsm, name, config, makes)

  const listeners = new Set<(message: ControlMessage) => void>()
  const abort = new AbortController()
  const waiting: { id: string; message: ControlMessage; sent: () => void }[] = []
  let isSending = false
  let sequence = (await stateNow()).last_seq
  const known = new BoundedMap<string, true>(IDS_KNOWN)

  const sendAll = async () => {
    if (isSending) return
    isSending = true
    let hasFailed = false
    for (let next = waiting[0]; next && !abort.signal.aborted; next = waiting[0]) {
      try {
        await link.whenUp()
        await js.publish(subject, JSON.stringify(next.message), { msgID: next.id })
        next.sent()
        if (waiting[0] === next) waiting.shift()
      } catch (error) {
        if (abort.signal.aborted) break
        if (!hasFailed) log.warn('A control message does not reach NATS; retrying.', { error: String(error) })
        hasFailed = true
        await wait(RETRY_MS)
      }
    }
    isSending = false
  }

  const takeOnce = (id: string, text: string) => {
    if (known.has(id)) return
    known.set(id, true)
    take(text)
  }

  /** `only` is the one type allowed on this subject. */
  const take = (text: string, only?: string) => {
    const message = ControlMessage.safeParse(readObject(text)).data
    if (!message || (only !== undefined && message.type !== only)) {
      log.warn('A control message that is not ours is left out.')
      return
    }
    try {
      callAll(listeners, message)
    } catch (error) {
      log.warn('A listener failed on a control message.', { error: String(error) })
    }
  }

  const follow = async () => {
    let hasFailed = false
    while (!abort.signal.aborted) {
      try {
        await link.whenUp()
        const { last_seq: last } = await stateNow()
        // It lost its tail: messages since then are found by time, and known ids are skipped.
        const from =
          last < sequence
            ? { deliver_policy: DeliverPolicy.StartTime, opt_start_time: new Date(startedAt).toISOString() }
            : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: sequence + 1 }
        await followStream(link, name, from, abort.signal, (message, place) => {
          sequence = place.sequence
          takeOnce(message.headers?.get(ID) ?? '', message.string())
        })
        hasFailed = false
      } catch (error) {
        if (abort.signal.aborted) return
        if (!hasFailed)
          log.warn('Control messages cannot be read from NATS; retrying.', { error: String(error) })
        hasFailed = true
      }
      await wait(RETRY_MS)
    }
  }
  const startedAt = Date.now()
  let isListening = false
  const startListening = () => {
    if (isListening) return
    isListening = true
    void follow()
    connection.subscribe(`${passing}.*`, {
      callback: (error, message) => {
        if (!error) take(message.string(), message.subject.slice(passing.length + 1))
      },
    })
  }
  if (makes) startListening()

  return {
    /** Resolves once NATS has it, or has not taken it at once; then it is sent when NATS is back. */
    async send(message: ControlMessage): Promise<void> {
      if (message.type === 'pairUpdate' || message.type === 'spent') {
        // A disconnected client would buffer all of them.
        if (link.isUp()) connection.publish(`${passing}.${message.type}`, JSON.stringify(message))
        return
      }
      const isSent = new Promise<void>((resolve) => {
        waiting.push({ id: randomUUID(), message, sent: resolve })
      })
      // Gateways read accounts again by themselves; the newest messages matter most.
      while (waiting.length > MAX_WAITING) waiting.shift()
      void sendAll()
      await within(SEND_LIMIT_MS, isSent)
    },

    listen(listener: (message: ControlMessage) => void) {
      startListening()
      return register(listeners, listener)
    },

    close() {
      abort.abort()
      listeners.clear()
      for (const { sent } of waiting) sent()
    },
  }
}
