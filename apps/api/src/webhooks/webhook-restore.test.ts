import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backUpToFile, createAccounts, type Database, restore } from '@pairwire/accounts'
import { createPgliteFolder, MIGRATIONS, WORKER_URL } from '@pairwire/accounts/testing/pglite-folders'
import { systemClock } from '@pairwire/basics'
import { createInProcessBus } from '@pairwire/bus'
import { createPublicPost } from '@pairwire/public-fetch'
import { expect, it, onTestFinished } from 'vitest'
import { openTestDatabase, TEST_SECRETS } from '../testing/test-database.ts'
import { slotEvents } from '../testing/webhook-chain.ts'
import { startReceiver } from '../testing/webhook-receiver.ts'
import { until } from '../testing/webhooks-under-test.ts'
import { WebhookLoop } from './webhook-loop.ts'

// Not by its name: other checkouts may lack the package, which only tests use.
const { Webhook } = await import(['standardwebhooks'][0]!)

it('a restored endpoint goes on from its place with its secret and its dead letters, and gives no number twice', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-restore-'))
  const kept = await createPgliteFolder()
  const receiver = await startReceiver()
  const bus = createInProcessBus({ maxBytes: 10_000_000 })
  onTestFinished(async () => {
    await receiver.stop()
    kept.remove()
    rmSync(folder, { recursive: true })
  })
  const serve = ({ db, barrier }: Database) => {
    const accounts = createAccounts({ db, barrier, clock: Date.now, secrets: TEST_SECRETS })
    const posting = createPublicPost({ own: [], isLocal: true })
    const log = { info() {}, warn() {}, error() {} }
    const parts = { accounts, bus, posting, simulated: false, hasPlaces: true, leaseMs: 3_000 }
    const loop = new WebhookLoop({ ...parts, clock: systemClock, log })
    loop.start()
    return { accounts, loop }
  }
  let slot = 1
  const swaps = async (count: number) => {
    const cursors: string[] = []
    while (cursors.length < count) {
      const events = slotEvents(++slot)
      cursors.push(...events.flatMap(({ kind, cursor }) => (kind === 'swap' ? [cursor] : [])))
      await bus.publish(events)
    }
    return cursors
  }

  const database = await openTestDatabase(kept.folder)
  const { accounts, loop } = serve(database)
  await accounts.createAccount('mara@example.org')
  const { accountId } = await accounts.grantPlan('mara@example.org', 3)
  await swaps(1)
  const body = { url: receiver.url, kind: 'swap' as const, params: {}, maxEvents: 5, maxWaitMs: 0 }
  const { id, secret } = await accounts.createWebhook(accountId, body, (await bus.newestCursor())!)
  await bus.sendControl({ type: 'webhooksChanged', accountId })
  const note = accounts.noteAnswer
  Object.assign(accounts, {
    // Its first refusal is as good as the sixth here.
    noteAnswer: (answer: Parameters<typeof note>[0]) =>
      note(
        answer.outcome.is === 'again'
          ? { ...answer, outcome: { is: 'dead', status: 400, body: 'no' } }
          : answer,
      ),
  })
  let isFirst = true
  receiver.answer = () => {
    const answer = isFirst ? 400 : 200
    isFirst = false
    return answer
  }
  const before = await swaps(20)
  await until(() => receiver.cursors().includes(before.at(-1)))
  await until(async () => (await accounts.getWebhook(accountId, id)).row.message === null)
  const file = join(folder, 'one.zip')
  const parts = { migrationsFolder: MIGRATIONS, version: '0.1.0' }
  const place = { folder: kept.folder, workerUrl: WORKER_URL }
  await backUpToFile({ ...parts, place, dataFolder: kept.folder }, file)
  const after = await swaps(20)
  await until(() => receiver.cursors().includes(after.at(-1)))
  await loop.stop()
  await database.close()

  const again = { folder: join(folder, 'database'), workerUrl: WORKER_URL }
  await restore(file, { ...parts, place: again, dataFolder: folder }, () => [TEST_SECRETS])
  const first = receiver.got.splice(0)
  const restored = await openTestDatabase(again.folder)
  const second = serve(restored)
  await until(() => receiver.cursors().includes(after.at(-1)))

  expect(receiver.cursors()).toEqual(after)
  for (const { text, headers } of receiver.got) new Webhook(secret).verify(text, headers as never)
  const numbers = first.map((post) => post.id)
  expect(receiver.got.filter((post) => numbers.includes(post.id))).toEqual([])
  const [letter, ...more] = await second.accounts.listDeadLetters(accountId, id)
  expect(more).toEqual([])
  expect(letter).toMatchObject({ first: before[0], status: 400, body: 'no' })
  await second.accounts.queueDeadLetter(accountId, id, letter!.n, async () => {})
  await bus.sendControl({ type: 'webhooksChanged', accountId })
  await until(() => receiver.cursors().includes(before[0]))
  await second.loop.stop()
  await restored.close()
}, 120_000)
