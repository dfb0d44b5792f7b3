import { randomUUID } from 'node:crypto'
import { HOUR_MS } from '@pairwire/contract'
import { findVerb, VERBS, type VerbName } from '@pairwire/contract/operator'
import { describe, expect, it } from 'vitest'
import { anArchive, HALF_PAST } from '../testing/an-archive.ts'
import { createRoomUnderTest } from '../testing/room-under-test.ts'
import { answerTool } from './run-verb.ts'

/** A person whom one call of one verb is about, with a paid order, an open connection and a mail that waits. */
type Subject = Awaited<ReturnType<Awaited<ReturnType<typeof createUnderTest>>['aSubject']>>

type Case = (subject: Subject) => object | Promise<object>

const none: Case = () => ({})
const who: Case = ({ email }) => ({ who: email })
const account: Case = ({ email }) => ({ account: email })

/** The input with which each verb is tried. A verb that is added needs one. */
const INPUTS: Readonly<Record<HttpVerb, Case>> = {
  'account list': ({ email }) => ({ search: email }),
  'account show': who,
  'account details': who,
  'account create': ({ fresh }) => ({ emails: [fresh], plan: 'basic' }),
  'account invite': ({ fresh }) => ({ email: fresh }),
  'account plan': ({ email }) => ({ who: email, plan: 'pro', reason: 'A friend.' }),
  'account trial': ({ email }) => ({ who: email, days: 3 }),
  'account notes': who,
  'account note': ({ email }) => ({ who: email, note: 'Called.' }),
  'account suspend': ({ email }) => ({ who: email, reason: 'Abuse.' }),
  async 'account unsuspend'({ accounts, email }) {
    await accounts.suspend(
      email,
      { reason: 'Abuse.' },
      { actor: 'root', via: 'tool', address: null, verb: 'account suspend' },
    )
    return { who: email }
  },
  'account sessions': ({ email }) => ({ who: email, end: true }),
  'account delete': who,
  'key reset': who,
  'connections list': account,
  'connections close': ({ accountId }) => ({ id: `of-${accountId}` }),
  'processes list': none,
  'money show': none,
  'payments list': account,
  'webhook list': who,
  'order list': account,
  'order show': ({ orderId }) => ({ id: orderId }),
  'order create': ({ email }) => ({ who: email, offer: 'hour' }),
  'order refund': ({ orderId }) => ({ id: orderId }),
  'overview show': none,
  'stream show': none,
  'alarms list': none,
  'alarms test': none,
  'machine doctor': none,
  'machine version': none,
  'status list': none,
  'status add': ({ email }) => ({ details: `For ${email}.` }),
  async 'status clear'({ accounts }) {
    await accounts.addStatus('A notice.')
    return {}
  },
  'maintenance on': () => ({ details: 'Back soon.' }),
  async 'maintenance off'({ accounts }) {
    await accounts.beginMaintenance('Back soon.')
    return {}
  },
  'mail list': account,
  'mail test': ({ fresh }) => ({ to: fresh }),
  'mail retry': ({ mailId }) => ({ id: mailId }),
  'acts list': account,
}

type HttpVerb = {
  [Name in VerbName]: Name extends `${'operator' | 'token'} ${string}` ? never : Name
}[VerbName]

