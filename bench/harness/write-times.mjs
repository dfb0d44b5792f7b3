import { Socket } from 'node:net'
import { now } from './clock.mjs'
import { arrivalsOf } from './websocket.mjs'

/** One client in so many is looked at; the others are a process of their own. */
export const ONE_IN = 10

/**
 * Notes when the system had taken what was written to every tenth socket: on one machine that is when it lies in the
 * client's socket, whenever the client's process comes to read it.
 */
export function createWriteTimes() {
  const watched = []
  let seen = 0
  let hasBegun = false
  return {
    /** Looks at the socket of the next client, if it is one of those. */
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
