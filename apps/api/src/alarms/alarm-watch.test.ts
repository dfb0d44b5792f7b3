import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { systemClock } from '@pairwire/basics'
import { aFolder } from '@pairwire/basics/testing/a-folder'
import { AppError, HOUR_MS, MINUTE_MS, type SourceState } from '@pairwire/contract'
import { VERBS } from '@pairwire/contract/operator'
import { createMetrics, diskMetrics, partMetrics, readFigures } from '@pairwire/process'
import { describe, expect, it, onTestFinished } from 'vitest'
import { backupMetrics } from '../backup-clock.ts'
import { renderMail } from '../mails/render-mail.tsx'
import { answerCall } from '../operator/run-verb.ts'
import { openTestAccounts } from '../testing/api-under-test.ts'
import { createOperatorUnderTest, ROOM } from '../testing/operator-under-test.ts'
import { createPaddleUnderTest } from '../testing/paddle-under-test.ts'
import { createWebhookCounts } from '../webhook-counts.ts'
import { ALARM_RULES, ALARMS, type AlarmName } from './alarm-table.ts'
import { createAlarmWatch } from './alarm-watch.ts'

/** A chat that takes posts, or answers each with `status`. */
async function startChat() {
  const chat = {
    ...{ url: '', posts: [] as Record<string, string>[], tries: 0, status: 200 },
    /** What it waits for before it takes a post. */
    held: Promise.resolve(),
    /** Resolves once the reader has let go of an answer that never ends. */
    letGo: undefined as Promise<unknown> | undefined,
    isEndless: false,
  }
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const piece of request.setEncoding('utf8')) text += piece
    chat.tries++
    await chat.held
    if (chat.status === 200) chat.posts.push(JSON.parse(text))
    response.writeHead(chat.status)
    if (!chat.isEndless) return response.end()
    chat.letGo = once(
      response.on('error', () => {}),
      'close',
    )
    response.write('ok')
  }).listen(0, '127.0.0.1')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  chat.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/services/secret`
  return chat
}

const PROOF = { programs: {}, decoderAlarms: [], lagsByExchange: {} }

const IDLE = {
  ...{ part: 'service' as const, name: 'a:8080', version: '1', startedAt: 0 },
  ...{ cores: 0, memoryBytes: 0, loopDelayMs: 0 },
}

const NOTHING_SEEN = {
  ...{ latestBlock: 1, lags: { bounds: [], counts: [], sum: 0 }, events: {}, eventsPerSecond: 0, totals: {} },
  ...{ refusals: {}, solPrice: { usdPerSol: null, ageSeconds: null, spread: null, pools: [] } },
}

/** What the app with Paddle has beside accounts. */
type Paddle = Awaited<ReturnType<typeof createPaddleUnderTest>>

/** The watch over accounts, or over those of the app with Paddle, and what its alarms look at. */
async function createUnderTest(wanted?: 'paddle') {
  const clock = { now: Date.now() }
  const webhooks = createWebhookCounts(() => clock.now)
  const paddle = wanted && (await createPaddleUnderTest({}, { webhooks }))
  const accounts = paddle?.accounts ?? (await openTestAccounts(() => clock.now))
  const folder = aFolder()
  const chat = await startChat()
  const source = { up: true, lagMs: 800 as number | null, proof: PROOF as SourceState['proof'] }
  const state = {
    parts: { gateways: true } as Record<string, boolean>,
    isDatabaseAway: false,
    isBusAway: false,
    clockAheadMs: 0,
    diskFreeBytes: 5e9,
    archive: true,
    publicUrl: 'http://localhost:23000',
    backupFolder: undefined as string | undefined,
  }
  const { email } = await accounts.addOperator(`op-${randomUUID()}@example.org`, 'viewer')
  onTestFinished(() => accounts.removeOperator(email))
  const logged: string[] = []
  const log = (sentence: string, fields: Readonly<Record<string, unknown>> = {}) =>
    void logged.push(sentence, ...(fields.cause === undefined ? [] : [String(fields.cause)]))
  const watch = createAlarmWatch({
    accounts: {
      ...accounts,
      readAlarmFacts: async () => ({
        ...(await accounts.readAlarmFacts()),
        clockAheadMs: state.clockAheadMs,
      }),
    },
    leases: {
      async have(_work, action) {
        if (state.isDatabaseAway)
          throw Object.assign(new AppError('ERR_UNAVAILABLE'), { cause: 'It is full.' })
        await action()
      },
    },
    archive: {} as never,
    hasPlaces: true,
    health: () => state.parts,
    async listProcesses() {
      const { archive, backupFolder, diskFreeBytes, isBusAway } = state
      if (isBusAway) return []
      const kinds = [partMetrics(async () => ({ archive })), diskMetrics(() => diskFreeBytes)]
      const figures = await readFigures([...kinds, webhooks.metrics, backupMetrics(backupFolder)])()
      return [{ ...IDLE, figures }]
    },
    sourceState: () => ({ ...NOTHING_SEEN, ...source }),
    get publicUrl() {
      return state.publicUrl
    },
    adminUrl: undefined,
    alarmUrl: chat.url,
    roomUrl: 'https://ops.example/admin',
    clock: { ...systemClock, now: () => clock.now, wait: async () => {} },
    log: { info: log, warn: log, error: log },
  })
  const metrics = createMetrics([watch.metrics])
  return {
    ...{ accounts, chat, clock, email, folder, logged, paddle: paddle as Paddle, source, state, watch },
    /** Looks once, `afterMs` later. */
    async look(afterMs = 0) {
      clock.now += afterMs
      await watch.look()
      await watch.stop()
    },
    stands: async (name: AlarmName) =>
      Number(new RegExp(`^pairwire_alarm\\{name="${name}"\\} (\\d)$`, 'm').exec(await metrics.text())?.[1]),
    told: (name: AlarmName) => chat.posts.filter((post) => post.name === name).map((post) => post.state),
    /** What was mailed to the operator. */
    async mails(): Promise<string[]> {
      await paddle?.mailsSettled()
      const { mails } = await accounts.takeDueMails(1_000)
      const mine = mails.filter(({ to }) => to === email)
      const due = await Promise.all(mine.map((mail) => renderMail(mail, 'http://localhost:23000')))
      const sent = paddle?.mailbox.list().filter(({ to }) => to === email) ?? []
      return [...due, ...sent].map(({ subject }) => subject)
    },
  }
}

type UnderTest = Awaited<ReturnType<typeof createUnderTest>>

/** A server with a certificate of so many days. */
async function serveTls(folder: string) {
  const renew = (days: number) => {
    const [certificate, key] = [join(folder, 'certificate.pem'), join(folder, 'key.pem')]
    const kind = ['-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    const ways = ['-keyout', key, '-out', certificate, '-subj', '/CN=localhost', '-days', String(days)]
    execFileSync('openssl', ['req', ...kind, ...ways], { stdio: 'ignore' })
    return { cert: readFileSync(certificate), key: readFileSync(key) }
  }
  const server = createTlsServer(renew(3), (_request, response) => response.end()).listen(0, 'localhost')
  onTestFinished(() => void server.close())
  await once(server, 'listening')
  const renewed = () => server.setSecureContext(renew(90))
  return { url: `https://localhost:${(server.address() as AddressInfo).port}`, renewed }
}

