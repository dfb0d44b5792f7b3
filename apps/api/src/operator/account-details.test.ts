import type { AnyStream } from '@pairwire/contract'
import { VERBS } from '@pairwire/contract/operator'
import { describe, expect, it } from 'vitest'
import { createOperatorUnderTest, ROOM } from '../testing/operator-under-test.ts'
import { answerCall } from './run-verb.ts'

describe('account details', () => {
  it('shows plans, usage, connections, mistakes, sessions and the suspension, and of the key a hint only', async () => {
    const rows: AnyStream[] = []
    const { accounts, app, call, clock, email, signIn } = await createOperatorUnderTest({
      listConnections: async () => ({ rows, missing: ['gateway 2 of 2'] }),
    })
    const authorization = `Bearer ${await signIn()}`
    await app.inject({ url: '/api/account', headers: { authorization } })
    const { accountId, account } = await accounts.findAccount(email)
    await call('account plan', { who: email, plan: 'pro' })
    await call('account suspend', { who: email, reason: 'It scrapes.', message: 'Write to us.' })
    const now = new Date(clock.now)
    const anHourAgo = new Date(clock.now - 3_600_000)
    const note = { accountId, address: '192.0.2.7', client: 'bot', openedAt: now, seenAt: now, sentEvents: 9 }
    await accounts.recordConnections([
      { ...note, id: crypto.randomUUID(), closedAt: now, ended: 'slowConsumer', faults: { NOT_JSON: 2 } },
      { ...note, id: crypto.randomUUID(), closedAt: now, ended: 'client', faults: { NOT_JSON: 1 } },
    ])
    await accounts.recordRefusedUpgrades([
      { accountId, hour: anHourAgo, refusal: 'connectionLimit', count: 4 },
    ])
    rows.push({
      ...{ id: 'c1', accountId, address: '192.0.2.8', client: '', connectedAt: 1, lastSeenAt: 2 },
      ...{ subscriptions: [], sentEvents: 0, sentBytes: 0, queuedBytes: 0, faults: 0 },
    })

    const answer = await call('account details', { who: email })

    const [row] = answer.rows.map((row) => VERBS['account details'].row.parse(row))
    const { APIKey } = account.user
    expect(row).toMatchObject({
      ...{ id: accountId, email, state: 'suspended', plan: 'Pro', origin: 'friend', marketingEmails: false },
      keyHint: `${APIKey.slice(0, 4)}…${APIKey.slice(-2)}`,
      suspension: { reason: 'It scrapes.', message: 'Write to us.' },
      subscriptions: [{ kind: 'grant', plan: 'Pro', endsAt: null, url: null }],
      missing: ['gateway 2 of 2'],
      open: [{ id: 'c1', email }],
      sessions: [{ address: '127.0.0.1' }],
      seenAddress: '127.0.0.1',
    })
    expect(row!.ended.map(({ sentence }) => sentence).sort()).toEqual([
      'It read too slowly.',
      'The client closed it.',
    ])
    expect(row!.mistakes).toEqual([
      { type: 'NOT_JSON', of: 'request', count: 3, lastAt: now.toISOString() },
      { type: 'connectionLimit', of: 'upgrade', count: 4, lastAt: anHourAgo.toISOString() },
    ])
    expect(JSON.stringify(answer)).not.toContain(APIKey)
  })
})

describe('account invite', () => {
  it('creates an account with a plan and mails the link', async () => {
    const { call, email, mailbox, mailsSettled } = await createOperatorUnderTest()

    const { rows } = await call('account invite', { email, plan: 'basic' })
    await mailsSettled()

    expect(rows).toMatchObject([{ user: { Email: email }, activeSubscription: { planName: 'Basic' } }])
    expect(mailbox.list()[0]).toMatchObject({ to: email, link: expect.stringContaining('/login?t=') })
    const { rows: mails } = await call('mail list', { account: email })
    expect(VERBS['mail list'].row.parse(mails[0])).toMatchObject({ to: email, state: 'sent' })
    await expect(call('mail retry', { id: VERBS['mail list'].row.parse(mails[0]).id })).rejects.toThrow(
      'accepted',
    )
  })
})

describe('connections close', () => {
  it('ends all of an account, with an act before and after', async () => {
    const { accounts, call, email, sent } = await createOperatorUnderTest()
    const { accountId } = await accounts.createAccount(email)

    await call('connections close', { account: email })

    expect(sent).toEqual([{ type: 'disconnect', accountId }])
    const acts = await accounts.listActs({ accountId }, 9)
    expect(acts.map(({ outcome }) => outcome)).toEqual(['done', 'asked'])
    for (const input of [{}, { id: 'c1', account: email }]) {
      await expect(call('connections close', input)).rejects.toMatchObject({ errorType: 'ERR_VALIDATION' })
    }
  })
})

describe('mail test', () => {
  it('sends a mail to any address and says what became of it', async () => {
    const { call, mailbox, mailsSettled, operatorParts } = await createOperatorUnderTest()
    const ask = { name: 'mail test', input: { to: 'ops@example.org' } }

    const [row] = (await answerCall(ask, ROOM, { ...operatorParts, mailsSettled })).rows

    expect(VERBS['mail test'].row.parse(row)).toMatchObject({
      to: 'ops@example.org',
      state: 'sent',
      attempts: 1,
    })
    expect(mailbox.list()).toMatchObject([{ to: 'ops@example.org', link: 'http://localhost:23000/admin' }])
    await expect(call('mail test', { to: 'nobody' })).rejects.toMatchObject({ errorType: 'ERR_VALIDATION' })
  })
})
