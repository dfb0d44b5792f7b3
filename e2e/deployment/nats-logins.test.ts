import { connect } from '@nats-io/transport-node'
import { ARCHIVE_ASKS, ASKS, type ControlMessage, type StreamEvent } from '@pairwire/contract'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { openNatsBus, readNatsAddress } from '../../packages/bus/src/nats/nats-bus.ts'
import { whyNoNatsServer } from '../../packages/bus/src/testing/nats-server.ts'
import { aBlock } from '../../packages/bus/src/testing/slot-end.ts'
import { isOldNats, startShippedNats } from './shipped-nats.ts'

type Login = 'ingest' | 'gateway' | 'api' | 'archiver'

const READS_EVENTS = ['STREAM.INFO', 'STREAM.MSG.GET', 'DIRECT.GET'].map(
  (verb) => `$JS.API.${verb}.PAIRWIRE_EVENTS`,
)

/** What each login may publish; it may publish nothing else of what any part publishes. */
const MAY: Readonly<Record<Login, readonly string[]>> = {
  ingest: [
    ...['pairwire.events', 'pairwire.live', 'pairwire.early', 'pairwire.control.passing.pairUpdate'],
    ...READS_EVENTS,
    ...['CREATE', 'UPDATE', 'INFO'].map((verb) => `$JS.API.STREAM.${verb}.PAIRWIRE_CONTROL`),
    ...['CREATE', 'UPDATE', 'PURGE'].map((verb) => `$JS.API.STREAM.${verb}.PAIRWIRE_EVENTS`),
    '$JS.API.CONSUMER.CREATE.PAIRWIRE_CONTROL',
  ],
  gateway: [
    ...['pairwire.early.wanted', 'pairwire.control.passing.spent', 'pairwire.ask.gateway.other.alive'],
    ...['pairwire.ask.archive.page', 'pairwire.ask.archive.state'],
    ...READS_EVENTS,
    '$JS.API.STREAM.INFO.PAIRWIRE_CONTROL',
    ...['EVENTS', 'CONTROL'].map((name) => `$JS.API.CONSUMER.CREATE.PAIRWIRE_${name}`),
  ],
  api: [
    ...['pairwire.control', 'pairwire.ask.ingest.state', 'pairwire.ask.gateway.other.streams'],
    ...['pairwire.ask.gateway.other.connections', 'pairwire.ask.archiver.all.process'],
    ...['pairwire.ask.archive.try', ...READS_EVENTS, '$JS.API.STREAM.INFO.PAIRWIRE_CONTROL'],
    ...['EVENTS', 'CONTROL'].map((name) => `$JS.API.CONSUMER.CREATE.PAIRWIRE_${name}`),
  ],
  archiver: [...READS_EVENTS, '$JS.API.STREAM.INFO.PAIRWIRE_CONTROL'],
}

const ANYBODYS = [
  ...new Set(Object.values(MAY).flat()),
  ...['EVENTS', 'CONTROL'].flatMap((name) => [
    ...[`STREAM.DELETE.PAIRWIRE_${name}`, `STREAM.MSG.DELETE.PAIRWIRE_${name}`].map(
      (verb) => `$JS.API.${verb}`,
    ),
    ...[`$JS.API.STREAM.SNAPSHOT.PAIRWIRE_${name}`, `$JS.API.CONSUMER.DURABLE.CREATE.PAIRWIRE_${name}.x`],
  ]),
  ...['$JS.API.STREAM.PURGE.PAIRWIRE_CONTROL', '$JS.API.STREAM.CREATE.OTHER', '$JS.API.STREAM.NAMES'],
  ...[
    '_INBOX.api.x',
    '_INBOX.gateway.x',
    '_INBOX.ingest.x',
    '_INBOX.archiver.x',
    'pairwire.control.passing',
    'other',
  ],
]

