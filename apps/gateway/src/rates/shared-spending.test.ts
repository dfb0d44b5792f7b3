import { afterEach, describe, expect, it } from 'vitest'
import type { GatewayLimits } from '../limits.ts'
import { aSwap } from '../testing/events.ts'
import type { TestClient } from '../testing/test-client.ts'
import { openGateway, type TestGateway } from '../testing/test-gateway.ts'

const EXCHANGE_MS = 250

describe('the rates of an account at two gateways of a deployment', () => {
  let one: TestGateway
  let two: TestGateway
  const open = async (limits: Partial<GatewayLimits> = {}) => {
    one = await openGateway({ limits })
    two = await openGateway({ limits, beside: one, clock: one.clock })
  }
  afterEach(() => Promise.all([one.close(), two.close()]))
  const turn = () => new Promise(setImmediate)

  /** Sends pings; returns how many are answered and not refused. */
  const ping = async (client: TestClient, times: number): Promise<number> => {
    for (let id = 1; id <= times; id++) client.send({ id, method: 'ping' })
    const answers = await Promise.all(Array.from({ length: times }, () => client.next()))
    return answers.filter(({ result }) => result === 'pong').length
  }

  it('are one rate: what is sent to one gateway cannot be sent to the other', async () => {
    await open()
    const [here, there] = [await one.connect(1), await two.connect(1)]

    expect(await ping(here, 110)).toBe(100)
    one.clock.advance(EXCHANGE_MS)

    expect(await ping(there, 10)).toBe(0)
    one.clock.advance(1_000)
    expect(await ping(there, 30)).toBe(20)
  })

  it('allow 20 requests a second in the long run, wherever they are sent', async () => {
    await open()
    const [here, there] = [await one.connect(1), await two.connect(1)]
    await ping(here, 100)
    one.clock.advance(EXCHANGE_MS)

    let answered = 0
    for (let turn = 0; turn < 40; turn++) {
      answered += (await ping(here, 10)) + (await ping(there, 10))
      one.clock.advance(EXCHANGE_MS)
    }

    expect(answered).toBeGreaterThan(180)
    expect(answered).toBeLessThanOrEqual(220)
  })

  it('are separate for each account', async () => {
    await open()
    const [here, there] = [await one.connect(1), await two.connect(2)]

    await ping(here, 110)
    one.clock.advance(EXCHANGE_MS)

    expect(await ping(there, 100)).toBe(100)
  })

  it('count connects with a key together', async () => {
    await open()
    for (let connects = 0; connects < 10; connects++) (await one.connect(1)).socket.terminate()
    while (one.gateway.stats().connections > 0) await turn()
    one.clock.advance(EXCHANGE_MS)

    await expect(two.connect(1)).rejects.toMatchObject({ status: 429 })
    await two.connect(2)
    one.clock.advance(1_000)
    await two.connect(1)
  })

  it('count resumed connections together', async () => {
    await open({ connectsPerSecondPerAddress: 1_000, connectsBurstPerKey: 1_000 })
    const event = aSwap()
    await one.publish(event)
    const resume = { id: 1, method: 'swapSubscribe', params: { resume_from: event.cursor } }
    for (let count = 0; count < 60; count++) {
      const client = await one.connect(1)
      expect((await client.ask(resume)).result).toEqual({ subscription_id: 1 })
      client.socket.terminate()
      while (one.gateway.stats().connections > 0) await turn()
    }
    one.clock.advance(EXCHANGE_MS)

    const refused = await two.connect(1).then((client) => client.ask(resume))
    const other = await two.connect(2).then((client) => client.ask(resume))

    expect(refused.error).toMatchObject({ code: -32029 })
    expect(other.result).toEqual({ subscription_id: 1 })
  })
})
