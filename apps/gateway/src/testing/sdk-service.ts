import { systemClock } from '@pairwire/basics'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { createInProcessBus } from '@pairwire/bus'
import type { ServiceUnderTest } from '@pairwire/client/promises'
import {
  formatCursor,
  LAST_PLACE,
  type NotificationEvent,
  type StreamEvent,
  slotOf,
} from '@pairwire/contract'
import * as events from './events.ts'
import { createFakeAccounts, keyNumber } from './fake-accounts.ts'
import { openGateway } from './test-gateway.ts'

/** Rates that no test reaches. */
const NO_RATES = { connectsPerSecondPerKey: 1_000, connectsBurstPerKey: 1_000, resumesPerMinute: 100_000 }

/** A gateway to test the SDK's promises on, in real time. */
export async function startSdkService(): Promise<ServiceUnderTest> {
  const kept = createInProcessBus({ maxBytes: 10_000_000 })
  let forgotten = ''
  let newest = ''
  const bus = {
    ...kept,
    holds: async (cursor: string) => cursor >= forgotten && kept.holds(cursor),
    oldestCursor: async () => forgotten || kept.oldestCursor(),
  }
  const accounts = createFakeAccounts()
  accounts.set('a1', { key: keyNumber(1) })
  const clock = { ...createManualClock(), ...systemClock, advance() {} }
  const stream = await openGateway({ beside: { bus, accounts }, clock, limits: NO_RATES })

  const publish = (event: StreamEvent): string => {
    newest = event.cursor
    void stream.publish(event)
    return newest
  }
  return {
    url: `ws://127.0.0.1:${stream.port}`,
    key: keyNumber(1),
    push({ swap, pair }, { to } = {}) {
      const event = pair ? events.aNewPair(pair) : events.aSwap({ ...swap })
      if (to !== 'processed') return publish(event)
      const early = { ...event, unplaced: true, commitment: 'processed' } as NotificationEvent
      const { signature } = event.params
      const place = { slot: slotOf(event.cursor), source: 0, bank: 1 }
      bus.publishEarly({ kind: 'executed', ...place, signature, events: [early] })
      return null
    },
    block() {
      const event = events.aBlock()
      const { block: slot } = event.params
      return publish({ ...event, cursor: formatCursor({ run: 1, slot, ...LAST_PLACE }) })
    },
    gap() {
      const { cursor, params } = events.aBlock()
      const slots = { fromSlot: params.block, toSlot: params.block }
      publish({ kind: 'gap', cursor, params: { ...slots, cause: 'upstream', resume_from: null } })
    },
    cut() {
      for (const socket of stream.sockets) socket.destroy()
    },
    disconnect: () => void bus.sendControl({ type: 'disconnect', accountId: 'a1' }),
    forget() {
      forgotten = newest
    },
    stop: () => stream.close(),
  }
}
