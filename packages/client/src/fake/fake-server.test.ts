import { WebSocket } from 'ws'
import { platform } from '../platform.ts'
import { describePromises } from '../promises.suite.ts'
import { createFakeServer } from './fake-server.ts'

const start = async () => {
  const server = await createFakeServer()
  return Object.assign(server, { disconnect: () => server.close(4009, 'You disconnected it.') })
}

describePromises('the fake server', start, WebSocket)
const Class = await platform.findWebSocket()
if (Class) describePromises('the fake server, with the runtime’s own class', start, Class)
