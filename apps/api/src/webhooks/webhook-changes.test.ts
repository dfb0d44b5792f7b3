import { createInProcessBus } from '@pairwire/bus'
import { describe, expect, it } from 'vitest'
import { addEndpoints } from '../testing/add-endpoints.ts'
import { skipWaits } from '../testing/skip-waits.ts'
import { type Reply, startReceiver } from '../testing/webhook-receiver.ts'
import { createWebhooksUnderTest, until } from '../testing/webhooks-under-test.ts'
import { signatureHeaders } from './sign.ts'

// Not by its name: other checkouts may lack the package, which only tests use.
const { Webhook } = await import(['standardwebhooks'][0]!)

/** A receiver's answer that the test gives. */
function held() {
  let give = (_reply: Reply) => {}
  const reply = new Promise<Reply>((resolve) => {
    give = resolve
  })
  return { answer: () => reply, give: (reply: Reply) => give(reply) }
}

describe('an endpoint that is changed', () => {
  it('signs with both secrets for a day, also while it fails, then with the new one alone', async () => {
    const { anEndpoint, swaps, show, call, wall, bus, accountId } = await createWebhooksUnderTest()
    await swaps(1)
    const { receiver, id, secret } = await anEndpoint()
    receiver.answer = () => 503
    await swaps(1)
    await until(async () => (await show(id)).state === 'failing')
    const { secret: fresh } = (await call('POST', `/${id}/rotate`)).body
    receiver.answer = () => 200
    wall.now += 2_000
    await bus.sendControl({ type: 'planChanged', accountId })
    await until(async () => (await show(id)).state === 'on')

    const [first, again] = receiver.got
    expect([again!.id, again!.text]).toEqual([first!.id, first!.text])
    for (const each of [secret, fresh]) new Webhook(each).verify(again!.text, again!.headers as never)

    wall.now += 24 * 3_600_000
    const [last] = await swaps(1)
    await until(() => receiver.cursors().includes(last))
    const { headers, text, id: message } = receiver.got.at(-1)!
    const signedAt = Number(headers['webhook-timestamp']) * 1_000
    expect(headers).toMatchObject(signatureHeaders([fresh], message, signedAt, text))
  })

  it('that is deleted while a post is open: its answer is noted nowhere, its dead letters are gone, nothing is logged', async () => {
    const under = await createWebhooksUnderTest()
    const { anEndpoint, swaps, show, call, accounts, accountId, logged } = under
    skipWaits(under)
    const noted: unknown[] = []
    const note = accounts.noteAnswer
    Object.assign(accounts, {
      async noteAnswer(answer: Parameters<typeof note>[0]) {
        noted.push(await note(answer))
      },
    })
    await swaps(1)
    const { receiver, id } = await anEndpoint()
    receiver.answer = () => 400
    await swaps(1)
    await until(async () => (await show(id)).counters.deadLetters === 1)
    const { answer, give } = held()
    receiver.answer = answer
    await swaps(3)
    await until(() => receiver.got.length > 6)
    noted.length = 0
    expect((await call('DELETE', `/${id}`)).status).toBe(200)
    give(200)
    await until(() => noted.length > 0)

    expect(noted).toEqual([undefined])
    expect((await call('GET', `/${id}/deadletters`)).status).toBe(404)
    const { receiver: next } = await anEndpoint()
    const [sent] = await swaps(1)
    await until(() => next.cursors().includes(sent))
    expect(receiver.cursors()).not.toContain(sent)
    expect(await accounts.authorizeAccount(accountId)).toMatchObject({ delivered: { swap: 1 } })
    expect(logged).toEqual([])
  })

  it('to another filter, twice, while a message fails: its dead letter has the events of the first', async () => {
    const under = await createWebhooksUnderTest()
    const { anEndpoint, swaps, show, call, restartLoop } = under
    await swaps(1)
    const { receiver, id } = await anEndpoint({ params: { include: { usdValue: 100 } } })
    receiver.answer = () => 400
    const old = await swaps(1, { usdValue: 100 })
    await until(async () => (await show(id)).state === 'failing')
    for (const usdValue of [300, 400])
      expect((await call('PATCH', `/${id}`, { params: { include: { usdValue } } })).status).toBe(200)
    await swaps(1, { usdValue: 300 })
    const [wanted] = await swaps(1, { usdValue: 400 })
    skipWaits(under)
    under.wall.now += 2_000
    await restartLoop()
    await until(async () => (await show(id)).counters.deadLetters > 0)
    receiver.answer = () => 200
    await until(() => receiver.cursors().includes(wanted))

    expect(new Set(receiver.got.slice(0, 6).map(({ id, text }) => id + text)).size).toBe(1)
    const [letter] = (await call('GET', `/${id}/deadletters`)).body.deadLetters
    expect(letter).toMatchObject({ first: old[0], last: old[0], events: 1 })
    await call('POST', `/${id}/deadletters/${letter.n}/send`)
    await until(() => receiver.cursors().at(-1) === old[0])
  })

  it('at the moment in which a dead letter is to be sent again: it is sent, and so is the one asked for then', async () => {
    const { anEndpoint, swaps, show, call, accounts } = await createWebhooksUnderTest()
    const [noteAnswer, noteMessage] = [accounts.noteAnswer, accounts.noteMessage]
    const letters = async () => (await call('GET', `/${id}/deadletters`)).body.deadLetters
    let between = async () => {}
    Object.assign(accounts, {
      noteAnswer: (answer: Parameters<typeof noteAnswer>[0]) =>
        noteAnswer({ ...answer, outcome: isTaken ? { is: 'taken' } : { is: 'dead', status: 404, body: '' } }),
      noteMessage: async (message: Parameters<typeof noteMessage>[0]) => {
        if (message.letter !== undefined) await between()
        return noteMessage(message)
      },
    })
    let isTaken = false
    await swaps(1)
    const { receiver, id } = await anEndpoint({ maxEvents: 1 })
    const sent = await swaps(2)
    await until(async () => (await letters()).length === 2)
    const [second, first] = await letters()
    isTaken = true
    receiver.got.length = 0
    between = async () => {
      between = async () => {}
      await call('POST', `/${id}/deadletters/${second.n}/send`)
    }

    await call('POST', `/${id}/deadletters/${first.n}/send`)
    await until(async () => (await show(id)).counters.events > 0 && (await letters()).length === 0)

    await until(() => receiver.cursors().length === 2)
    expect(receiver.cursors()).toEqual(sent)
  })

  it('to paused until the events of a dead letter that is to be sent again are gone: it says so, and goes on', async () => {
    const bus = createInProcessBus({ maxBytes: 20_000 })
    const under = await createWebhooksUnderTest({ bus })
    const { anEndpoint, swaps, call, accounts } = under
    const note = accounts.noteAnswer
    let isTaken = false
    Object.assign(accounts, {
      noteAnswer: (answer: Parameters<typeof note>[0]) =>
        note({ ...answer, outcome: isTaken ? { is: 'taken' } : { is: 'dead', status: 404, body: '' } }),
    })
    const letters = async () => (await call('GET', `/${id}/deadletters`)).body.deadLetters
    await swaps(1)
    const { receiver, id } = await anEndpoint()
    const [lost] = await swaps(1)
    await until(async () => (await letters()).length === 1)
    isTaken = true
    receiver.got.length = 0
    await call('POST', `/${id}/pause`)
    const [letter] = await letters()
    expect((await call('POST', `/${id}/deadletters/${letter.n}/send`)).status).toBe(202)
    for (let batch = 0; batch < 10; batch++) await swaps(20)
    expect(await bus.holds(lost!)).toBe(false)

    await call('POST', `/${id}/resume`)
    const [next] = await swaps(1)
    await until(() => receiver.cursors().includes(next))

    expect(receiver.got[0]!.body).toMatchObject({ type: 'gap', data: { first: lost, last: lost } })
    expect(await letters()).toEqual([])
  })

  it('to a place whose events are gone is refused, and names nothing that webhooks do not have', async () => {
    const bus = createInProcessBus({ maxBytes: 20_000 })
    const { anEndpoint, swaps, call } = await createWebhooksUnderTest({ bus })
    const [gone] = await swaps(1)
    const { id } = await anEndpoint()
    for (let batch = 0; batch < 10; batch++) await swaps(20)

    const { status, body } = await call('POST', `/${id}/seek`, { to: gone })

    expect([status, body.errorType]).toEqual([410, 'CURSOR_TOO_OLD'])
    expect(body.errorMessage).toMatch('"oldest" or "now"')
    expect(body.errorMessage).not.toMatch('resume_from')
    expect(body.oldest).toBe(await bus.oldestCursor())
  })

  it.each<[string, Reply, number]>([
    ['is taken', 200, 1],
    ['fails', 503, 0],
  ])(
    'to paused while a post is open that %s stays so, and goes on from its place',
    async (_how, reply, taken) => {
      const { anEndpoint, swaps, show, call } = await createWebhooksUnderTest()
      await swaps(1)
      const { receiver, id } = await anEndpoint()
      const { answer, give } = held()
      receiver.answer = answer
      const sent = await swaps(1)
      await until(() => receiver.got.length === 1)
      expect((await call('POST', `/${id}/pause`)).body.state).toBe('paused')
      sent.push(...(await swaps(2)))
      give(reply)
      await until(async () => (await show(id)).lastAttempt !== null)

      expect(await show(id)).toMatchObject({ state: 'paused', counters: { events: taken } })
      receiver.answer = () => 200
      expect((await call('POST', `/${id}/resume`)).body.state).toBe('on')
      await until(async () => (await show(id)).counters.events === 3)
      const [first, ...others] = receiver.got
      expect(others.some((post) => post.id === first!.id)).toBe(taken === 0)
      expect(receiver.cursors().slice(1 - taken)).toEqual(sent)
    },
  )

  it('while its post waits for a turn does not cost the others their lease', async () => {
    const change = (parts: object) => ({ ...parts, leaseMs: 1_000 }) as never
    const under = await createWebhooksUnderTest({ change })
    const { anEndpoint, swaps, accounts, accountId } = under
    await swaps(1)
    const quick = await startReceiver()
    await addEndpoints(under, quick.url)
    const slow = await Promise.all(Array.from({ length: 6 }, () => anEndpoint()))
    const { answer, give } = held()
    for (const { receiver } of slow) receiver.answer = answer
    await swaps(1)
    const posted = () => slow.filter(({ receiver }) => receiver.got.length > 0)
    await until(() => posted().length === 4)
    const waiting = slow.find((one) => !posted().includes(one))!
    // Without a word on the bus, which may be lost: so that the look that renews the lease finds it.
    await accounts.changeWebhook(accountId, waiting.id, { maxWaitMs: 1 })
    const began = performance.now()
    await until(async () => (await swaps(1)) && performance.now() - began > 2_500)
    const [last] = await swaps(1)
    await until(() => quick.cursors().includes(last))

    expect(posted()).toHaveLength(4)
    give(200)
    await quick.stop()
  })
})
