import type { AnyStream } from '@pairwire/contract'
import { CHECK_NAMES, VERBS } from '@pairwire/contract/operator'
import { describe, expect, it } from 'vitest'
import { createOperatorUnderTest, ROOM } from '../testing/operator-under-test.ts'
import { give } from '../testing/paddle-double.ts'
import { createPaddleUnderTest } from '../testing/paddle-under-test.ts'
import { createDoctor, warn } from './doctor/check.ts'
import { answerCall, answerTool } from './run-verb.ts'

describe("a call of the operator's verbs", () => {
  it('answers the rows of a verb, the same that the tool prints', async () => {
    const { call, tool, email, sent } = await createOperatorUnderTest()

    const { rows, next } = await call('account create', { emails: [email], plan: 'basic' })

    expect(next).toBeNull()
    expect(rows).toMatchObject([{ user: { Email: email }, activeSubscription: { planName: 'Basic' } }])
    expect(await tool('account show', { who: email })).toEqual(rows)
    await call('account plan', { who: email, plan: 'none' })
    expect(sent).toMatchObject([{ type: 'planChanged' }])
  })

  it('answers every row as its schema says', async () => {
    const { call, email } = await createOperatorUnderTest()
    await call('account create', { emails: [email] })

    const { rows } = await call('key reset', { who: email })

    for (const row of rows) VERBS['key reset'].row.parse(row)
    expect(rows).toHaveLength(1)
  })

  it('refuses an unknown verb, an unknown or missing member, and another form', async () => {
    const { call } = await createOperatorUnderTest()

    for (const name of ['account shoe', 'toString', 'account']) {
      await expect(call(name)).rejects.toMatchObject({ errorType: 'ERR_NOT_FOUND' })
    }
    for (const [name, input, field] of [
      ['account show', {}, 'who'],
      ['account show', { who: 'a@b.example', plan: 'pro' }, 'plan'],
      ['account plan', { who: 'a@b.example', plan: 'pro', connections: '5' }, 'connections'],
      ['order list', { limit: 0 }, 'limit'],
    ] as const) {
      await expect(call(name, input)).rejects.toMatchObject({
        errorType: 'ERR_VALIDATION',
        message: `The field ${field} is missing or does not have the expected form.`,
      })
    }
    for (const input of [null, [], 'x', undefined]) {
      await expect(call('account show', input)).rejects.toMatchObject({ errorType: 'ERR_VALIDATION' })
    }
  })

  it('takes no day that its month does not have', async () => {
    const { call, email } = await createOperatorUnderTest()
    await call('account create', { emails: [email] })
    const until = (text: string) => call('account plan', { who: email, plan: 'pro', until: text })

    for (const text of [
      '2027-02-29',
      '2027-02-30T12:00:00Z',
      '2027-04-31',
      '2027-13-01',
      '2027-01-01T24:30:00Z',
    ]) {
      await expect(until(text)).rejects.toMatchObject({ errorType: 'ERR_VALIDATION' })
    }
    for (const text of [
      '2028-02-29',
      '2027-01-31T23:59Z',
      '2027-01-31T23:59:59.999Z',
      '2027-01-31T12:00:00+05:30',
    ]) {
      await expect(until(text)).resolves.toMatchObject({ next: null })
    }
  })

  // Guards the room from a fault of ours: the database refuses these texts, numbers and moments with an error.
  it('refuses what the database cannot keep or read, in a sentence', async () => {
    const { call, accounts, email } = await createOperatorUnderTest()
    await call('account create', { emails: [email] })
    const cursor = (text: string) => ({ cursor: text })
    const inputs: [string, object][] = [
      ...['a\0b', 'a\ud800', '\udc00'].flatMap((text): [string, object][] => [
        ['account suspend', { who: email, reason: text }],
        ['account suspend', { who: email, reason: 'Abuse.', message: text }],
        ['account plan', { who: email, plan: 'pro', reason: text }],
        ['account note', { who: email, note: text }],
        ['status add', { details: text }],
        ['account show', { who: text }],
      ]),
      ...['k', '\\q', '2026-11-31', '1'].flatMap((key): [string, object][] => [
        ['account list', cursor(`["${key}","00000000-0000-0000-0000-000000000000"]`)],
      ]),
      ['account list', { sort: 'email', ...cursor(`["a","${'-'.repeat(36)}"]`) }],
      [
        'account list',
        { sort: 'events', ...cursor('["99999999999999999999","00000000-0000-0000-0000-000000000000"]') },
      ],
      ['mail list', cursor('2026-01-01T00:00:00Z x')],
      ['payments list', cursor('+275760-09-13 x')],
      ['payments list', { since: '0000-01-01' }],
      ['acts list', { since: '9999-12-31T23:59:59-23:00' }],
      ...['x', '1.5', '1e99', 'Infinity', '99999999999999999999'].map((text): [string, object] => [
        'acts list',
        cursor(text),
      ]),
      ...['x', '-1', '1.5'].map((text): [string, object] => ['money show', cursor(text)]),
      ['status clear', { id: 2 ** 31 }],
    ]

    for (const [name, input] of inputs) {
      await expect(call(name, input), `${name} ${JSON.stringify(input)}`).rejects.toMatchObject({
        errorType: 'ERR_VALIDATION',
        message: expect.stringMatching(/\.$/),
      })
    }

    const [note] = (await call('account note', { who: email, note: 'Sends \\u0000 and C:\\ud800.' })).rows
    expect(note).toMatchObject({ note: 'Sends \\u0000 and C:\\ud800.' })
    expect((await accounts.findAccount(email)).account.activeSubscription).toBeUndefined()
  })

  it('blames no cursor for a fault of ours in the query', async () => {
    const divided = Object.assign(new Error('division by zero'), { code: '22012' })
    const { operatorParts } = await createOperatorUnderTest()
    const listMails = () => Promise.reject(divided)
    const parts = { ...operatorParts, accounts: { ...operatorParts.accounts, listMails } }
    const input = { cursor: '2026-01-01T00:00:00Z 00000000-0000-0000-0000-000000000000' }

    await expect(answerCall({ name: 'mail list', input }, ROOM, parts)).rejects.toBe(divided)
  })

  it('says in a sentence what is wrong where the registry has one', async () => {
    const { call } = await createOperatorUnderTest()

    await expect(
      call('order create', { who: 'a@b.example', offer: 'day', to: 'noon' }),
    ).rejects.toMatchObject({
      errorType: 'ERR_VALIDATION',
      message: 'Name a whole hour in UTC, as in 2026-11-23T13:00:00Z.',
    })
    await expect(call('order list', { limit: 201 })).rejects.toThrow('A page has at most 200 rows.')
  })

  it('walks a list by its cursor, and gives the tool the whole of it', async () => {
    const { call, tool, email } = await createOperatorUnderTest()
    const search = `of-${email}`
    const emails = ['a', 'b', 'c', 'd', 'e'].map((name) => `${name}-${search}`)
    await call('account create', { emails })

    const walked: unknown[] = []
    let cursor: string | undefined
    do {
      const page = await call('account list', { search, sort: 'email', limit: 2, cursor })
      for (const row of page.rows) walked.push(VERBS['account list'].row.parse(row).email)
      cursor = page.next ?? undefined
    } while (cursor)

    expect(walked).toEqual(emails)
    expect(await tool('account list', { search, sort: 'email' })).toHaveLength(5)
    expect(await tool('account list', { search, limit: 3 })).toHaveLength(3)
    await expect(call('account list', { cursor: 'x' })).rejects.toMatchObject({ errorType: 'ERR_VALIDATION' })
    await expect(call('acts list', { cursor: 'x' })).rejects.toMatchObject({ errorType: 'ERR_VALIDATION' })
  })

  it('walks the orders of all people by their cursor, beyond those of a page', async () => {
    const { accounts, call, tool, clock, email } = await createOperatorUnderTest()
    await call('account create', { emails: [email] })
    const to = new Date('2026-11-23T13:00:00Z')
    const made: number[] = []
    for (let count = 0; count < 205; count++) {
      // Some at the same moment.
      clock.now += count % 3
      made.unshift((await accounts.grantOrder(email, { source: 'simulator', offer: 'hour', to })).id)
    }

    const first = await call('order list', { account: email })
    const second = await call('order list', { account: email, cursor: first.next })
    const all = (await tool('order list', { account: email })) as { id: number }[]

    expect([first.rows.length, second.rows.length]).toEqual([50, 50])
    expect([...first.rows, ...second.rows]).toEqual(all.slice(0, 100))
    expect(all.map(({ id }) => id).sort()).toEqual(made.sort())
    for (const cursor of ['x', '1.5', '99999999999']) {
      await expect(call('order list', { cursor })).rejects.toMatchObject({ errorType: 'ERR_VALIDATION' })
    }
  })

  it('leaves an act with who called and from where, and none for reading', async () => {
    const { call, tool, email } = await createOperatorUnderTest()
    await call('account create', { emails: [email] })
    await tool('account plan', { who: email, plan: 'pro', until: '2999-01-01', reason: 'A friend.' })
    await call('account show', { who: email })

    const { rows } = await call('acts list', { account: email })

    for (const row of rows) VERBS['acts list'].row.parse(row)
    expect(rows).toMatchObject([
      { actor: 'root', via: 'tool', address: null, verb: 'account plan', reason: 'A friend.' },
      { actor: 'op@pairwire.example', via: 'room', address: '192.0.2.1', verb: 'account create' },
    ])
  })

  it('lists and ends sessions, and deletes an account unless its plan runs', async () => {
    const { call, app, accounts, signIn, sent, email } = await createOperatorUnderTest()
    const authorization = `Bearer ${await signIn()}`
    await app.inject({ url: '/api/account', headers: { authorization } })

    const { rows } = await call('account sessions', { who: email })
    for (const row of rows) VERBS['account sessions'].row.parse(row)
    expect(rows).toMatchObject([{ address: '127.0.0.1' }])
    expect((await call('account sessions', { who: email, end: true })).rows).toHaveLength(1)
    expect((await call('account sessions', { who: email })).rows).toEqual([])

    const { accountId } = await accounts.findAccount(email)
    await call('account plan', { who: email, plan: 'pro' })
    await expect(call('account delete', { who: email })).rejects.toMatchObject({
      errorType: 'ACTIVE_SUBSCRIPTION',
    })
    await call('account plan', { who: email, plan: 'none' })
    await call('account delete', { who: email })
    await expect(call('account show', { who: email })).rejects.toMatchObject({ errorType: 'ERR_NOT_FOUND' })
    expect(sent.at(-1)).toEqual({ type: 'accountDeleted', accountId })
    expect((await accounts.listActs({ accountId }, 9)).map(({ verb }) => verb)).toEqual([
      'account delete',
      'account plan',
      'account plan',
      'account sessions',
    ])
  })

  // Guards the log of acts: what the provider has ended stays ended, also if it does not end all and nothing is deleted.
  it('leaves an act before and after each end at the provider that a deletion asks for', async () => {
    const under = await createPaddleUnderTest()
    const { paddle, send, report, charge, refund, accounts, accountId, clock } = under
    for (const id of ['sub_1', 'sub_2']) {
      const about = { id: `txn_${id}`, transaction_id: `txn_${id}`, subscription_id: id }
      await send(report(`paid_${id}`, -3, { id }))
      await send(charge(`charged_${id}`, -2, about))
      await send(refund(`refunded_${id}`, -1, about))
    }
    paddle.answers['POST /subscriptions/sub_1/cancel'] = give({ status: 'canceled' })
    const { operatorParts } = await createOperatorUnderTest({ ...under.parts, clock: () => clock.now })
    const asked = { name: 'account delete', input: { who: accountId } }

    await expect(answerCall(asked, ROOM, operatorParts)).rejects.toMatchObject({
      errorType: 'ACTIVE_SUBSCRIPTION',
    })

    const acts = await accounts.listActs({ accountId }, 9)
    expect(acts.map(({ outcome, changes }) => JSON.stringify([outcome, changes])).sort()).toEqual([
      '["asked",{"subscription":["sub_1","ended"]}]',
      '["asked",{"subscription":["sub_2","ended"]}]',
      '["done",{"subscription":["sub_1","ended"]}]',
      '["refused",{"subscription":["sub_2","ended"]}]',
    ])
  })

  it('lists people without a plan by their state too, and gives no trial of no plan', async () => {
    const { call, email } = await createOperatorUnderTest()
    await call('account create', { emails: [email] })
    const listed = async (input: object) => (await call('account list', { search: email, ...input })).rows

    expect(await listed({ plan: 'none' })).toMatchObject([{ email, state: 'none' }])
    expect(await listed({ plan: 'none', state: 'none' })).toHaveLength(1)
    for (const state of ['trial', 'suspended']) expect(await listed({ plan: 'none', state })).toEqual([])
    await expect(call('account trial', { who: email, days: 5, plan: 'none' })).rejects.toMatchObject({
      errorType: 'ERR_VALIDATION',
      message: 'A trial needs a plan: newpairs, basic or pro.',
    })
    await call('account suspend', { who: email, reason: 'Abuse.' })
    expect(await listed({ plan: 'none', state: 'suspended' })).toHaveLength(1)
    expect(await listed({ plan: 'none', state: 'none' })).toEqual([])
  })

  it('gives a list as CSV that no spreadsheet runs, and notes that it was exported', async () => {
    const { call, operatorParts, email } = await createOperatorUnderTest()
    await call('account create', { emails: [`+1${email}`] })

    let csv = ''
    const request = { verb: 'account list', input: { search: email }, as: 'csv', actor: 'root' } as const
    for await (const said of answerTool(request, operatorParts)) if ('csv' in said) csv += said.csv

    const lines = csv.split('\r\n')
    expect(lines[0]).toMatch(/^id,email,state,plan,/)
    expect(lines[1]).toContain(`,'+1${email},none,,`)
    expect(lines).toHaveLength(3)
    expect((await call('acts list', { limit: 1 })).rows).toMatchObject([
      { verb: 'account list', changes: { export: 'csv' }, accountId: null },
    ])
  })

  it('gives as CSV only what the registry says', async () => {
    const { operatorParts } = await createOperatorUnderTest()
    const request = { verb: 'order list', input: {}, as: 'csv', actor: 'root' } as const

    await expect(answerTool(request, operatorParts).next()).rejects.toThrow('This is not given as CSV.')
  })

  it('lists the connections of all gateways with their people, names gateways that did not answer, and closes one', async () => {
    const row = {
      ...{ id: 'c1', address: '192.0.2.7', client: 'bot', connectedAt: 1_000, lastSeenAt: 2_000 },
      subscriptions: [{ id: 1, kind: 'swap' as const }],
      ...{ sentEvents: 3, sentBytes: 900, queuedBytes: 0, faults: 2 },
    }
    const rows: AnyStream[] = []
    const { accounts, call, email, sent } = await createOperatorUnderTest({
      listConnections: async ({ id }) => ({
        rows: rows.filter((one) => (id ?? one.id) === one.id),
        missing: id === 'c9' ? [] : ['gateway 2 of 2'],
      }),
    })
    const { accountId } = await accounts.createAccount(email)
    rows.push({ ...row, accountId }, { ...row, id: 'c2', accountId: '00000000-0000-4000-8000-000000000000' })

    const page = await call('connections list', { sort: 'age' })
    await call('connections close', { id: 'c1' })

    expect(page.missing).toEqual(['gateway 2 of 2'])
    expect(page.rows).toMatchObject([
      { id: 'c1', email, openedAt: '1970-01-01T00:00:01.000Z', subscriptions: ['swap'], faults: 2 },
      { id: 'c2', email: null },
    ])
    for (const one of page.rows) VERBS['connections list'].row.parse(one)
    expect(sent).toEqual([{ type: 'closeConnection', accountId, connectionId: 'c1' }])
    await expect(call('connections close', { id: 'c3' })).rejects.toThrow('gateway 2 of 2 did not answer')
    await expect(call('connections close', { id: 'c9' })).rejects.toMatchObject({
      errorType: 'ERR_NOT_FOUND',
    })
  })

  it('runs the checks of the process that it was given, all or some, and says its version', async () => {
    const checks = { disk: () => warn('Little room.', 'Make room.') }
    const doctor = createDoctor(checks, { whySkipped: 'Not here.', secrets: [] })
    const { call, tool } = await createOperatorUnderTest({ doctor })

    const { rows } = await call('machine doctor')
    const some = await tool('machine doctor', { only: 'disk,rpc' })

    for (const row of rows) VERBS['machine doctor'].row.parse(row)
    expect(rows).toHaveLength(CHECK_NAMES.length)
    expect(some).toMatchObject([
      { check: 'disk', state: 'warn', fix: 'Make room.' },
      { check: 'rpc', state: 'skipped', fix: null },
    ])
    expect((await call('machine doctor', { last: true })).rows).toHaveLength(CHECK_NAMES.length)
    await expect(call('machine doctor', { only: 'dsik' })).rejects.toThrow('Name checks with commas between')
    expect((await call('machine version')).rows).toEqual([
      { version: expect.any(String), node: process.versions.node, schema: expect.any(Number) },
    ])
  })

  it('lists every process', async () => {
    const state = {
      ...{ part: 'gateway' as const, name: 'a:8001', version: '0.1.0', startedAt: 0 },
      ...{ cores: 0.5, memoryBytes: 1_000, loopDelayMs: 3 },
    }
    const { tool } = await createOperatorUnderTest({ listProcesses: async () => [{ ...state, figures: {} }] })

    expect(await tool('processes list', {})).toEqual([{ ...state, startedAt: '1970-01-01T00:00:00.000Z' }])
  })
})
