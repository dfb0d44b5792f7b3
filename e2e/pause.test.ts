import { once } from 'node:events'
import { setTimeout as rest } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { askAsOperator, makeAccount } from './operator.ts'
import { freshEmail } from './people.ts'
import { type Service, startService } from './service.ts'
import { READY_MS, STORY_MS } from './story-time.ts'

// Real pauses of a real process, as when its machine sleeps or swaps: these are the only tests that have to let time pass.
describe('a process that stands still', { timeout: STORY_MS }, () => {
  let service: Service
  beforeAll(async () => {
    service = await startService({ SOLANA_SOURCE: 'simulator?swaps=1000' })
  }, STORY_MS)
  afterAll(() => service.kill())

  const open = (key: string, options: WebSocket.ClientOptions = {}) =>
    new WebSocket(service.streamUrl, { ...options, headers: { 'X-API-KEY': key } })
  const stop = () => service.process.kill('SIGSTOP')
  const goOnAfter = async (ms: number) => {
    await rest(ms)
    service.process.kill('SIGCONT')
  }
  const queuedBytes = async () => {
    const metrics = await (await fetch(`${service.url}/metrics`)).text()
    return Number(/^pairwire_gateway_queued_bytes (\d+)/m.exec(metrics)?.[1] ?? 0)
  }

  it('for 3 s disconnects nobody who answered a probe for a newcomer', async () => {
    const { user } = await makeAccount(service, freshEmail(), 'pro')
    const old = open(user.APIKey, { autoPong: false })
    await once(old, 'open')

    const refused = once(
      open(user.APIKey).on('error', () => {}),
      'unexpected-response',
    )
    await once(old, 'ping')
    stop()
    old.pong()
    await goOnAfter(3_000)

    const [, response] = await refused
    expect(response.statusCode).toBe(429)
    old.send('{"id":1,"method":"ping"}')
    expect(String((await once(old, 'message'))[0])).toContain('"pong"')
    old.terminate()
  })

  it('for 7 s cuts off nobody who reads while the connection ends', async () => {
    const email = freshEmail()
    const { user } = await makeAccount(service, email, 'pro')
    const client = open(user.APIKey)
    const texts: string[] = []
    client.on('message', (data) => texts.push(String(data)))
    await once(client, 'open')
    client.send('{"id":1,"method":"swapSubscribe"}')
    await once(client, 'message')
    client.pause()
    await expect.poll(queuedBytes, { timeout: READY_MS }).toBeGreaterThan(200_000)

    await askAsOperator(service, 'key reset', { who: email })
    stop()
    client.resume()
    const closed = once(client, 'close')
    await goOnAfter(7_000)

    const [code] = await closed
    expect(code).toBe(4001)
    expect(JSON.parse(texts.at(-1)!)).toMatchObject({ method: 'subscriptionClosed', subscription_id: 1 })
  })
})