/** The room, the tool and a token of all verbs, over one service that can send no mail. */
async function createUnderTest() {
  const streamOf = (id: string) => ({
    ...{ id, accountId: id.slice('of-'.length), address: '192.0.2.7', client: 'bot', connectedAt: 1_000 },
    ...{ lastSeenAt: 2_000, subscriptions: [], sentEvents: 3, sentBytes: 9, queuedBytes: 0, faults: 0 },
  })
  const under = await createRoomUnderTest({
    ...{ archive: anArchive(HALF_PAST, 30).archive },
    mail: { send: () => Promise.reject(new Error('away')), close: async () => {} },
    listConnections: async ({ id, accountId }) => ({
      rows: [streamOf(id ?? `of-${accountId}`)],
      missing: [],
    }),
  })
  const { accounts, app, clock, parts, sandbox } = under
  clock.now = HALF_PAST
  const { post } = await under.signedIn()
  const names = Object.keys(INPUTS) as HttpVerb[]
  const until = { from: null, until: null }
  const shop = `shop ${randomUUID().slice(0, 8)}`
  const token = await accounts.addToken({ name: shop, verbs: names, ...until })

  const byToken = (name: string, input: object, headers = {}) =>
    app.inject({
      ...{ method: 'POST', url: `/api/operator/${name.replace(' ', '/')}`, payload: input },
      headers: { authorization: `Bearer ${token}`, ...headers },
    })
  const rowsOf = (answer: Awaited<ReturnType<typeof byToken>>): unknown =>
    answer.json().rows ?? answer.json().errorMessage
  const tool = async (verb: VerbName, input: object): Promise<unknown> => {
    const rows: unknown[] = []
    const request = { verb, input: { ...input }, as: 'rows', actor: 'root' } as const
    try {
      for await (const said of answerTool(request, parts)) if ('row' in said) rows.push(said.row)
      return rows
    } catch (error) {
      return (error as Error).message
    }
  }
  return {
    ...{ ...under, byToken, tool },
    /** Each way to call a verb, with the actor of its acts. */
    ways: {
      tool: { actor: 'root', call: tool },
      room: {
        actor: under.operator.email,
        call: async (name: string, input: object) => rowsOf(await post(name.replace(' ', '/'), input)),
      },
      token: {
        actor: shop,
        call: async (name: string, input: object) => rowsOf(await byToken(name, input)),
      },
    },
    async aSubject() {
      const email = `s-${randomUUID()}@example.org`
      const { accountId } = await accounts.createAccount(email)
      await accounts.requestLogin(email)
      const [mail] = await accounts.listMails({ accountId }, 1)
      const to = new Date(HALF_PAST - (HALF_PAST % HOUR_MS))
      const order = await accounts.createOrder(accountId, { source: 'simulator', offer: 'day', to })
      await accounts.noteOrderTransaction(order.id, await sandbox.orders!.createTransaction(order))
      const noted = await accounts.findOrder(accountId, order.id)
      if (!noted || noted.status === 'sample') return expect.fail('there is no such order')
      for (const { body, signature } of sandbox.payOrder(noted)) {
        const event = sandbox.readWebhook(Buffer.from(body), signature)
        if (event && !('subscriptionId' in event)) await accounts.applyOrderEvent(event)
      }
      // What comes after it is later.
      clock.now += 100
      const fresh = `fresh-${randomUUID()}@example.org`
      const actors = ['root', shop, under.operator.email]
      return { accounts, actors, accountId, email, fresh, orderId: order.id, mailId: mail!.id }
    },
  }
}

/** Rows without what differs from one subject, moment or secret to the next. */
function plain(rows: unknown, { accountId, email, fresh, orderId, actors }: Subject): string {
  const text = actors.reduce((all, actor) => all.replaceAll(actor, 'actor'), JSON.stringify(rows))
  return text
    .replaceAll(accountId, 'account')
    .replaceAll(email, 'email')
    .replaceAll(fresh, 'fresh')
    .replaceAll(String(orderId), 'order')
    .replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, '"time"')
    .replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'uuid')
    .replace(/"[0-9a-f]{32}"|"[0-9a-f]{4}…[0-9a-f]{2}"/g, '"key"')
    .replace(/"id":\d+/g, '"id":0')
}

describe('every verb', () => {
  // Guards a verb that is added later: it is tried in all ways, or does not compile here.
  it('has the same rows and effect by tool, form and token, and leaves the act of its actor', async () => {
    const { aSubject, accounts, ways } = await createUnderTest()
    for (const name of Object.keys(INPUTS) as HttpVerb[]) {
      const said: string[] = []
      const isReading = findVerb(name)!.verb.access === 'read'
      // What is only read is the same thing for all.
      const shared = isReading ? await aSubject() : undefined
      for (const [via, { actor, call }] of Object.entries(ways)) {
        const subject = shared ?? (await aSubject())
        const input = await INPUTS[name](subject)
        const [before] = await accounts.listActs({}, 1)

        const rows = await call(name, input)

        expect(rows, `${name} by ${via}`).toBeInstanceOf(Array)
        for (const row of rows as unknown[]) VERBS[name].row.parse(row)
        const effect = [subject.email, subject.fresh].map((email) =>
          ways.tool.call('account show', { who: email }),
        )
        said.push(plain([rows, await Promise.all(effect)], subject))
        const acts = (await accounts.listActs({}, 9)).filter(({ id }) => id > (before?.id ?? 0))
        if (isReading) expect(acts, `${name} by ${via}`).toEqual([])
        else expect(acts[0], `${name} by ${via}`).toMatchObject({ actor, via, verb: name, outcome: 'done' })
      }
      expect.soft(said[1], `${name} by form and by tool`).toBe(said[0])
      expect.soft(said[2], `${name} by token and by tool`).toBe(said[0])
    }
    expect(Object.keys(INPUTS).sort()).toEqual(
      Object.keys(VERBS)
        .filter((name) => findVerb(name)!.verb.access !== 'machine')
        .sort(),
    )
  }, 300_000)

  it('of the machine alone is none for a token, whatever it names', async () => {
    const { accounts, byToken } = await createUnderTest()
    const machine = Object.keys(VERBS).filter((name) => findVerb(name)!.verb.access === 'machine')

    for (const name of machine)
      expect((await byToken(name, { email: 'x@example.org' })).statusCode, name).toBe(404)

    expect(machine).toEqual(expect.arrayContaining(['operator add', 'token add']))
    expect((await accounts.listOperators()).map(({ email }) => email)).not.toContain('x@example.org')
  })
})
