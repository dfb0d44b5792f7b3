import { randomBytes } from 'node:crypto'
import type { Locator } from 'playwright-core'
import { vi } from 'vitest'
import type { WatchedPage } from '../browser.ts'
import { SOON_MS } from '../story-time.ts'
import { type ApiDouble, TRIAL_ACCOUNT } from './api-double.ts'
import { test as base, serviceUrl, type Visit } from './dashboard-test.ts'
import { type Connection, type StreamDouble, startStreamDouble } from './stream-double.ts'

/** A console that a test works with, and the stream behind it. */
export type OpenedConsole = Readonly<{
  page: WatchedPage
  api: ApiDouble
  /** The account's key, of this test alone. */
  key: string
  stream: StreamDouble
  editor: Locator
  startButton: Locator
  stopButton: Locator
  /** The rows of the list, newest first, including those out of sight. */
  rows: Locator
  /** The words of the visible status readout. */
  status: Locator
  received: () => Promise<number>
  /** What the page last put on the clipboard; the machine's own is shared by all pages. */
  copied: () => Promise<string | undefined>
  /** Presses Start. @returns the connection, once both requests have arrived on it */
  start: () => Promise<Connection>
  /** The current connection, once there have been `count` of them. */
  connection: (count?: number) => Promise<Connection>
}>

/** A test with `openConsole()`: the console's page, with its API and its stream played by the test. */
export const test = base.extend<{
  stream: StreamDouble
  openConsole: (options?: Visit) => Promise<OpenedConsole>
}>({
  stream: [
    // biome-ignore lint/correctness/noEmptyPattern: Vitest reads which fixtures are needed from the pattern
    async ({}, use) => {
      const stream = await startStreamDouble(serviceUrl)
      await use(stream)
      await stream.close()
    },
    { scope: 'file' },
  ],
  openConsole: async ({ visit, stream }, use) => {
    await use(async (options = {}) => {
      const key = randomBytes(16).toString('hex')
      const account = { ...TRIAL_ACCOUNT, user: { ...TRIAL_ACCOUNT.user, APIKey: key } }
      const { page, api } = await visit('/dashboard/console', {
        account,
        origin: stream.url,
        ...options,
        before: async (api, page) => {
          await page.addInitScript(() => {
            Clipboard.prototype.writeText = async (text) => void Object.assign(globalThis, { copied: text })
          })
          await options.before?.(api, page)
        },
      })
      const editor = page.getByLabel('Subscription request')
      // On narrow screens it is in a drawer.
      await editor.waitFor({ state: 'attached' })
      const startButton = page.getByRole('button', { name: 'Start', exact: true })
      const connection = async (count = 1) => {
        return until(() => stream.connections(key)[count - 1])
      }
      return {
        page,
        api,
        key,
        stream,
        editor,
        startButton,
        stopButton: page.getByRole('button', { name: 'Stop', exact: true }),
        rows: page.locator('.event-row'),
        status: page.locator('[data-status]:visible'),
        received: async () => Number(await page.locator('[data-received]').getAttribute('data-received')),
        copied: () => page.evaluate('globalThis.copied'),
        connection,
        start: async () => {
          const before = stream.connections(key).length
          await startButton.click()
          const made = await connection(before + 1)
          await until(() => made.texts.length >= 2)
          return made
        },
      }
    })
  },
})

/** Waits until `look` returns something. @throws if it never does */
function until<Found>(look: () => Found | undefined | false): Promise<Found> {
  return vi.waitFor(
    () => {
      const found = look()
      if (found === undefined || found === false) throw new Error('Nothing came over the stream.')
      return found
    },
    { timeout: SOON_MS, interval: 10 },
  )
}
