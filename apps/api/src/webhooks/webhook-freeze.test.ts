import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAccounts, openDatabase } from '@pairwire/accounts'
import { MIGRATIONS } from '@pairwire/accounts/testing/pglite-folders'
import { createPostgresDatabase, startPostgres } from '@pairwire/accounts/testing/postgres-server'
import { bundleScript } from '@pairwire/basics/testing/bundle-script'
import { expect, it, onTestFinished } from 'vitest'
import { TEST_SECRETS } from '../testing/test-database.ts'
import { slotEvents } from '../testing/webhook-chain.ts'
import { type Got, type Reply, startReceiver } from '../testing/webhook-receiver.ts'
import { until } from '../testing/webhooks-under-test.ts'

const CHILD = new URL('../testing/webhooks-child.ts', import.meta.url)
const LEASE_MS = 1_000

it('an api that stands for longer than its lease in the middle of a post is replaced, and disturbs nothing as it goes on: each event comes in order, is counted once, and twice only under the same id', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'pairwire-freeze-'))
  const server = await startPostgres()
  const children: ChildProcess[] = []
  const receiver = await startReceiver()
  const { url } = await createPostgresDatabase(server.adminUrl)
  const log = { info() {}, warn() {}, error() {} }
  const database = await openDatabase({ url }, { migrationsFolder: MIGRATIONS, log })
  onTestFinished(async () => {
    for (const child of children) child.kill('SIGKILL')
    await receiver.stop()
    await database.close()
    await server.stop()
    rmSync(folder, { recursive: true })
  })
  const accounts = createAccounts({ ...database, clock: Date.now, secrets: TEST_SECRETS })
  await accounts.createAccount('mara@example.org')
  const { accountId } = await accounts.grantPlan('mara@example.org', 3)
  const body = { kind: 'swap' as const, params: {}, maxEvents: 10, maxWaitMs: 0 }
  const place = '000000000-000000000001-999999-9000'
  const { id } = await accounts.createWebhook(accountId, { ...body, url: receiver.url }, place)
  const begin = Date.now()
  const open = async (name: string) => {
    const args = [url, join(folder, name), String(begin), MIGRATIONS, '1', String(LEASE_MS)]
    const child = fork(await bundleScript(CHILD), args)
    children.push(child)
    await once(child, 'message')
    return child
  }
  let giveHeld = (_reply: Reply) => {}
  const held = new Promise<Reply>((resolve) => {
    giveHeld = resolve
  })
  let middle: Got | undefined
  const isMiddle = (post: Got) => {
    middle ??= Number(post.id.split('_').at(-1)) === 3 ? post : undefined
    return post === middle
  }
  receiver.answer = (post) => (isMiddle(post) ? held : 200)
  const comes = (more: number) => {
    const count = receiver.got.length + more
    return until(() => receiver.got.length >= count, 60_000)
  }

  const one = await open('one')
  await until(() => middle, 60_000)
  one.kill('SIGSTOP')
  const two = await open('two')
  await comes(4)
  giveHeld(200)
  one.kill('SIGCONT')
  await comes(4)
  two.kill('SIGKILL')
  await comes(4)
  one.kill('SIGSTOP')
  const row = await accounts.getWebhook(accountId, id)

  const bodies = new Map(receiver.got.map((post) => [post.id, post]))
  for (const { id, text } of receiver.got) expect(text).toBe(bodies.get(id)!.text)
  expect(receiver.got.filter((post) => post.id === middle!.id).length).toBeGreaterThan(1)
  const numbers = [...bodies.keys()].map((id) => Number(id.split('_').at(-1)))
  expect(numbers).toEqual(numbers.map((_number, at) => at + 1))
  const cursors = [...bodies.values()].flatMap((post) => post.body.data.events.map(({ cursor }) => cursor))
  const chain = Array.from({ length: 10_000 }, (_, at) => slotEvents(at + 2)).flat()
  const expected = chain.filter(({ kind }) => kind === 'swap').map(({ cursor }) => cursor)
  expect(cursors).toEqual(expected.slice(0, cursors.length))
  const noted = cursors.filter((cursor) => cursor! <= row.row.place).length
  expect(row.webhook.counters.events).toBe(noted)
}, 120_000)
