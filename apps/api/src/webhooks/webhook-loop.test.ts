import { randomUUID } from 'node:crypto'
import { cursorBefore } from '@pairwire/contract'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createWebhooksUnderTest, until } from '../testing/webhooks-under-test.ts'

// Not by its name: other checkouts may lack the package, which only tests use.
const { Webhook } = await import(['standardwebhooks'][0]!)

describe('webhooks', () => {
  it('post what a filter wants, in chain order, as frames of the stream, signed as Standard Webhooks says', async () => {
    const { anEndpoint, swaps, publish, aSwap, show } = await createWebhooksUnderTest()
    await swaps(1)
    const { receiver, id, secret } = await anEndpoint({ params: { include: { usdValue: 100 } } })

    await swaps(3)
    const wanted = [...(await swaps(2, { usdValue: 200 })), ...(await publish(aSwap({ usdValue: 100 })))]
    await until(() => receiver.cursors().length === 3)

    expect(receiver.cursors()).toEqual(wanted)
    const [first] = receiver.got
    expect(first!.body).toMatchObject({
      type: 'swap',
      timestamp: expect.stringMatching(/Z$/),
      data: { endpoint: id, first: wanted[0], last: first!.body.data.events.at(-1)!.cursor },
    })
    expect(first!.body.data.events[0]).toEqual({
      method: 'swapNotification',
      params: expect.objectContaining({ signature: 's' }),
      cursor: wanted[0],
    })
    expect(first!.id).toBe(`${id}_1`)
    for (const { text, headers } of receiver.got) new Webhook(secret).verify(text, headers as never)
    await until(async () => (await show(id)).counters.events === 3)
    expect(await show(id)).toMatchObject({
      state: 'on',
      behindMs: 0,
      lastAttempt: { status: 200, error: null },
    })
  })

  it('are tried again with the same id and body, also by another process, and nothing else goes out meanwhile', async () => {
    const { anEndpoint, swaps, show, wall, restartLoop } = await createWebhooksUnderTest()
    await swaps(1)
    const { receiver, id, secret } = await anEndpoint({ maxEvents: 2 })
    receiver.answer = () => 503
    const sent = await swaps(5)
    await until(() => receiver.got.length === 1)
    await until(async () => (await show(id)).state === 'failing')

    receiver.answer = () => 200
    wall.now += 10_000
    await restartLoop()
    await until(() => receiver.cursors().length === 7)

    const [first, again] = receiver.got
    expect([again!.id, again!.text]).toEqual([first!.id, first!.text])
    expect(receiver.cursors().slice(2)).toEqual(sent)
    expect(new Set(receiver.got.map((post) => post.id)).size).toBe(3)
    for (const { text, headers } of receiver.got) new Webhook(secret).verify(text, headers as never)
    await until(async () => (await show(id)).counters.events === 5)
    expect(await show(id)).toMatchObject({
      state: 'on',
      counters: { delivered: 3, failed: 1, deadLetters: 0 },
    })
  })

  it('hold nothing in memory while they wait long: what waits is read again, and comes in order, each once', async () => {
    const { anEndpoint, swaps, level, wall, bus, accountId } = await createWebhooksUnderTest()
    await swaps(1)
    const { receiver } = await anEndpoint({ maxEvents: 100 })
    receiver.answer = () => ({ status: 503, headers: { 'retry-after': '60' } })
    await until(async () => (await level()) === 1)
    const sent = await swaps(5)
    await until(async () => (await level()) === 0)
    sent.push(...(await swaps(3)))
    const replay = vi.spyOn(bus, 'replay')

    receiver.answer = () => 200
    wall.now += 60_000
    // So that it looks at the clock, which only the test moves.
    await bus.sendControl({ type: 'planChanged', accountId })
    const [first, ...rest] = receiver.got
    expect(rest).toEqual([])
    await until(() => receiver.cursors().length === first!.body.data.events.length + 8)

    const [, again] = receiver.got
    expect([again!.id, again!.text]).toEqual([first!.id, first!.text])
    expect(receiver.got.slice(1).flatMap(({ body }) => body.data.events.map(({ cursor }) => cursor))).toEqual(
      sent,
    )
    expect(replay).toHaveBeenCalledWith(cursorBefore(sent[0]!))
  })

  it('that are refused for good become dead letters, which can be sent again, and the next ones go on', async () => {
    const { anEndpoint, swaps, show, call, wall, bus, accountId } = await createWebhooksUnderTest()
    await swaps(1)
    const { receiver, id } = await anEndpoint({ maxEvents: 1 })
    const [poison, next] = await swaps(2)
    receiver.answer = ({ body }) =>
      body.data.first === poison ? { status: 422, body: 'Not this one.' } : 200
    const pushing = setInterval(() => {
      wall.now += 60_000
      // So that it looks at the clock, which only the test moves.
      void bus.sendControl({ type: 'planChanged', accountId })
    }, 50)
    await until(() => receiver.cursors().includes(next))
    clearInterval(pushing)

    const letters = async () => (await call('GET', `/${id}/deadletters`)).body.deadLetters
    expect(await letters()).toMatchObject([
      { first: poison, last: poison, events: 1, status: 422, body: 'Not this one.', queued: false },
    ])
    receiver.answer = () => 200
    const [{ n }] = await letters()
    expect((await call('POST', `/${id}/deadletters/${n}/send`)).status).toBe(202)
    await until(() => receiver.cursors().at(-1) === poison)

    expect(receiver.got.at(-1)!.id).not.toBe(receiver.got.find(({ body }) => body.data.first === poison)!.id)
    await until(async () => (await show(id)).counters.events === 2)
    expect(await letters()).toEqual([])
    const [after] = await swaps(1)
    await until(() => receiver.cursors().at(-1) === after)
  })

  it('keep the message in hand as it was when the filter is changed, and go to a changed address at once', async () => {
    const { anEndpoint, swaps, show, call } = await createWebhooksUnderTest()
    await swaps(1)
    const { receiver, id } = await anEndpoint({ params: { include: { usdValue: 100 } }, maxEvents: 2 })
    receiver.answer = () => 500
    const old = await swaps(2, { usdValue: 200 })
    await until(async () => (await show(id)).state === 'failing')

    const other = await anEndpoint({ params: { include: { usdValue: 1_000_000 } } })
    const changed = await call('PATCH', `/${id}`, {
      url: other.receiver.url,
      params: { include: { usdValue: 300 } },
    })
    expect(changed.body).toMatchObject({ url: other.receiver.url, params: { include: { usdValue: 300 } } })
    await swaps(1, { usdValue: 200 })
    const [wanted] = await swaps(1, { usdValue: 300 })
    await until(() => other.receiver.cursors().length === 3)

    expect(other.receiver.cursors()).toEqual([...old, wanted])
    expect(other.receiver.got[0]!.id).toBe(receiver.got[0]!.id)
  })

  it('keep their place while paused, go on from where they are sought, and stop at 410', async () => {
    const { anEndpoint, swaps, show, call } = await createWebhooksUnderTest()
    const [, before] = await swaps(2)
    const { receiver, id } = await anEndpoint()
    await call('POST', `/${id}/pause`)
    const missed = await swaps(2)
    expect((await call('POST', `/${id}/resume`)).body.state).toBe('on')
    await until(() => receiver.cursors().length === 2)
    expect(receiver.cursors()).toEqual(missed)

    receiver.answer = () => 410
    await swaps(1)
    await until(async () => (await show(id)).state === 'stopped')
    receiver.answer = () => 200
    receiver.got.length = 0
    expect((await call('POST', `/${id}/seek`, { to: before })).body.state).toBe('on')
    await until(() => receiver.cursors().length === 3)
    expect(receiver.cursors().slice(0, 2)).toEqual(missed)
    expect((await call('POST', `/${id}/seek`, { to: 'x' })).body).toMatchObject({
      errorType: 'INVALID_CURSOR',
    })
    expect((await call('POST', `/${id}/seek`, { to: before!.replace(/^0/, '9') })).status).toBe(410)
  })

  it('wait while the account is suspended, then go on; and count to the plan, which they never exceed', async () => {
    const { anEndpoint, swaps, accounts, email, accountId, bus, show } = await createWebhooksUnderTest({
      plan: 1,
    })
    await swaps(1)
    const { receiver, id } = await anEndpoint({ maxEvents: 100 })
    const by = { actor: 'root', via: 'tool', address: null, verb: 'account suspend' } as const
    await accounts.suspend(email, { reason: 'Abuse.' }, by)
    await bus.sendControl({ type: 'planChanged', accountId })
    const sent = await swaps(1_020)
    expect(receiver.got).toEqual([])
    await accounts.unsuspend(email, by)
    await bus.sendControl({ type: 'planChanged', accountId })
    await until(async () => (await show(id).catch(() => undefined))?.counters?.events === 1_000, 60_000)

    expect(receiver.cursors()).toEqual(sent.slice(0, 1_000))
    const found = await accounts.authorizeAccount(accountId)
    expect(found).toMatchObject({ delivered: { swap: 1_000 } })
    const [day] = await accounts.getUsage(accountId)
    expect(day!.webhooks).toBe(day!.buys + day!.sells)
    expect(await show(id)).toMatchObject({ state: 'on' })
  })
})

