import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { keyNumber } from '../testing/fake-accounts.ts'
import type { TestClient } from '../testing/test-client.ts'
import { openGateway, type TestGateway } from '../testing/test-gateway.ts'

const BROWSER = { Origin: 'https://app.example', 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64)' }

describe('the connection limit', () => {
  let stream: TestGateway
  beforeEach(async () => {
    stream = await openGateway()
  })
  afterEach(() => stream.close())

  /** Lets sockets and promises make progress. */
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await turn()
  }
  /** Resolves once the gateway has pinged the client. */
  const pinged = (client: TestClient) => new Promise((resolve) => client.socket.once('ping', resolve))
  /** A client that reads and answers nothing: to the gateway, a dead connection. */
  const aDeadClient = async (number?: number) => {
    const client = await stream.connect(number, { autoPong: false })
    client.socket.pause()
    return client
  }
  /** Starts a connection attempt of the account; tells how and whether it has ended. */
  const attempt = (headers: Record<string, string> = {}) => {
    const state = { isOver: false, outcome: undefined as TestClient | { status: number } | undefined }
    const over = stream.connect(1, { headers }).then(
      (client) => Object.assign(state, { isOver: true, outcome: client }),
      (error) => Object.assign(state, { isOver: true, outcome: error }),
    )
    return Object.assign(state, { over })
  }
  /** Resolves once that many key lookups have been answered. */
  const lookups = (count: number) => {
    let asked = 0
    stream.accounts.before = async (call) => {
      if (call === 'authorizeKey') asked++
    }
    return async () => {
      await until(() => asked >= count)
      for (let turns = 0; turns < 5; turns++) await turn()
    }
  }

  it('admits a newcomer 2 s after an old connection gave no sign of life, and closes the old one with 4029 if it still can', async () => {
    const dead = await stream.connect(1, { autoPong: false })
    await dead.ask({ id: 1, method: 'swapSubscribe' })
    dead.socket.pause()
    const looked = lookups(1)
    const newcomer = attempt()
    await looked()

    stream.clock.advance(1_999)
    for (let turns = 0; turns < 5; turns++) await turn()
    expect(newcomer.isOver).toBe(false)
    stream.clock.advance(1)
    await newcomer.over
    dead.socket.resume()

    expect(newcomer.outcome).toHaveProperty('socket')
    expect(await dead.closed).toMatchObject({ code: 4029 })
    expect(JSON.parse(dead.texts.at(-1)!)).toMatchObject({ method: 'subscriptionClosed', subscription_id: 1 })
    await until(() => stream.gateway.stats().connections === 1)
    stream.clock.advance(1_000)
    await turn()
    expect(stream.accounts.noted).toContainEqual(expect.objectContaining({ ended: 'connectionLimit' }))
  })

  it('pings the old connection at once, and refuses the newcomer as soon as it answers', async () => {
    const old = await stream.connect()
    const ping = pinged(old)

    const newcomer = attempt()
    await ping
    await newcomer.over

    expect(newcomer.outcome).toMatchObject({ status: 429 })
    expect(await old.ask({ id: 1, method: 'ping' })).toMatchObject({ id: 1 })
  })

  it('closes a browser over the limit with 4029', async () => {
    await stream.connect()

    const browser = await stream.connect(1, { headers: BROWSER })

    expect(await browser.closed).toMatchObject({ code: 4029 })
  })

  it('takes any frame as a sign of life', async () => {
    const old = await stream.connect(1, { autoPong: false })
    const ping = pinged(old)

    const newcomer = attempt()
    await ping
    stream.clock.advance(1_999)
    expect(newcomer.isOver).toBe(false)
    old.send({ id: 1, method: 'ping' })
    await newcomer.over

    expect(newcomer.outcome).toMatchObject({ status: 429 })
  })

  it('gives the seat of a dead connection to a newcomer and keeps the living ones', async () => {
    stream.accounts.set('a1', { key: keyNumber(1), connectionLimit: 2 })
    const living = await stream.connect(101, { headers: { 'X-API-KEY': keyNumber(1) } })
    const dead = await aDeadClient(1)
    stream.accounts.set('a1', { connectionLimit: 2 })
    const looked = lookups(1)
    const answered = new Promise((resolve) => living.socket.once('ping', resolve))
    const newcomer = attempt()
    await looked()
    await answered
    await living.untilPong()

    stream.clock.advance(2_000)
    await newcomer.over
    dead.socket.resume()

    expect(newcomer.outcome).toHaveProperty('socket')
    expect(await living.ask({ id: 1, method: 'ping' })).toMatchObject({ id: 1 })
    await dead.closed
  })

  it('probes once for newcomers that arrive together, and admits one of them', async () => {
    const dead = await stream.connect(1, { autoPong: false })
    let pings = 0
    dead.socket.on('ping', () => pings++)
    const looked = lookups(3)
    const newcomers = [attempt(), attempt(), attempt()]
    await looked()
    await until(() => pings > 0)

    stream.clock.advance(2_000)
    await Promise.all(newcomers.map(({ over }) => over))

    const taken = newcomers.filter(({ outcome }) => outcome && 'socket' in outcome)
    expect(taken).toHaveLength(1)
    expect(pings).toBe(1)
  })

  it.each([
    ['the key was reset', { key: keyNumber(77) }, 401],
    ['the plan has ended', { planId: null }, 403],
  ])('checks again after the probe: refuses when %s in the meantime', async (_name, change, status) => {
    await aDeadClient()
    const looked = lookups(1)
    const newcomer = attempt()
    await looked()
    stream.accounts.set('a1', change)

    stream.clock.advance(2_000)
    await newcomer.over

    expect(newcomer.outcome).toMatchObject({ status })
  })

  it('ends one that was closed during the probe with its closing frames', async () => {
    const old = await stream.connect(1, { autoPong: false })
    await old.ask({ id: 1, method: 'swapSubscribe' })
    const ping = pinged(old)
    const newcomer = attempt()
    await ping

    await stream.bus.sendControl({ type: 'disconnect', accountId: 'a1' })
    await newcomer.over

    expect(newcomer.outcome).toHaveProperty('socket')
    expect(await old.closed).toMatchObject({ code: 4009 })
    expect(JSON.parse(old.texts.at(-1)!)).toMatchObject({ method: 'subscriptionClosed' })
  })

  it('does not count a closing socket', async () => {
    const closing = await stream.connect(1, { autoPong: false })
    closing.socket.pause()
    await stream.bus.sendControl({ type: 'disconnect', accountId: 'a1' })

    const newcomer = attempt()
    await newcomer.over

    expect(newcomer.outcome).toHaveProperty('socket')
    closing.socket.resume()
    expect(await closing.closed).toMatchObject({ code: 4009 })
  })

  // All lookups are answered in one turn, so what is checked in it must be taken in it.
  it('is never exceeded by upgrades whose keys are looked up at the same moment', async () => {
    stream.accounts.set('a1', { key: keyNumber(1), connectionLimit: 2 })
    let answer = () => {}
    const answered = new Promise<void>((resolve) => {
      answer = resolve
    })
    let asked = 0
    stream.accounts.before = async () => {
      asked++
      if (asked <= 6) await answered
    }
    const upgrades = Array.from({ length: 6 }, () =>
      stream.connect(101, { headers: { 'X-API-KEY': keyNumber(1) } }),
    )
    await until(() => asked === 6)

    answer()
    const outcomes = await Promise.allSettled(upgrades)

    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    expect(await stream.gateway.openConnections('a1')).toHaveLength(2)
  })
})