describe.skipIf(whyNoNatsServer() !== undefined)('the logins of deploy/nats.conf', () => {
  let server: Awaited<ReturnType<typeof startShippedNats>>
  beforeAll(async () => {
    server = await startShippedNats()
  })
  afterAll(() => server?.stop())

  it('come with a store that syncs every message to disk before acknowledging it, if the server supports that', async () => {
    const { jetstream } = await (await fetch(`${server.monitor}/varz`)).json()

    expect(jetstream.config.sync_always).toBe(isOldNats() ? undefined : true)
  })

  const urlOf = (login: Login) => server.url.replace('//', `//${login}:secret@`)
  const openBus = async (login: Login) => {
    const bus = await openNatsBus({
      address: readNatsAddress(urlOf(login)),
      source: 'chain',
      retention: { milliseconds: 3_600_000, bytes: 10_000_000 },
      log: {
        info() {},
        warn: (sentence, details) => warnings.push(`${login}: ${sentence} ${JSON.stringify(details)}`),
      },
      maxBytes: 1_000,
      takeOverMs: 0,
      publishes: login === 'ingest',
    })
    onTestFinished(bus.close)
    return bus
  }
  const warnings: string[] = []
  /** A connection of somebody who has obtained a login, and what it was refused. */
  const intrude = async (login: Login) => {
    const connection = await connect({ servers: server.url, user: login, pass: 'secret' })
    onTestFinished(() => connection.close())
    const refused: string[] = []
    const watch = async () => {
      for await (const status of connection.status()) {
        if (status.type === 'error')
          refused.push(/"([^"]+)"/.exec(status.error.message)?.[1] ?? status.error.message)
      }
    }
    void watch()
    return { connection, refused }
  }

  it('allow every part all of its work, in any order', async () => {
    const [gateway, api] = [await openBus('gateway'), await openBus('api')]
    const heard: StreamEvent[] = []
    const obeyed: string[] = []
    gateway.subscribe((events) => heard.push(...events))
    gateway.onControl(({ type }) => obeyed.push(type))
    gateway.onEarly(() => obeyed.push('early'))
    // For webhooks.
    const posted: StreamEvent[] = []
    api.subscribe((events) => posted.push(...events))
    api.onControl(({ type }) => obeyed.push(`${type} at the api`))
    gateway.answer(ASKS.openStreams('g'), () => ['a stream'])
    gateway.answer(ASKS.alive('g'), () => ({ open: 1 }))
    const [ingest, archiver] = [await openBus('ingest'), await openBus('archiver')]
    for (const ask of Object.values(ARCHIVE_ASKS)) archiver.answer(ask, () => ask)
    ingest.answer(ASKS.ingestState(), () => 'well')

    for (let slot = 1; slot <= 3; slot++) await ingest.publish([aBlock(slot)], `${slot}:hash`)
    await ingest.settled()
    await expect
      .poll(() => [heard, posted].map((events) => events.map(({ cursor }) => cursor)))
      .toEqual([1, 2].map(() => [1, 2, 3].map((slot) => aBlock(slot).cursor)))
    for (const bus of [gateway, api, ingest, archiver]) {
      const replayed: StreamEvent[] = []
      for await (const events of bus.replay(aBlock(1).cursor)) replayed.push(...events)
      expect(replayed.map(({ cursor }) => cursor)).toEqual([aBlock(2).cursor, aBlock(3).cursor])
      expect(await bus.newestCursor()).toBe(aBlock(3).cursor)
    }

    expect(await api.request(ASKS.ingestState(), {}, 5_000)).toBe('well')
    expect(await api.request(ASKS.openStreams('g'), {}, 5_000)).toEqual(['a stream'])
    expect(await gateway.request(ASKS.alive('g'), {}, 5_000)).toEqual({ open: 1 })
    for (const ask of [ARCHIVE_ASKS.page, ARCHIVE_ASKS.state]) {
      expect(await gateway.request(ask, {}, 5_000)).toBe(ask)
    }
    expect(await api.request(ARCHIVE_ASKS.try, {}, 5_000)).toBe(ARCHIVE_ASKS.try)
    await expect.poll(() => ingest.wantsEarly()).toBe(true)
    ingest.publishEarly({ kind: 'died', slot: '1', source: 0, bank: 1 })
    await gateway.sendControl({ type: 'spent', gatewayId: 'g', spent: {} })
    await api.sendControl({ type: 'keyReset', accountId: 'a' })
    await ingest.startOver()
    await ingest.publish([aBlock(1)], '1:other')
    await ingest.settled()

    await expect
      .poll(() => obeyed.sort())
      .toEqual(['early', 'keyReset', 'keyReset at the api', 'spent', 'spent at the api'])
    expect(warnings.filter((line) => /[Pp]ermission/.test(line))).toEqual([])
  })

  it.each(['ingest', 'gateway', 'api', 'archiver'] as const)(
    'let a holder of that of %s publish nothing else',
    async (login) => {
      const { connection, refused } = await intrude(login)

      for (const subject of ANYBODYS) connection.publish(subject, 'x')
      connection.publish('the.last.one')
      await expect.poll(() => refused).toContain('the.last.one')

      expect(refused.slice(0, -1).sort()).toEqual(
        ANYBODYS.filter((subject) => !MAY[login].includes(subject)).sort(),
      )
    },
  )

  it.each(['ingest', 'gateway', 'archiver'] as const)(
    'let nobody who has that of %s close the connections of an account',
    async (login) => {
      const victim = await openBus('gateway')
      const obeyed: ControlMessage[] = []
      victim.onControl((message) => obeyed.push(message))
      const { connection } = await intrude(login)
      const forged = JSON.stringify({ type: 'accountDeleted', accountId: 'a' })

      for (const way of [
        '',
        '.passing',
        '.passing.spent',
        '.passing.pairUpdate',
        '.passing.accountDeleted',
      ]) {
        connection.publish(`pairwire.control${way}`, forged)
      }
      await connection.flush()
      const api = await openBus('api')
      await api.sendControl({ type: 'keyReset', accountId: 'b' })

      await expect.poll(() => obeyed).toContainEqual({ type: 'keyReset', accountId: 'b' })
      expect(obeyed).toHaveLength(1)
    },
  )

  it('let no part hear the answers to another one', async () => {
    const { connection, refused } = await intrude('ingest')

    for (const subject of ['_INBOX.>', '_INBOX.api.>', 'pairwire.ask.gateway.>', '>'])
      connection.subscribe(subject)

    await expect.poll(() => refused).toEqual(['_INBOX.>', '_INBOX.api.>', 'pairwire.ask.gateway.>', '>'])
  })
})