/** What raises each alarm. @returns what mends it */
const CAUSES: Readonly<Record<AlarmName, (under: UnderTest) => Promise<() => unknown>>> = {
  async source_away({ source }) {
    source.up = false
    return () => (source.up = true)
  },
  async source_lag({ source }) {
    source.lagMs = 5_001
    return () => (source.lagMs = 5_000)
  },
  async decoder({ source }) {
    const alarm = { program: 'P', exchange: 'pumpfun', discriminator: null, example: null }
    source.proof = { ...PROOF, decoderAlarms: [{ ...alarm, share: 0.5, usualShare: 0 }] }
    return () => (source.proof = PROOF)
  },
  async gap({ source, clock }) {
    source.proof = { ...PROOF, gapAt: clock.now }
    return () => (clock.now += 10 * MINUTE_MS)
  },
  async audit_fault({ source }) {
    const audit = { host: '', slots: 60, events: 9, missing: 1, extra: 0, different: 0, faults: [] }
    const found = { ...audit, newest: null, trouble: null }
    source.proof = { ...PROOF, audit: { ...found, recent: { slots: 60, events: 9, faults: 1 } } }
    // The slot is not among the last 60 any more.
    return () =>
      (source.proof = { ...PROOF, audit: { ...found, recent: { slots: 60, events: 9, faults: 0 } } })
  },
  async gateway_away({ state }) {
    state.parts.gateways = false
    return () => (state.parts.gateways = true)
  },
  async database_away({ state }) {
    state.isDatabaseAway = true
    return () => (state.isDatabaseAway = false)
  },
  async disk({ state }) {
    state.diskFreeBytes = 999_999_999
    return () => (state.diskFreeBytes = 1_000_000_000)
  },
  async archive({ state }) {
    state.archive = false
    return () => (state.archive = true)
  },
  async mail({ accounts, clock }) {
    const email = `${randomUUID()}@example.org`
    await accounts.createAccount(email)
    await accounts.requestLogin(email)
    const { mails } = await accounts.takeDueMails(100)
    for (const { id, to } of mails) if (to === email) await accounts.noteMailFailed(id, true)
    return () => (clock.now += 25 * HOUR_MS)
  },
  async webhooks({ accounts }) {
    const email = `${randomUUID()}@example.org`
    await accounts.createAccount(email)
    const { accountId } = await accounts.grantPlan(email, 3)
    const body = {
      url: 'https://example.org/',
      kind: 'swap',
      params: {},
      maxEvents: 1,
      maxWaitMs: 0,
    } as const
    const { id } = await accounts.createWebhook(accountId, body, '')
    return () => accounts.deleteWebhook(accountId, id)
  },
  async billing_webhook({ paddle, clock }) {
    for (let count = 0; count < 3; count++) expect((await paddle.send('{}', 'forged')).statusCode).toBe(403)
    return () => (clock.now += 10 * MINUTE_MS)
  },
  async unknown_price({ paddle }) {
    const { accounts, send, report, accountId } = paddle
    await send(report('paid', 0, { items: [{ price: { id: `pri_${accountId}` } }] }))
    return () =>
      accounts.applyKnownPrices('paddle', (price) => (price === `pri_${accountId}` ? 1 : undefined))
  },
  async gone_account({ paddle }) {
    const { accounts, accountId, send, charge, refund } = paddle
    await accounts.deleteAccount(accountId)
    await send(charge('late', 4))
    return () => send(refund('given-back', 5))
  },
  async order_failed({ accounts, clock, email }) {
    await accounts.createAccount(email)
    const to = new Date((Math.floor(clock.now / HOUR_MS) - 9) * HOUR_MS)
    const order = await accounts.grantOrder(email, { source: 'simulator', offer: 'hour', to })
    await accounts.settleOrder(order, [to.getTime() - HOUR_MS])
    return () => accounts.settleOrder(order, [])
  },
  async backup({ state, folder, clock }) {
    const back = (hours: number) => {
      const at = new Date(clock.now - hours * HOUR_MS).toISOString().replaceAll(':', '-')
      writeFileSync(join(folder, `daily-${at}.zip`), '')
    }
    back(49)
    state.backupFolder = folder
    return () => back(1)
  },
  async certificate({ state, folder }) {
    const { url, renewed } = await serveTls(folder)
    state.publicUrl = url
    return renewed
  },
  async clock({ state }) {
    state.clockAheadMs = -2_001
    return () => (state.clockAheadMs = 1_900)
  },
}

