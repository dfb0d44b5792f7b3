import { WebSocket } from 'ws'
import { platform } from '../platform.ts'
import { describePromises } from '../promises.suite.ts'
import { startFakeService } from '../testing/fake-service.ts'

describePromises('fake', '', startFakeService, WebSocket)
const Class = await platform.findWebSocket()
if (Class) describePromises('fake', ', with the runtime’s own class', startFakeService, Class)
