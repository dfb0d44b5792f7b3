import { describePromises } from '@pairwire/client/promises'
import { startSdkService } from './testing/sdk-service.ts'

describePromises('the gateway', startSdkService)