const OF_PADDLE: readonly AlarmName[] = ['billing_webhook', 'unknown_price', 'gone_account']

describe('the alarm', () => {
  it.each(ALARM_RULES)(
    '$name is raised by its cause, told once, and over when that is mended',
    async (rule) => {
      const { name, patienceMs, sentence } = rule
      const under = await createUnderTest(OF_PADDLE.includes(name) ? 'paddle' : undefined)
      const { chat, look, logged, mails, stands, told } = under
      await look()
      expect([await stands(name), told(name)]).toEqual([0, []])

      const mend = await CAUSES[name](under)
      await look()
      if (patienceMs > 0) expect([await stands(name), told(name)]).toEqual([0, []])
      await look(patienceMs)
      await look()

      expect([await stands(name), told(name)]).toEqual([1, ['begun']])
      expect(chat.posts.find((post) => post.name === name)).toEqual({
        text: expect.stringMatching(/^Alarm at [\w.:]+: /),
        ...{ name, state: 'begun', at: expect.stringMatching(/Z$/) },
      })
      const begun = await mails()
      await mend()
      await look()
      expect([await stands(name), told(name)]).toEqual([0, ['begun', 'ended']])
      expect(logged).toEqual(expect.arrayContaining([`Alarm: ${sentence}`, `Over: ${sentence}`]))
      // No mail can be queued while the database is away.
      const subjects = name === 'database_away' ? [] : [`Alarm: ${sentence}`, `Over: ${sentence}`]
      const mailed = [...new Set([...begun, ...(await mails())])]
      expect(mailed.filter((subject) => subject.endsWith(sentence)).sort()).toEqual(subjects)
    },
  )

  it('that comes and goes is told once an hour, and stands meanwhile', async () => {
    const { look, source, stands, told } = await createUnderTest()
    const turn = async (up: boolean, afterMs = 0) => {
      source.up = up
      await look(afterMs)
      await look(2 * MINUTE_MS)
      return [await stands('source_away'), told('source_away').length]
    }
    // Beyond what other tests of this file told.
    await turn(true, 24 * HOUR_MS)

    expect(await turn(false)).toEqual([1, 1])
    expect(await turn(true)).toEqual([0, 2])
    expect(await turn(false)).toEqual([1, 2])
    expect(await turn(true)).toEqual([0, 2])
    expect(await turn(false)).toEqual([1, 2])
    await look(HOUR_MS)
    expect(told('source_away')).toEqual(['begun', 'ended', 'begun'])
  })

  // Guards the operator who has nothing but the chat.
  it('is posted with three tries, and its address stands in no log', async () => {
    const { chat, state, look, logged, told } = await createUnderTest()
    state.isDatabaseAway = true
    await look()
    chat.status = 500
    await look(MINUTE_MS)
    expect([chat.tries, told('database_away')]).toEqual([3, []])
    expect(logged).toContain('ALARM_URL did not take an alarm.')
    expect(logged.join()).not.toContain('secret')
  })

  it('stands in the log with the reason why the database is away', async () => {
    const { look, logged, state } = await createUnderTest()
    state.isDatabaseAway = true
    await look()
    await look(MINUTE_MS)
    expect(logged).toEqual(['Alarm: The database is away: nobody can sign in.', 'It is full.'])
  })

  it('is still posted when the service ends, and leaves no connection to the chat', async () => {
    const { chat, clock, look, state, told, watch } = await createUnderTest()
    state.isDatabaseAway = true
    await look()
    let release = () => {}
    chat.held = new Promise((resolve) => {
      release = resolve
    })
    chat.isEndless = true
    clock.now += MINUTE_MS
    await watch.look()
    const stopped = watch.stop()
    expect(told('database_away')).toEqual([])

    release()
    await stopped

    expect(told('database_away')).toEqual(['begun'])
    await chat.letGo
  })

  it('stays as it is while its condition is unknown', async () => {
    const { look, state, stands } = await createUnderTest()
    state.diskFreeBytes = 1
    await look()
    state.publicUrl = 'https://127.0.0.1:1'
    await look()
    expect([await stands('disk'), await stands('certificate')]).toEqual([1, 0])
  })

  // Guards the operator whose NATS is away: a disk that is still full is not over, and an archiver is not known to be away.
  it('stays as it is while no process answers', async () => {
    const { look, state, stands } = await createUnderTest()
    state.diskFreeBytes = 1
    await look()
    state.isBusAway = true
    await look()
    await look(2 * MINUTE_MS)
    expect([await stands('disk'), await stands('archive')]).toEqual([1, 0])
  })
})

