import { HOUR_MS } from '@pairwire/contract'
import { describe, expect, it } from 'vitest'
import { skipWaits } from '../testing/skip-waits.ts'
import { createWebhooksUnderTest, until } from '../testing/webhooks-under-test.ts'

describe('a receiver that fails', () => {
  it('with one poisoned event among a thousand gets its message six times in 13 minutes, then the others; sent again, it is a new message', async () => {
    const under = await createWebhooksUnderTest()
    const { anEndpoint, swaps, show, call, wall } = under
    skipWaits(under)
    await swaps(1)
    const { receiver, id } = await anEndpoint({ maxEvents: 25 })
    const tries: number[] = []
    let poison: string | undefined
    receiver.answer = ({ body }) => {
      if (!body.data.events.some(({ cursor }) => cursor === poison)) return 200
      tries.push(wall.now)
      return { status: 400, body: 'Not this one.' }
    }
    const sent = await swaps(500)
    poison = (await swaps(1))[0]
    sent.push(poison!, ...(await swaps(499)))
    await until(() => receiver.cursors().includes(sent.at(-1)))
    await until(async () => (await show(id)).behindMs === 0)

    const refused = receiver.got.filter(({ body }) =>
      body.data.events.some(({ cursor }) => cursor === poison),
    )
    expect(new Set(refused.map(({ id, text }) => id + text)).size).toBe(1)
    expect(tries).toHaveLength(6)
    expect((tries[5]! - tries[0]!) / 756_000).toBeGreaterThan(0.79)
    expect((tries[5]! - tries[0]!) / 756_000).toBeLessThan(1.21)
    const batch = refused[0]!.body.data.events.map(({ cursor }) => cursor)
    const taken = () => receiver.got.filter((post) => post.id !== refused[0]!.id)
    const cursors = () => taken().flatMap(({ body }) => body.data.events.map(({ cursor }) => cursor))
    expect(cursors()).toEqual(sent.filter((cursor) => !batch.includes(cursor)))
    const [letter, ...more] = (await call('GET', `/${id}/deadletters`)).body.deadLetters
    expect(more).toEqual([])
    expect(letter).toMatchObject({ events: batch.length, status: 400, body: 'Not this one.' })

    receiver.answer = () => 200
    await call('POST', `/${id}/deadletters/${letter.n}/send`)
    await until(async () => (await show(id)).counters.events === 1_000)
    expect(cursors().slice(-batch.length)).toEqual(batch)
    expect(await show(id)).toMatchObject({ state: 'on', counters: { events: 1_000, deadLetters: 1 } })
  })

  it('with a hundred messages in a row is stopped, with one mail, and goes on from its place once resumed', async () => {
    const under = await createWebhooksUnderTest()
    const { anEndpoint, swaps, show, call, mailbox, mailsSettled, email, accounts } = under
    const note = accounts.noteAnswer
    Object.assign(accounts, {
      // Its first refusal is as good as the sixth here: only their number is looked at.
      noteAnswer: (answer: Parameters<typeof note>[0]) =>
        note({ ...answer, outcome: isOver ? answer.outcome : { is: 'dead', status: 404, body: '' } }),
    })
    let isOver = false
    await swaps(1)
    const { receiver, id } = await anEndpoint({ maxEvents: 1 })
    receiver.answer = () => 404
    const sent = await swaps(102)
    await until(async () => (await show(id)).state === 'stopped', 60_000)

    expect(await show(id)).toMatchObject({ counters: { deadLetters: 100, events: 0 } })
    expect((await call('GET', `/${id}/deadletters`)).body.deadLetters).toHaveLength(100)
    await mailsSettled()
    expect(mailbox.list().filter(({ to }) => to === email)).toHaveLength(1)
    receiver.got.length = 0
    isOver = true
    receiver.answer = () => 200
    await call('POST', `/${id}/resume`)
    await until(() => receiver.cursors().length === 2)
    expect(receiver.cursors()).toEqual(sent.slice(100))
  })

  it('for a day brings one mail after an hour, and one as it is stopped; each 410 after it was resumed one more', async () => {
    const under = await createWebhooksUnderTest()
    const { anEndpoint, swaps, show, call, mailbox, mailsSettled, email, wall } = under
    skipWaits(under)
    await swaps(1)
    const { receiver, id } = await anEndpoint()
    const tries: number[] = []
    receiver.answer = () => {
      tries.push(wall.now)
      return 503
    }
    await swaps(1)
    await until(async () => (await show(id)).state === 'stopped')
    await mailsSettled()
    const mails = () =>
      mailbox
        .list()
        .filter(({ to }) => to === email)
        .reverse()

    expect(tries.at(-1)! - tries[0]!).toBeGreaterThanOrEqual(24 * HOUR_MS)
    expect(tries.at(-2)! - tries[0]!).toBeLessThan(24 * HOUR_MS)
    const [failing, stopped] = mails()
    expect(mails().map(({ subject }) => subject)).toEqual([
      'A Pairwire webhook is failing',
      'A Pairwire webhook was stopped',
    ])
    const since = new Intl.DateTimeFormat('en-GB', {
      ...{ day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit' },
      timeZone: 'UTC',
    }).format(tries[0])
    for (const mail of [failing, stopped]) {
      expect(mail!.text).toContain(`${receiver.url} has taken no message since ${since} UTC.`)
      expect(mail!.link).toMatch(/\/dashboard\/account$/)
    }
    expect(failing!.text).toContain('Its events wait, and the service keeps trying, once an hour.')
    expect(failing!.at - tries[0]!).toBeGreaterThanOrEqual(HOUR_MS)
    expect(stopped!.text).toContain('Nothing is sent to it until you resume it on your account page.')

    receiver.answer = () => 410
    for (const count of [3, 4]) {
      await call('POST', `/${id}/resume`)
      await until(async () => (await show(id)).state === 'stopped')
      await mailsSettled()
      expect(mails().slice(2)).toHaveLength(count - 2)
      expect(mails().at(-1)!.subject).toBe('A Pairwire webhook was stopped')
      wall.now += 60_000
    }
  })

  it('is not stopped by its second failure where a day passed without a try', async () => {
    const { anEndpoint, swaps, show, wall, restartLoop, bus, accountId } = await createWebhooksUnderTest()
    await swaps(1)
    const { receiver, id } = await anEndpoint()
    receiver.answer = () => 503
    const [sent] = await swaps(1)
    await until(async () => (await show(id)).state === 'failing')
    wall.now += 25 * HOUR_MS
    await restartLoop()
    await until(async () => (await show(id)).counters.failed === 2)
    receiver.answer = () => 200
    wall.now += HOUR_MS
    await bus.sendControl({ type: 'planChanged', accountId })

    await until(async () => (await show(id)).state === 'on')

    expect(receiver.cursors()).toEqual([sent, sent, sent])
  })

  it('is tried again at once where the clock is set back to before its last try', async () => {
    const { anEndpoint, swaps, wall, show, bus, accountId } = await createWebhooksUnderTest()
    await swaps(1)
    const { receiver, id } = await anEndpoint()
    receiver.answer = () => 503
    wall.now += 2 * HOUR_MS
    const [sent] = await swaps(1)
    await until(async () => (await show(id)).state === 'failing')
    receiver.answer = () => 200
    wall.now -= HOUR_MS
    await bus.sendControl({ type: 'planChanged', accountId })
    await until(async () => (await show(id)).state === 'on')

    expect(receiver.cursors()).toEqual([sent, sent])
  })
})
