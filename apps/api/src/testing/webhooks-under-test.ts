import { randomUUID } from 'node:crypto'
import { type Clock, systemClock } from '@pairwire/basics'
import { type Bus, createInProcessBus } from '@pairwire/bus'
import { formatCursor, type PlanId, type StreamEvent, type Swap, WRAPPED_SOL } from '@pairwire/contract'
import { readFigures } from '@pairwire/process'
import { createPublicPost } from '@pairwire/public-fetch'
import { expect, onTestFailed, onTestFinished } from 'vitest'
import { WebhookLoop } from '../webhooks/webhook-loop.ts'
import { createApiUnderTest } from './api-under-test.ts'
import { startReceiver } from './webhook-receiver.ts'

type LoopParts = ConstructorParameters<typeof WebhookLoop>[0]

const MINT = '5hXuqzb2PTALbYLXbrxpQjDyJmRS2LnHhHbZH8kCpump'
const WALLET = '7YttLkHDoNj9wyDur5pM1ejNaAvT9X4eqaYcHQqtj2G5'

/** The api with its loop over a bus of the test, on the machine's clock moved ahead by `clock.aheadMs`. */
export async function createWebhooksUnderTest({
  plan = 3,
  bus = createInProcessBus({ maxBytes: 50_000_000 }),
  change = (parts) => parts,
}: Readonly<{
  plan?: PlanId | undefined
  bus?: Bus
  /** What the loop is to have instead. */
  change?: (parts: LoopParts) => LoopParts
}> = {}) {
  const posting = createPublicPost({ own: ['http://localhost:23000'], isLocal: true })
  const under = await createApiUnderTest({ bus, stream: bus, posting, simulated: false })
  const { accounts, app, clock: wall } = under
  const steps = { aheadMs: 0 }
  const clock: Clock = {
    ...systemClock,
    now: () => wall.now,
    elapsed: () => systemClock.elapsed() + steps.aheadMs,
  }
  const open = () =>
    new WebhookLoop(
      change({ accounts, bus, posting, simulated: false, hasPlaces: true, clock, log: under.parts.log }),
    )
  let loop = open()
  const figures = () => readFigures([loop.metrics])()
  loop.start()
  onTestFinished(() => loop.stop())
  onTestFailed(() => console.log(under.logged.join('\n')))

  let slot = 1_000
  const placed = () => ({
    slot: ++slot,
    cursor: formatCursor({ run: 0, slot, transactionIndex: 1, eventIndex: 0 }),
  })
  const aSwap = (change: Partial<Swap> = {}): StreamEvent & { kind: 'swap' } => {
    const { slot, cursor } = placed()
    const swap: Swap = {
      ...{ sourceExchange: 'pumpswap', ammAccount: MINT, baseTokenMint: MINT, quoteTokenMint: WRAPPED_SOL },
      ...{ walletAccount: WALLET, quotePrice: '0.1', usdValue: 50, baseAmount: '1', quoteAmount: '2' },
      ...{ swapType: 'buy', quoteTokenLiquidity: '' },
      ...change,
    }
    return { kind: 'swap', cursor, params: { slot, signature: 's', blockTime: 1_795_000_000, swap } }
  }
  const publish = async (...events: StreamEvent[]) => {
    await bus.publish(events)
    return events.map(({ cursor }) => cursor)
  }
  const swaps = (count: number, change?: Partial<Swap>) =>
    publish(...Array.from({ length: count }, () => aSwap(change)))

  const email = `${randomUUID()}@example.org`
  await accounts.createAccount(email)
  if (plan !== undefined) await accounts.grantPlan(email, plan)
  const { accountId, account } = await accounts.findAccount(email)
  const key = account.user.APIKey
  const call = async (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path = '', payload?: object) => {
    const answer = await app.inject({
      method,
      url: `/v1/webhooks${path}`,
      headers: { 'x-api-key': key },
      ...(payload && { payload }),
    })
    return { status: answer.statusCode, body: answer.json(), headers: answer.headers }
  }
  return {
    ...{ ...under, bus, accountId, key, email, call, publish, swaps, aSwap, placed, wall, steps, posting },
    /** How many endpoints read with the stream. */
    level: async () => (await figures()).pairwire_webhook_level_endpoints,
    /** How many endpoints the loop has. */
    held: async () =>
      Object.entries(await figures())
        .filter(([name]) => name.startsWith('pairwire_webhook_endpoints'))
        .reduce((sum, [, count]) => sum + count, 0),
    /** Ends the loop as a crash does, as far as the database sees it, and begins another. */
    async restartLoop() {
      await loop.stop()
      loop = open()
      loop.start()
    },
    /** An endpoint of a receiver, and the receiver. */
    async anEndpoint(body: object = {}) {
      const receiver = await startReceiver()
      onTestFinished(receiver.stop)
      const created = await call('POST', '', {
        url: receiver.url,
        kind: 'swap',
        params: {},
        maxWaitMs: 0,
        ...body,
      })
      expect(created.status, JSON.stringify(created.body)).toBe(201)
      // The loop of the next test would serve it.
      onTestFinished(() => accounts.deleteWebhook(accountId, created.body.id).catch(() => {}))
      return {
        receiver,
        id: created.body.id as string,
        secret: created.body.secret as string,
        created: created.body,
      }
    },
    /** Not by a call: those are limited. */
    show: async (id: string) => (await accounts.getWebhook(accountId, id)).webhook,
  }
}

/** Looks until a condition holds. */
export const until = (holds: () => unknown, timeout = 20_000) =>
  expect.poll(async () => Boolean(await holds()), { timeout, interval: 20 }).toBe(true)
