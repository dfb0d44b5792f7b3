import { StreamsWanted } from '@pairwire/contract'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { aSwap } from '../testing/events.ts'
import { openGateway, type TestGateway } from '../testing/test-gateway.ts'

const NOON = Date.UTC(2026, 10, 20, 12)

describe('connections, for their account', () => {
  let stream: TestGateway
  beforeEach(async () => {
    stream = await openGateway({ clientAddress: () => '192.0.2.7' })
  })
  afterEach(() => stream.close())

  /** Lets answers of the accounts, which are promises, take effect. */
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  /** The notes so far, a second later. */
  const notes = async () => {
    stream.clock.advance(1_000)
    await settle()
    return stream.accounts.noted
  }
  /** Waits until the gateway holds no connection. */
  const untilGone = async () => {
    while (stream.gateway.stats().connections > 0) await settle()
  }

  it('are listed with address, client, subscriptions, what was sent, and the last sign of life', async () => {
    const client = await stream.connect(1, { headers: { 'User-Agent': 'bot/1.2 (\u00e9\t)' } })
    stream.clock.advance(3_000)
    await client.ask({ id: 1, method: 'swapSubscribe' })
    await stream.publish(aSwap(), aSwap())
    stream.clock.advance(4_000)

    expect(await stream.gateway.openConnections('a1')).toEqual([
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        address: '192.0.2.7',
        client: 'bot/1.2 ()',
        connectedAt: NOON,
        lastSeenAt: NOON + 3_000,
        subscriptions: [{ id: 1, kind: 'swap' }],
        sentEvents: 2,
        sentBytes: expect.any(Number),
        queuedBytes: 0,
      },
    ])
    expect(await stream.gateway.openConnections('a2')).toEqual([])
  })

  it('of all accounts are listed for the operator, those that stand highest in the sort order, as many as wanted', async () => {
    stream.accounts.set('a1', { connectionLimit: 2 })
    const first = await stream.connect(1)
    stream.clock.advance(1_000)
    const second = await stream.connect(2)
    stream.clock.advance(1_000)
    const third = await stream.connect(1)
    for (const client of [second, third]) await client.ask({ id: 1, method: 'latestBlockSubscribe' })
    await third.ask({ id: 1, method: 'swapUnsubscribe', params: { subscription_id: 9 } })
    await first.ask({ id: 2, method: 'nonsense' })
    await first.ask({ id: 3, method: 'nonsense' })
    const list = async (wanted: object) => {
      const rows = await stream.gateway.listConnections(StreamsWanted.parse(wanted))
      return rows.map(({ accountId, connectedAt, faults }) => [accountId, connectedAt - NOON, faults])
    }

    expect(await list({ sort: 'age' })).toEqual([
      ['a1', 0, 2],
      ['a2', 1_000, 0],
      ['a1', 2_000, 1],
    ])
    expect((await list({ sort: 'faults', limit: 2 })).map(([, , faults]) => faults)).toEqual([2, 1])
    expect(await list({ sort: 'sent', accountId: 'a2' })).toEqual([['a2', 1_000, 0]])
  })

  it('are listed in several turns of the loop, between which the stream goes on', async () => {
    const limits = { connectsPerSecondPerAddress: 1_000, connectsBurstPerKey: 1_000 }
    await stream.close()
    stream = await openGateway({ limits })
    stream.accounts.set('a1', { connectionLimit: 101 })
    for (let count = 0; count < 101; count++) await stream.connect(1)
    let isOtherWorkDone = false

    setImmediate(() => (isOtherWorkDone = true))
    const listed = await stream.gateway.listConnections(StreamsWanted.parse({}))

    expect(listed).toHaveLength(50)
    expect(isOtherWorkDone).toBe(true)
  })

  it('leave in their record how often requests were refused, by error type', async () => {
    const client = await stream.connect(1)
    await client.ask({ id: 1, method: 'nonsense' })
    await client.ask({ id: 2, method: 'swapUnsubscribe', params: { subscription_id: 9 } })
    client.socket.close(1000)
    await client.closed
    await untilGone()
    await stream.gateway.openConnections('a1')

    expect(stream.accounts.noted.at(-1)?.faults).toEqual({ UNKNOWN_METHOD: 1, UNKNOWN_SUBSCRIPTION: 1 })
  })

  it('that were refused are counted for their account', async () => {
    stream.accounts.set('a1', { planId: null })
    await stream.connect(1).catch(() => {})
    await stream.gateway.openConnections('a1')

    expect(stream.accounts.refused).toMatchObject([{ accountId: 'a1', refusal: 'noPlan', count: 1 }])
  })

  it('are returned once the ends of the others are recorded, so that none seems to have died with its gateway', async () => {
    stream.accounts.set('a1', { connectionLimit: 2 })
    const left = await stream.connect()
    left.socket.close(1000)
    await left.closed
    await untilGone()
    expect(await stream.gateway.openConnections('a1')).toEqual([])
    expect(stream.accounts.noted).toMatchObject([{ ended: 'client' }])

    await stream.connect()
    await stream.bus.sendControl({ type: 'disconnect', accountId: 'a1' })
    expect(await stream.gateway.openConnections('a1')).toEqual([])
    expect(stream.accounts.noted.at(-1)).toMatchObject({ ended: 'disconnected' })
  })

  it('are returned within a second even when nothing can be recorded', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    stream.accounts.before = async (call) => {
      if (call === 'recordConnections') await held
    }
    await stream.connect()

    const told = stream.gateway.openConnections('a1')
    stream.clock.advance(1_000)

    expect(await told).toHaveLength(1)
    release()
  })

  it('are closed one at a time, with 4009, which may also be an operator’s act', async () => {
    stream.accounts.set('a1', { connectionLimit: 2 })
    const first = await stream.connect()
    const second = await stream.connect()
    const [{ id } = { id: '' }] = await stream.gateway.openConnections('a1')

    await stream.bus.sendControl({ type: 'closeConnection', accountId: 'a1', connectionId: id })

    expect(await first.closed).toEqual({
      code: 4009,
      reason: 'Disconnected by the account or by an operator.',
    })
    expect(await second.ask({ id: 1, method: 'ping' })).toMatchObject({ id: 1, result: 'pong' })
  })

  it('can be closed only by their own account', async () => {
    const client = await stream.connect()
    const [{ id } = { id: '' }] = await stream.gateway.openConnections('a1')

    await stream.bus.sendControl({ type: 'closeConnection', accountId: 'a2', connectionId: id })

    expect(await client.ask({ id: 1, method: 'ping' })).toMatchObject({ id: 1, result: 'pong' })
  })

  it('are recorded when they open, each minute, and when and how they end', async () => {
    const client = await stream.connect()
    const [opened] = await notes()
    expect(opened).toMatchObject({
      accountId: 'a1',
      address: '192.0.2.7',
      openedAt: new Date(NOON),
      seenAt: new Date(NOON),
      closedAt: null,
      ended: null,
    })

    stream.clock.advance(30_000)
    client.send({ method: 'ping' })
    await client.untilPong()
    stream.clock.advance(31_000)
    expect((await notes()).at(-1)).toMatchObject({ id: opened?.id, closedAt: null })
    expect(stream.accounts.noted.at(-1)?.seenAt.getTime()).toBeGreaterThan(NOON + 59_000)

    client.socket.close(1000)
    await client.closed
    await untilGone()
    expect((await notes()).at(-1)).toMatchObject({
      id: opened?.id,
      closedAt: expect.any(Date),
      ended: 'client',
    })
  })

  it('end no earlier than they began, even if the clock was set back', async () => {
    const client = await stream.connect()
    stream.clock.step(-60_000)
    client.socket.close(1000)
    await client.closed
    await untilGone()

    expect((await notes()).at(-1)).toMatchObject({ openedAt: new Date(NOON), closedAt: new Date(NOON) })
  })

  it("end as lost without a close frame, and otherwise with the gateway's reason", async () => {
    const broken = await stream.connect()
    broken.socket.terminate()
    await untilGone()
    expect((await notes()).at(-1)?.ended).toBe('lost')

    const sent = await stream.connect(2)
    await stream.bus.sendControl({ type: 'disconnect', accountId: 'a2' })
    await sent.closed
    await untilGone()
    expect((await notes()).at(-1)).toMatchObject({ accountId: 'a2', ended: 'disconnected' })
  })

  it('keep the latest note of each while the accounts are away', async () => {
    stream.accounts.before = async (call) => {
      if (call === 'recordConnections') throw new Error('database away')
    }
    const client = await stream.connect()
    await notes()
    client.socket.close(1000)
    await client.closed
    await untilGone()
    await notes()
    expect(stream.accounts.noted).toEqual([])

    stream.accounts.before = async () => {}
    expect(await notes()).toMatchObject([{ accountId: 'a1', ended: 'client' }])
  })

  it('that are open when the gateway closes are recorded as ended by the restart', async () => {
    const client = await stream.connect()

    await stream.close()

    expect(await client.closed).toMatchObject({ code: expect.any(Number) })
    expect(stream.accounts.noted.at(-1)).toMatchObject({ ended: 'restart', closedAt: expect.any(Date) })
  })
})
