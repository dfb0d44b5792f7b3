import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { inCi } from '@pairwire/basics/testing/in-ci'
import { createInProcessBus, openEventStore } from '@pairwire/bus'
import { MINUTE_MS } from '@pairwire/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createWebhooksUnderTest, until } from '../testing/webhooks-under-test.ts'

/** Bytes of the heap that are in use. */
function heapUsed(): number {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  return process.memoryUsage().heapUsed
}

describe('an outage of an hour', () => {
  it('is waited for in the kept stream, not in memory: then all comes in order, each once, one message at a time', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pairwire-outage-'))
    const log = { info() {}, warn() {} }
    const retention = { milliseconds: 86_400_000, bytes: 1_000_000_000 }
    const store = await openEventStore({ folder, source: 'chain', retention, now: Date.now, log })
    const bus = createInProcessBus({ maxBytes: 500_000, store })
    onTestFinished(async () => {
      await bus.close()
      rmSync(folder, { recursive: true })
    })
    const under = await createWebhooksUnderTest({ bus })
    const { anEndpoint, swaps, show, accountId, wall } = under
    await swaps(1)
    const { receiver, id } = await anEndpoint({ maxEvents: 100 })
    let [open, mostOpen] = [0, 0]
    let isDown = true
    receiver.answer = async () => {
      mostOpen = Math.max(mostOpen, ++open)
      await new Promise(setImmediate)
      open--
      return isDown ? 503 : 200
    }
    const sent: (string | undefined)[] = []
    const passMinute = async () => {
      wall.now += MINUTE_MS
      await bus.sendControl({ type: 'planChanged', accountId })
    }
    const minutes = async (count: number) => {
      for (let minute = 0; minute < count; minute++) {
        for (let second = 0; second < 4; second++) sent.push(...(await swaps(inCi(250, 50))))
        await passMinute()
        // More at once would overflow what the store keeps until it is written.
        await store.settled()
      }
    }
    await minutes(20)
    const before = heapUsed()
    const early = sent.length
    await minutes(40)
    const grown = heapUsed() - before

    // A cursor of each is here; an event takes some 1,000 bytes.
    expect(grown / (sent.length - early)).toBeLessThan(400)
    expect((await show(id)).behindMs).toBeGreaterThan(55 * MINUTE_MS)
    expect(new Set(receiver.got.map((post) => post.id)).size).toBe(1)
    isDown = false
    receiver.got.length = 0
    await until(async () => receiver.cursors().length >= sent.length || (await passMinute()), 120_000)

    expect(receiver.cursors()).toEqual(sent)
    expect(mostOpen).toBe(1)
    expect(receiver.got.map((post) => Number(post.id.split('_').at(-1)))).toEqual(
      receiver.got.map((_post, at) => at + 1),
    )
    await until(async () => (await show(id)).behindMs === 0)
  }, 180_000)
})

describe('a filter that matches once a week', () => {
  /** A bus that keeps some fifty swaps, and a loop that notes places all the time. */
  const createQuiet = () =>
    createWebhooksUnderTest({
      bus: createInProcessBus({ maxBytes: 50_000 }),
      change: ({ clock, ...parts }) => ({
        ...parts,
        clock: { ...clock, after: (ms, call) => clock.after(ms === 10_000 ? 20 : ms, call) },
      }),
    })
  type Quiet = Awaited<ReturnType<typeof createQuiet>>

  /** Passes swaps that it does not want until none of those before are kept. */
  const passWeek = async ({ swaps, accounts, accountId, wall, bus }: Quiet, id: string) => {
    const oldest = (await bus.oldestCursor())!
    for (let day = 0; day < 7; day++) {
      const last = (await swaps(30)).at(-1)!
      wall.now += 24 * 60 * MINUTE_MS
      await until(async () => (await accounts.getWebhook(accountId, id)).row.place >= last)
    }
    expect(await bus.holds(oldest)).toBe(false)
  }

  it('meets no gap when the kept stream has rolled over, also in another process: its place moved on', async () => {
    const quiet = await createQuiet()
    const { anEndpoint, swaps, show, restartLoop } = quiet
    await swaps(1)
    const { receiver, id } = await anEndpoint({ params: { include: { usdValue: 1_000 } } })
    const wanted: (string | undefined)[] = []
    for (let week = 0; week < 3; week++) {
      await passWeek(quiet, id)
      if (week > 0) await restartLoop()
      expect((await show(id)).behindMs).toBe(0)
      wanted.push(...(await swaps(1, { usdValue: 1_000 })))
      await until(() => receiver.got.length === week + 1)
    }

    expect(receiver.cursors()).toEqual(wanted)
  })

  it('that is paused meanwhile gets one gap, then goes on from the oldest that is kept', async () => {
    const quiet = await createQuiet()
    const { anEndpoint, swaps, call } = quiet
    const [first] = await swaps(1)
    const { receiver, id } = await anEndpoint({ params: { include: { usdValue: 1_000 } } })
    const other = await anEndpoint({ params: { include: { usdValue: 1_000 } } })
    await call('POST', `/${id}/pause`)
    await swaps(1, { usdValue: 1_000 })
    await passWeek(quiet, other.id)
    const [wanted] = await swaps(1, { usdValue: 1_000 })
    await call('POST', `/${id}/resume`)
    await until(() => receiver.cursors().includes(wanted))

    expect(receiver.got.map(({ body }) => body.type)).toEqual(['gap', 'swap'])
    const { params } = receiver.got[0]!.body.data.events[0]!
    expect(params).toMatchObject({ cause: 'too_old' })
    expect(params.fromSlot).toBeLessThanOrEqual(Number(first!.split('-')[1]) + 1)
    expect(receiver.got[1]!.body.data.events).toHaveLength(1)
  })
})
