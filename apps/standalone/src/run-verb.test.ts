import { mkdirSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { lockDataFolder } from '@pairwire/accounts/lock-data-folder'
import { socketPath } from '@pairwire/accounts/socket-path'
import { aFolder } from '@pairwire/basics/testing/a-folder'
import { CONTROL_SOCKET } from '@pairwire/contract/operator'
import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { runVerb } from './run-verb.ts'

afterEach(() => {
  vi.unstubAllEnvs()
  vi.restoreAllMocks()
})

it('a verb of the operator waits for a service that is starting, and asks it', async () => {
  const folder = aFolder()
  mkdirSync(join(folder, 'database/cluster'), { recursive: true })
  vi.stubEnv('DATA_DIR', folder)
  const told = vi.spyOn(console, 'error').mockReturnValue()
  const lock = await lockDataFolder(folder)
  onTestFinished(() => lock.release())

  const status = runVerb(['maintenance', 'off'])
  await expect.poll(() => told.mock.calls, { timeout: 20_000 }).toHaveLength(1)
  const asked: string[] = []
  const service = createServer((socket) => {
    socket.on('data', (line) => {
      asked.push(JSON.parse(String(line)).verb)
      socket.end('{"done":true}\n')
    })
  }).listen(socketPath(folder, CONTROL_SOCKET))
  onTestFinished(() => void service.close())

  expect([await status, asked]).toEqual([0, ['maintenance off']])
  expect(told).toHaveBeenCalledExactlyOnceWith(
    'Another process uses DATA_DIR; this waits for it, a minute at most.',
  )
})
