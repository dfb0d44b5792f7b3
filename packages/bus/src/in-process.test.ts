import { describeBus, SUITE_MAX_BYTES } from './bus.suite.ts'
import { createInProcessBus } from './in-process.ts'

describeBus('in-process', () => createInProcessBus({ maxBytes: SUITE_MAX_BYTES }))
