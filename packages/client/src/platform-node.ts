import { type Platform, platform } from './platform.ts'
import type { WebSocketClass } from './socket.ts'
import { openNodeSocket } from './socket-node.ts'

/** Node: the `ws` package if installed, since only it can pause and send headers; else the global class. */
export const nodePlatform: Platform = {
  ...platform,
  openSocket: openNodeSocket,
  async findWebSocket() {
    try {
      const { WebSocket } = await import('ws')
      return WebSocket satisfies WebSocketClass
    } catch {
      return platform.findWebSocket()
    }
  },
}
