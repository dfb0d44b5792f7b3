import { describePromises } from '@pairwire/client/promises'
import { WebSocket } from 'ws'
import { startSdkService } from './testing/sdk-service.ts'

describePromises('the gateway', startSdkService, WebSocket)
// Since Node 22.
if (globalThis.WebSocket)
  describePromises('the gateway, by the runtime’s own class', startSdkService, globalThis.WebSocket)
