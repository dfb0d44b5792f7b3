import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import type { ServiceUnderTest } from '@pairwire/client/promises'
import { startFakeService } from '@pairwire/client/testing/fake-service'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect } from 'vitest'
import { startSdkService } from '../apps/gateway/src/testing/sdk-service.ts'
import { chromePath } from './browser.ts'
import { test } from './browser-test.ts'
import type { Outcome } from './sdk/vitest-in-browser.ts'

const inBrowser = chromePath ? test : test.skip

/** Running services, by number. */
const services: ServiceUnderTest[] = []
const server = createServer(async (request, response) => {
  const { type, body } = await answer(request)
  response.writeHead(200, { 'Content-Type': type }).end(body)
})
let suite = ''

beforeAll(async () => {
  const pathOf = (name: string) => fileURLToPath(new URL(`sdk/${name}`, import.meta.url))
  const { outputFiles } = await build({
    ...{ entryPoints: [pathOf('promises-in-browser.ts')], write: false, bundle: true, format: 'esm' },
    alias: { vitest: pathOf('vitest-in-browser.ts') },
  })
  suite = outputFiles[0]!.text
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => void server.close())

inBrowser(
  'the SDK keeps its promises in a page, and in a worker in it',
  { timeout: 180_000 },
  async ({ open }) => {
    const page = await open()
    await page.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)

    for (const where of ['runTests', 'runInWorker'] as const) {
      const outcomes: Outcome[] = await page.evaluate(`${where}()`)

      const failures = outcomes.filter(({ error }) => error).map(({ name, error }) => `${name}: ${error}`)
      expect(failures, failures.join('\n')).toEqual([])
      expect(outcomes.length).toBeGreaterThan(100)
    }
  },
)

/** The page, its script, or the answer of a service that it named. */
async function answer(request: IncomingMessage): Promise<{ type: string; body: string }> {
  const [, name = '', verb = ''] = request.url!.split('/')
  if (name === 'suite.js') return { type: 'text/javascript', body: suite }
  if (name === '')
    return { type: 'text/html', body: '<!doctype html><script type="module" src="/suite.js"></script>' }
  const result = await act(name, verb, JSON.parse(await text(request)))
  return { type: 'application/json', body: JSON.stringify(result ?? null) }
}

async function act(name: string, verb: string, given: unknown[]): Promise<unknown> {
  if (name !== 'start') return Reflect.get(services[Number(name)]!, verb).apply(services[Number(name)], given)
  const service = verb === 'gateway' ? await startSdkService() : await startFakeService()
  const { url, key } = service
  return { id: services.push(service) - 1, url, key }
}
