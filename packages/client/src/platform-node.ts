import { type Platform, platform, type WebSocketClass } from './platform.ts'

/** Node: the `ws` package if installed, since only it can pause and send headers; else the global class. */
export const nodePlatform: Platform = {
  ...platform,
  async findWebSocket() {
    try {
      const { WebSocket } = await import('ws')
      return WebSocket satisfies WebSocketClass
    } catch {
      return platform.findWebSocket()
    }
  },
}
