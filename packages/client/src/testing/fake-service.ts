import { aSwap } from '../fake/fake-events.ts'
import { createFakeServer } from '../fake/fake-server.ts'
import type { ServiceUnderTest } from './harness.ts'

/** How the fake server refuses. */
const DOORS = { limit: 'limit', plan: 'plan', accounts: 503, archive: 'REPLAY_AWAY' } as const

/** A fake server to test the SDK's promises on. */
export async function startFakeService(): Promise<ServiceUnderTest> {
  const server = await createFakeServer()
  const close = server.close.bind(server)
  return Object.assign(server, {
    // A frame without a code is what a client reads as 1005.
    close: (code: number, reason: string) => close(code === 1005 ? (undefined as never) : code, reason),
    disconnect: () => close(4009, 'You disconnected it.'),
    restart: () => close(1001, 'The service restarts.'),
    outrun() {
      const before = [server.push(aSwap()), server.push(aSwap())]
      close(4008, 'Your client read too slowly.')
      return [...before, server.push(aSwap())]
    },
    silence: () => server.hold(),
    shut: (door: keyof typeof DOORS) => server.refuse(DOORS[door]),
    reopen: () => server.release(),
    record: () => ({
      replay: { from: '2026-11-19T13:00:00Z' },
      cursors: [server.push(aSwap()), server.push(aSwap())],
    }),
  })
}
