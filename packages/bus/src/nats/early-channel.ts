import { isObject, type Log, readObject } from '@pairwire/basics'
import type { EarlyMessage } from '@pairwire/contract'
import { callAll, register } from '../listeners.ts'
import type { NatsLink } from './nats-link.ts'

/** Milliseconds between two announcements of a listener, and for which one is valid. */
const SAY_EVERY_MS = 500
const WANTED_FOR_MS = 2_500

/**
 * Opens the channel of early events, which bypasses the stream: none is kept, and a gateway that misses some gets them
 * with their block. Listeners announce themselves, and publishers send nothing without any.
 */
export function openEarlyChannel(
  { connection }: Pick<NatsLink, 'connection'>,
  subject: string,
  log: Pick<Log, 'warn'>,
) {
  const wanted = `${subject}.wanted`
  const listeners = new Set<(message: EarlyMessage) => void>()
  let wantedUntil = Number.NEGATIVE_INFINITY
  let isHearing = false
  let stopListening: (() => void) | undefined

  const hear = () => {
    isHearing = true
    connection.subscribe(wanted, {
      callback: (error) => {
        if (!error) wantedUntil = performance.now() + WANTED_FOR_MS
      },
    })
  }

  const take = (text: string) => {
    const message = readEarlyMessage(text)
    try {
      if (message) callAll(listeners, message)
    } catch (error) {
      log.warn('A listener failed on early events.', { error: String(error) })
    }
  }

  const startListening = () => {
    const subscription = connection.subscribe(subject, {
      callback: (error, message) => {
        if (!error) take(message.string())
      },
    })
    const say = () => {
      if (!connection.isClosed()) connection.publish(wanted)
    }
    say()
    const saying = setInterval(say, SAY_EVERY_MS)
    saying.unref()
    return () => {
      clearInterval(saying)
      subscription.unsubscribe()
    }
  }

  return {
    send(message: EarlyMessage) {
      if (!connection.isClosed()) connection.publish(subject, JSON.stringify(message))
    },
    /** Whether a listener has announced itself recently. */
    isWanted() {
      if (!isHearing) hear()
      return performance.now() < wantedUntil
    },
    listen(listener: (message: EarlyMessage) => void) {
      stopListening ??= startListening()
      const leave = register(listeners, listener)
      return () => {
        leave()
        if (listeners.size > 0) return
        stopListening?.()
        stopListening = undefined
      }
    },
    close() {
      listeners.clear()
      stopListening?.()
      stopListening = undefined
    },
  }
}

/** Parses a message of another process of the same release; undefined for other text. */
function readEarlyMessage(text: string): EarlyMessage | undefined {
  const read = readObject(text)
  if (!read) return undefined
  const { kind, slot, source, bank, signature, events } = read
  if (typeof slot !== 'string' || typeof source !== 'number' || typeof bank !== 'number') return undefined
  if (kind === 'died') return { kind, slot, source, bank }
  if (kind !== 'executed' || typeof signature !== 'string' || !Array.isArray(events)) return undefined
  return events.every(isEvent) ? { kind, slot, source, bank, signature, events } : undefined
}

function isEvent(value: unknown): boolean {
  if (!isObject(value)) return false
  const { kind, cursor, params } = value
  const isKnown = kind === 'swap' || kind === 'newPair'
  return isKnown && typeof cursor === 'string' && isObject(params)
}