describe("the operator's verbs on alarms", () => {
  it('list each alarm of the table, and send a test by mail and to ALARM_URL, with its acts', async () => {
    const chat = await startChat()
    const { accounts, call, tool, operatorParts, email, mailbox, mailsSettled } =
      await createOperatorUnderTest()
    await accounts.addOperator(`one-${email}`, 'operator')
    const { length } = await accounts.listOperators()
    const test = (alarmUrl: string | undefined) =>
      answerCall({ name: 'alarms test', input: {} }, ROOM, { ...operatorParts, alarmUrl })

    const { rows } = await call('alarms list')
    const quiet = await test(undefined)
    const sent = await test(chat.url)

    for (const row of rows) VERBS['alarms list'].row.parse(row)
    expect(rows.map((row) => (row as { name: string }).name)).toEqual(Object.keys(ALARMS))
    expect(await tool('alarms list', {})).toEqual(rows)
    expect([quiet.rows, sent.rows]).toEqual([
      [{ mails: length, posted: null }],
      [{ mails: length, posted: true }],
    ])
    expect(chat.posts).toMatchObject([{ name: 'test', state: 'test' }])
    await mailsSettled()
    const mail = mailbox.list().find(({ to }) => to === `one-${email}`)
    expect(mail?.subject).toBe('Test: Nothing is wrong. This is how an alarm reaches you.')
    const acts = await accounts.listActs({}, 2)
    expect(acts).toMatchObject([
      { verb: 'alarms test', outcome: 'done' },
      { verb: 'alarms test', outcome: 'asked' },
    ])
  })
})
