import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, inject, onTestFinished } from 'vitest'
import { chromePath, expectClean } from './browser.ts'
import { test } from './browser-test.ts'
import { signInNew } from './people.ts'
import { STORY_MS } from './story-time.ts'

const service = { url: inject('serviceUrl'), dataFolder: inject('dataFolder') }

type Message = { type: string; data: { endpoint: string; events: { cursor: string }[] } }

/** A script on this machine that takes messages, or answers with `status` for as long as it is set. */
async function aReceiver() {
  const taken: Message[] = []
  const receiver = { url: '', taken, status: 204 }
  const server = createServer(async (request, response) => {
    const body = Buffer.concat(await request.toArray())
    if (receiver.status === 204) taken.push(JSON.parse(body.toString()))
    response.writeHead(receiver.status).end()
  })
  server.listen(0, 'localhost')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  receiver.url = `http://localhost:${(server.address() as AddressInfo).port}/`
  return receiver
}

describe.skipIf(!chromePath)('Webhooks of the real service', () => {
  test('an account makes an endpoint, a script on this machine gets swaps and a sample, each swap once and in order, also over its own failures; paused and deleted, it gets nothing', {
    timeout: STORY_MS,
  }, async ({ open }) => {
    const receiver = await aReceiver()
    const page = await open()
    await signInNew(page, service, 'pro')
    const panel = page.getByRole('region', { name: 'Webhooks' })

    await panel.getByRole('button', { name: 'New endpoint' }).click()
    await panel.getByLabel('Address').fill('https://127.0.0.1:4000/')
    await panel.getByRole('button', { name: 'All swaps' }).click()
    await panel.getByRole('button', { name: 'Create endpoint' }).click()
    await panel.getByText(/url must be a public https address/).waitFor()
    await panel.getByLabel('Address').fill(receiver.url)
    await panel.getByRole('button', { name: 'Create endpoint' }).click()
    await panel.getByText(/^whsec_/).waitFor()
    await panel.getByRole('button', { name: 'Done' }).click()

    await expect.poll(() => receiver.taken.filter(({ type }) => type === 'swap').length).toBeGreaterThan(2)
    await panel.getByRole('button', { name: /^Test/ }).click()
    await panel.getByText(/^204 after/).waitFor()
    expect(receiver.taken.some(({ type }) => type === 'test')).toBe(true)
    await panel.getByText(/\d events in \d+ messages · last answer 204/).waitFor()
    await expectClean(page)

    receiver.status = 503
    await panel.getByText('Failing', { exact: true }).waitFor()
    receiver.status = 204
    await panel.getByText('Failing', { exact: true }).waitFor({ state: 'detached' })
    await panel.getByRole('button', { name: /^Manage/ }).click()
    await panel.getByRole('button', { name: 'Pause' }).click()
    await panel.getByText('Paused', { exact: true }).waitFor()
    await panel.getByText('None: every message was taken.').waitFor()

    const cursors = receiver.taken
      .filter(({ type }) => type === 'swap')
      .flatMap(({ data }) => data.events.map(({ cursor }) => cursor))
    expect(cursors).toEqual([...new Set(cursors)].sort())

    await panel.getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await panel.getByText('0 of 10 endpoints').waitFor()
  })
})
