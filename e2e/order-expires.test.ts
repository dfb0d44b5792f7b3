import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openTestDatabase, TEST_SECRETS } from '../apps/api/src/testing/test-database.ts'
import { Archiver } from '../apps/archiver/src/index.ts'
import { aStreamBlock, ONE_O_CLOCK } from '../apps/archiver/src/testing/a-stream.ts'
import { anEngine } from '../apps/archiver/src/testing/an-engine.ts'
import { createGateway, takeStreams } from '../apps/gateway/src/index.ts'
import { connectClient, type Frame } from '../apps/gateway/src/testing/test-client.ts'
import { createAccounts } from '../packages/accounts/src/index.ts'
import { copyPgliteTemplate } from '../packages/accounts/src/testing/pglite-folders.ts'
import { createArchive, openFolderStorage } from '../packages/archive/src/index.ts'
import { systemClock } from '../packages/basics/src/index.ts'
import { createInProcessBus } from '../packages/bus/src/index.ts'
import { DAY_MS } from '../packages/contract/src/time-units.ts'
import { STORY_MS } from './story-time.ts'

const TWO_O_CLOCK = ONE_O_CLOCK + 3_600
const HOURS_END = new Date((ONE_O_CLOCK + 7_200) * 1_000)

/** Archive, accounts and gateway as in the service; the test sets the clock of the accounts. */
async function openParts() {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-order-expires-'))
  const log = {
    info() {},
    warn: (sentence: string) => expect.unreachable(sentence),
    error: (sentence: string) => expect.unreachable(sentence),
  }
  const clock = { now: Date.now() }
  const bus = createInProcessBus({ maxBytes: 10_000_000 })
  const database = await openTestDatabase(await copyPgliteTemplate(join(folder, 'database')))
  const accounts = createAccounts({ ...database, clock: () => clock.now, secrets: TEST_SECRETS })
  const archive = createArchive(await openFolderStorage(join(folder, 'archive')), systemClock)
  const archiver = new Archiver({
    ...{ bus, archive, source: 'chain', folder: join(folder, 'archiver') },
    ...{ clock: systemClock, log, freeBytes: () => undefined, engine: anEngine(systemClock) },
  })
  const gateway = createGateway({
    ...{
      bus,
      accounts,
      log,
      source: 'chain',
      docsUrl: '',
      supportEmail: 'support@pairwire.example',
      clientAddress: () => '127.0.0.1',
    },
  })
  const server = createServer().listen(0, '127.0.0.1')
  takeStreams(server, gateway)
  await once(server, 'listening')
  onTestFinished(async () => {
    await gateway.close()
    server.close()
    await archiver.stop()
    await bus.close()
    await database.close()
    rmSync(folder, { recursive: true })
  })
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/` // it listens on a port
  return { bus, accounts, archiver, clock, url }
}

// Guards what was paid for: the hours of an order are not played beyond its end.
it(
  'a playback whose order expires in the middle ends at the next hour with a sentence; the connection stays, and the hour is refused',
  async () => {
    const { bus, accounts, archiver, clock, url } = await openParts()
    const at = (slot: number, blockTime: number) => aStreamBlock(slot, { blockTime })
    // The oldest block may be a part; the next one begins an hour, so the one after that is complete, and the sample.
    const before = [at(1, ONE_O_CLOCK - 2), at(2, ONE_O_CLOCK - 1), at(3, ONE_O_CLOCK)]
    const seconds = Array.from({ length: 40 }, (_, second) => at(4 + second, TWO_O_CLOCK - 20 + second))
    const after = at(44, HOURS_END.getTime() / 1_000)
    for (const block of [...before, ...seconds, after]) await bus.publish(block)
    archiver.start()
    await archiver.settled()
    const email = 'buyer@example.org'
    const { account } = await accounts.createAccount(email)
    const order = await accounts.grantOrder(email, { source: 'chain', offer: 'day', to: HOURS_END })
    clock.now += 29 * DAY_MS
    await accounts.grantPlan(email, 2)
    const client = await connectClient(url, { headers: { 'X-API-KEY': account.user.APIKey } })
    const play = (from: string) => ({
      ...{ id: 1, method: 'swapSubscribe' },
      params: { replay: { from: `2026-11-23T${from}Z`, to: '2026-11-23T14:00:20Z', speed: 10 } },
    })

    expect((await client.ask(play('13:59:40'))).result).toMatchObject({ replay: { speed: 10 } })
    client.send('{"method":"startSimulation"}')
    const frames: Frame[] = [await client.next(), await client.next()]
    expect(order.expiresAt!.getTime()).toBeGreaterThan(clock.now)
    clock.now += 2 * DAY_MS
    while (frames.at(-1).method !== 'subscriptionClosed') frames.push(await client.next())

    const sentence =
      'You have no order for 2026-11-23 14:00 UTC. Buy it in the shop, or replay the sample hour 20261123-130000.'
    expect(frames.at(-1)).toMatchObject({ errorType: 'NO_ORDER', reason: sentence })
    const slots = frames.flatMap(({ params }) => params?.slot ?? [])
    expect(slots).toEqual(Array.from({ length: 20 }, (_, second) => 4 + second))
    expect((await client.ask(play('14:00:00'))).error).toMatchObject({ code: -32015, message: sentence })
  },
  STORY_MS,
)
