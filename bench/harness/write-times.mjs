import { Socket } from 'node:net'
import { now } from './clock.mjs'
import { arrivalsOf } from './websocket.mjs'

/** One client in this many is measured; the others are in a separate process. */
export const ONE_IN = 10

/**
 * Records when the system had accepted the bytes for every tenth socket: on one machine they are then in the client's socket,
 * whenever the client's process reads them.
 */
export function createWriteTimes() {
  const watched = []
  let seen = 0
  let hasBegun = false
  return {
    /** Watches the socket of the next client, if it is one of the measured ones. */
    watch(socket) {
      if (seen++ % ONE_IN !== 0) return
      const chunks = []
      watched.push(chunks)
      socket.write = function (bytes, ...rest) {
        const isTaken = Socket.prototype.write.call(this, bytes, ...rest)
        if (hasBegun) chunks.push([now(), Buffer.from(bytes)])
        return isTaken
      }
    },
    begin() {
      hasBegun = true
    },
    /** What was written: signatures and times, by client. */
    arrivals: () => watched.map((chunks) => arrivalsOf(chunks)),
  }
}
