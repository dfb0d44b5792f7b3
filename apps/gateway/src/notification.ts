import { NOTIFICATION_METHODS, type StreamEvent } from '@pairwire/contract'
import { framePayload } from './framing.ts'

/** An event on its way out. Its JSON is made at most once, its frame once per distinct subscription id. */
export type OutgoingEvent = Readonly<{
  event: StreamEvent
  /** The frame for a subscription with this id; shared, so never to be written to. */
  frame(subscriptionId: number): Buffer
}>

/** Prepares an event; nothing is encoded until a frame is asked for. */
export function createOutgoingEvent(event: StreamEvent): OutgoingEvent {
  const frames: (Buffer | undefined)[] = []
  const sparse = new Map<number, Buffer>()
  let body: Buffer | undefined

  const encode = (subscriptionId: number) => {
    body ??= Buffer.from(
      `,"method":"${NOTIFICATION_METHODS[event.kind]}","params":${JSON.stringify(event.params)},"cursor":"${event.cursor}"}`,
    )
    return framePayload(Buffer.from(`{"subscription_id":${subscriptionId}`, 'latin1'), body)
  }

  return {
    event,
    frame(subscriptionId) {
      if (subscriptionId < DENSE_IDS) {
        frames[subscriptionId] ??= encode(subscriptionId)
        return frames[subscriptionId]
      }
      let frame = sparse.get(subscriptionId)
      if (!frame) {
        frame = encode(subscriptionId)
        sparse.set(subscriptionId, frame)
      }
      return frame
    },
  }
}

/** Ids below it are kept in an array: nearly all connections have three subscriptions or fewer in their life. */
const DENSE_IDS = 16
