import { HOUR_MS } from '@pairwire/contract'
import { describe, expect, it, onTestFinished } from 'vitest'
import { anArchive, HALF_PAST } from '../testing/an-archive.ts'
import { createApiUnderTest } from '../testing/api-under-test.ts'
import { createOrderClock } from './order-clock.ts'

/** An account with a granted order of a day, and the clock that settles it. */
async function createUnderTest() {
  const kept = anArchive(HALF_PAST, 30)
  const under = await createApiUnderTest({ archive: kept.archive })
  under.clock.now = HALF_PAST
  const { accountId } = await under.accounts.createAccount(under.email)
  // The tests of a file share one database.
  onTestFinished(() => under.accounts.deleteAccount(accountId))
  const to = new Date(Math.floor(under.clock.now / HOUR_MS) * HOUR_MS)
  const order = await under.accounts.grantOrder(under.email, { source: 'simulator', offer: 'day', to })
  const log = (level: string) => (sentence: string, fields?: unknown) =>
    void under.logged.push(`${level} ${sentence} ${JSON.stringify(fields)}`)
  const look = (isOff = false) =>
    createOrderClock({
      accounts: under.accounts,
      archive: isOff ? undefined : kept.archive,
      leases: { have: (_work, action) => action() },
      clock: { after: () => () => {} },
      log: { info: log('info'), warn: log('warn'), error: log('error') },
    }).start()
  const mails = async () => {
    await under.mailsSettled()
    return under.mailbox.list().map(({ subject }) => subject)
  }
  const metric = async () =>
    /^pairwire_orders_failed (\d+)$/m.exec((await under.app.inject('/metrics')).body)?.[1]
  const hours = [...kept.hours.keys()].sort()
  return { ...under, ...kept, names: hours, order, look, mails, metric }
}

describe('the clock of orders', () => {
  it('mails that an order is ready, once all of its hours exist', async () => {
    const { hours, names, look, mails } = await createUnderTest()
    const last = hours.get(names.at(-1)!)!
    hours.delete(last.hour)
    await look()
    expect(await mails()).toEqual([])

    hours.set(last.hour, last)
    await look()
    await look()

    expect(await mails()).toEqual(['Your history is ready'])
  })

  it('fails an order whose hours are gone, counts it and mails it once, until they are back', async () => {
    const { hours, names, look, mails, logged, metric } = await createUnderTest()
    const gone = hours.get(names.at(-5)!)!
    hours.delete(gone.hour)

    await look()
    await look()

    const errors = logged.filter((line) => line.startsWith('error'))
    expect(errors).toHaveLength(1)
    expect(errors[0]).toContain(gone.hour)
    expect(await metric()).toBe('1')
    expect(await mails()).toEqual(['Your Pairwire order is incomplete'])
    hours.set(gone.hour, gone)
    await look()
    expect(await metric()).toBe('0')
    expect((await mails()).sort()).toEqual(['Your Pairwire order is incomplete', 'Your history is ready'])
  })

  it('does not judge hours while the archive is away or off', async () => {
    const { state, look, mails, metric, logged } = await createUnderTest()
    state.isAway = true

    await look()
    await look(true)

    expect([await mails(), await metric()]).toEqual([[], '0'])
    expect(
      logged.filter((line) => line.startsWith('warn Orders of history could not be checked')),
    ).toHaveLength(1)
  })
})
