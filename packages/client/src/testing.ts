export { aNewPair, aSwap, type FakeEvent } from './fake/fake-events.ts'
export { createFakeServer, type FakeServer } from './fake/fake-server.ts'