describe('the place of an endpoint', () => {
  it('is not set back by a gap in what is kept: nothing comes twice', async () => {
    const { anEndpoint, swaps, call, publish, placed } = await createWebhooksUnderTest()
    await swaps(1)
    const { receiver, id } = await anEndpoint({ maxEvents: 5 })
    await call('POST', `/${id}/pause`)
    const before = await swaps(2)
    const { slot, cursor } = placed()
    const gap = { fromSlot: slot, toSlot: slot, cause: 'source', resume_from: null }
    await publish({ kind: 'gap', cursor, params: gap } as never)
    const after = await swaps(12)
    await call('POST', `/${id}/resume`)
    await until(() => receiver.cursors().includes(after.at(-1)))
    const [last] = await swaps(1)
    await until(() => receiver.cursors().includes(last))

    expect(receiver.got.map(({ body }) => body.type)).toContain('gap')
    expect(receiver.cursors().filter(Boolean)).toEqual([...before, ...after, last])
  })

  it('is known again where the answer of the database was lost: a message that it has is not noted twice', async () => {
    const { anEndpoint, swaps, accounts } = await createWebhooksUnderTest()
    await swaps(1)
    const { receiver } = await anEndpoint()
    const note = accounts.noteMessage
    let lost = 0
    Object.assign(accounts, {
      async noteMessage(message: Parameters<typeof note>[0]) {
        const noted = await note(message)
        if (lost++ === 0) throw new Error('The connection was cut.')
        return noted
      },
    })
    const sent = [...(await swaps(1))]
    await until(() => receiver.cursors().length > 0)
    sent.push(...(await swaps(1)))
    await until(() => receiver.cursors().includes(sent[1]))

    expect(receiver.cursors()).toEqual(sent)
  })

  it('moves on once an older endpoint, in whose favour it waits in a smaller plan, is deleted', async () => {
    const under = await createWebhooksUnderTest({ plan: 2 })
    const { anEndpoint, swaps, accounts, email, accountId, bus, call, wall } = under
    await swaps(1)
    const filter = { params: { include: { usdValue: 1 } } }
    const old = await anEndpoint(filter)
    wall.now += 1_000
    const young = await anEndpoint(filter)
    await accounts.grantPlan(email, 1)
    await bus.sendControl({ type: 'planChanged', accountId })
    const sent = await swaps(1)
    await until(async () => (await swaps(1)) && old.receiver.cursors().length > 9)
    expect(young.receiver.got).toEqual([])
    await call('DELETE', `/${old.id}`)
    await until(() => young.receiver.cursors().includes(sent[0]))
  })

  it('is shared fairly with a process that starts later: it takes what the first gives back', async () => {
    const { anEndpoint, swaps, accounts, held, bus, accountId } = await createWebhooksUnderTest()
    const later = randomUUID()
    onTestFinished(() => accounts.freeWebhooks(later))
    await swaps(1)
    const { receiver } = await anEndpoint()
    const other = await anEndpoint()
    await swaps(1)
    await until(() => receiver.got.length === 1 && other.receiver.got.length === 1)
    const all = await held()
    expect(await accounts.takeWebhooks(later)).toEqual({ mine: [], over: [] })

    await bus.sendControl({ type: 'webhooksChanged', accountId })
    await until(async () => (await held()) === Math.ceil(all / 2))
    await until(async () => (await accounts.takeWebhooks(later)).mine.length === Math.floor(all / 2))
    expect((await accounts.takeWebhooks(later)).over).toEqual([])
    await accounts.freeWebhooks(later)
    await bus.sendControl({ type: 'webhooksChanged', accountId })
    const [sent] = await swaps(1)
    for (const { cursors } of [receiver, other.receiver]) await until(() => cursors().includes(sent))
    expect(await held()).toBe(all)
  })

  it('is read once more where the database fails again just as a lapsed lease is back', async () => {
    const { anEndpoint, swaps, accounts, accountId, bus, steps } = await createWebhooksUnderTest()
    await swaps(1)
    const { receiver } = await anEndpoint()
    const [first] = await swaps(1)
    await until(() => receiver.cursors().includes(first))
    const read = accounts.readWebhooks
    let asked = 0
    Object.assign(accounts, {
      async readWebhooks(...given: Parameters<typeof read>) {
        if (asked++ === 0) throw new Error('The database is away.')
        return read(...given)
      },
    })
    steps.aheadMs += 60_000
    await bus.sendControl({ type: 'webhooksChanged', accountId })
    await until(() => asked === 1)

    await bus.sendControl({ type: 'webhooksChanged', accountId })
    const [last] = await swaps(1)

    await until(() => receiver.cursors().includes(last))
  })

  it('is read again by a process whose lease had run out: another may have moved it meanwhile', async () => {
    const { anEndpoint, swaps, accounts, call, steps, bus, accountId } = await createWebhooksUnderTest()
    await swaps(1)
    const { receiver, id } = await anEndpoint({ maxWaitMs: 5_000 })
    const taken = await swaps(1)
    // The process stands for a minute; another delivers, and ends.
    const take = accounts.takeWebhooks
    const other = randomUUID()
    const note = accounts.noteMessage
    let hasStood = false
    Object.assign(accounts, {
      async takeWebhooks(...given: Parameters<typeof take>) {
        if (!hasStood) {
          hasStood = true
          steps.aheadMs += 60_000
          await accounts.freeWebhooks(given[0])
          await take(other)
          const [own] = await accounts.readWebhooks(other, [id])
          expect(own).toMatchObject({ message: null })
          const message = {
            type: 'swap',
            after: own!.place,
            first: taken[0]!,
            last: taken[0]!,
            count: 1,
            buys: 1,
          }
          const noted = await note({
            ...{ id, owner: other, revision: own!.revision, behindSince: new Date() },
            message: { ...message, digest: '', at: Date.now() } as never,
          })
          const standing = await accounts.authorizeAccount(accountId)
          await accounts.noteAnswer({
            ...{
              id,
              owner: other,
              message: noted!,
              outcome: { is: 'taken' as const },
              behindSince: new Date(),
            },
            attempt: { at: '', status: 200, ms: 1, error: null },
            charge: standing as never,
          })
          await accounts.freeWebhooks(other)
        }
        return take(...given)
      },
    })
    await bus.sendControl({ type: 'webhooksChanged', accountId })
    await until(() => hasStood)
    const [next] = await swaps(1)
    await until(() => receiver.cursors().includes(next), 60_000)

    expect(receiver.cursors()).toEqual([next])
    expect((await call('GET', `/${id}`)).body.counters.events).toBeLessThanOrEqual(2)
  })
})
