import { execFile, spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createFakeServer } from '@pairwire/client/testing'
import { describe, expect, it } from 'vitest'
import { startSdkService } from './testing/sdk-service.ts'
import { startSteering } from './testing/steering.ts'

const folder = fileURLToPath(new URL('../../../clients/python', import.meta.url))

/** A Python with the tests' packages (Debian: python3-pytest, python3-websockets); undefined if there is none. */
const python = ['python3', '/usr/bin/python3'].find(
  (name) => spawnSync(name, ['-c', 'import pytest, websockets']).status === 0,
)

/** Runs the Python client's tests on a service. @returns the last line, or all output if a test failed */
function runTests(service: { url: string; key: string }, name: string, steering: string): Promise<string> {
  const environment = {
    PAIRWIRE_URL: service.url,
    PAIRWIRE_KEY: service.key,
    PAIRWIRE_SERVICE: name,
    PAIRWIRE_STEERING: steering,
  }
  return new Promise((resolve) => {
    execFile(
      python!,
      ['-B', '-m', 'pytest', '-q', '--tb=native', '-p', 'no:cacheprovider', 'tests'],
      { cwd: folder, env: { ...process.env, PYTHONPATH: folder, ...environment } },
      (error, output) => resolve(error ? output : output.trim().split('\n').at(-1)!),
    )
  })
}

// Each is a whole run of pytest.
describe.skipIf(!python && !process.env.CI)('the Python client', { timeout: 300_000 }, () => {
  it('keeps its promises on the fake server', async () => {
    const server = await createFakeServer()

    const told = await runTests(server, 'fake', server.url.replace('ws', 'http'))

    await server.stop()
    expect(told).toMatch(/^\d+ passed in/)
  })

  it('keeps its promises on the gateway', async () => {
    const service = await startSdkService()
    const steering = await startSteering(service)

    const told = await runTests(service, 'gateway', steering.url)

    steering.stop()
    await service.stop()
    expect(told).toMatch(/^\d+ passed, \d+ deselected in/)
  })
})
