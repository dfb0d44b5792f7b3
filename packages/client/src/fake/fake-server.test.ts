import { describePromises } from '../promises.suite.ts'
import { createFakeServer } from './fake-server.ts'

describePromises('the fake server', createFakeServer)
