import { describePromises } from '@pairwire/client/promises'
import { WebSocket } from 'ws'
import { startSdkService } from './testing/sdk-service.ts'

describePromises('gateway', '', startSdkService, WebSocket)
// From Node 22 on.
if (globalThis.WebSocket)
  describePromises('gateway', ', with the runtime’s own class', startSdkService, globalThis.WebSocket)
