import { createServer } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { type Clock, systemClock } from '@pairwire/basics'
import { createManualClock } from '@pairwire/basics/testing/manual-clock'
import { createInProcessBus } from '@pairwire/bus'
import type { ServiceUnderTest } from '@pairwire/client/promises'
import {
  formatCursor,
  LAST_PLACE,
  type NotificationEvent,
  planById,
  type StreamEvent,
  slotOf,
} from '@pairwire/contract'
import { takeUpgrades } from '../door/upgrade-request.ts'
import * as events from './events.ts'
import { createFakeAccounts, keyNumber } from './fake-accounts.ts'
import { blocksFrom, createFakeArchive, hourAt } from './fake-archive.ts'
import type { TestClient } from './test-client.ts'
import { openGateway } from './test-gateway.ts'

/** Speed-up for what takes seconds. */
const FAST = 10

const fastClock: Clock = {
  now: systemClock.now,
  elapsed: () => systemClock.elapsed() * FAST,
  after: (ms, callback) => systemClock.after(ms / FAST, callback),
  wait: (ms, signal) => systemClock.wait(ms / FAST, signal),
}

/** Connection rates that no test reaches, and other limits that a test can reach soon. */
const LIMITS = {
  ...{ connectsPerSecondPerKey: 1_000, connectsBurstPerKey: 1_000, resumesPerMinute: 100_000 },
  ...{ requestsPerSecond: 0.5, requestsBurst: 20, aheadMs: 100, outboxMaxBytes: 16_384 },
}

/** Connections of the account, and the hour that it has bought. */
const CONNECTIONS = 10
const HOUR = hourAt(13)

/** A gateway to test the SDK's promises on, ten times as fast as real time. */
export async function startSdkService(): Promise<ServiceUnderTest> {
  const kept = createInProcessBus({ maxBytes: 10_000_000 })
  let forgotten = ''
  let newest = ''
  const bus = {
    ...kept,
    holds: async (cursor: string) => cursor >= forgotten && kept.holds(cursor),
    oldestCursor: async () => forgotten || kept.oldestCursor(),
    // It outlives each gateway.
    close: async () => {},
  }
  const accounts = createFakeAccounts()
  const archive = createFakeArchive(kept, 3)
  accounts.bought.add(`a1 ${HOUR}`)
  const clock = { ...createManualClock(), ...fastClock, advance() {} }
  const open = () => openGateway({ beside: { bus, accounts }, clock, limits: LIMITS })
  let stream = await open()
  const server = createServer()
  takeUpgrades(server, (...upgrade) => stream.gateway.handleUpgrade(...upgrade))
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  const publish = (event: StreamEvent): string => {
    newest = event.cursor
    void stream.publish(event)
    return newest
  }
  let occupant: TestClient | undefined
  const reopen = () => {
    occupant?.socket.terminate()
    accounts.set('a1', { key: keyNumber(1), planId: 3, connectionLimit: CONNECTIONS })
    accounts.before = async () => {}
    archive.isAway = false
  }
  reopen()
  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
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
      for (const socket of sockets) socket.destroy()
    },
    disconnect: () => void bus.sendControl({ type: 'disconnect', accountId: 'a1' }),
    forget() {
      forgotten = newest
    },
    async restart() {
      const old = stream
      stream = await open()
      await old.close()
    },
    async outrun() {
      const slow = () => stream.gateway.stats().ended.slowConsumer ?? 0
      const before = slow()
      const cursors: string[] = []
      for (const socket of sockets) socket.cork()
      while (slow() === before) {
        cursors.push(publish(events.aSwap()))
        await turn()
      }
      for (const socket of sockets) socket.uncork()
      return [...cursors, publish(events.aSwap())]
    },
    silence() {
      for (const socket of sockets) socket.pause()
    },
    async shut(door) {
      if (door === 'limit') {
        accounts.set('a1', { connectionLimit: 1 })
        occupant = await stream.connect()
      } else if (door === 'plan') accounts.set('a1', { planId: null })
      else if (door === 'archive') archive.isAway = true
      else accounts.before = () => Promise.reject(new Error('The accounts are away.'))
    },
    reopen,
    record() {
      const recorded = blocksFrom(HOUR, { count: 5, swaps: 2 })
      archive.hours.set(HOUR, recorded)
      const cursors = recorded.filter(({ kind }) => kind === 'swap').map(({ cursor }) => cursor)
      return { replay: { from: '2026-11-19T13:00:00Z', to: '2026-11-19T13:00:10Z' }, cursors }
    },
    leaveOne() {
      accounts.set('a1', { planId: 1 })
      const count = planById(1)!.swapEventsPerPeriod! - 1
      const day = '2026-11-01'
      accounts.recorded.push({
        ...{ accountId: 'a1', planInForceId: 'paid', period: day, day, kind: 'buy', count },
      })
    },
    endPlan: (inMs) => accounts.set('a1', { endsAt: new Date(Date.now() + inMs) }),
    async stop() {
      await stream.close()
      await kept.close()
      server.closeAllConnections()
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
