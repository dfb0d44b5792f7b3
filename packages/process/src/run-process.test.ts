import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { bundleScript } from '@pairwire/basics/testing/bundle-script'
import { expect, it } from 'vitest'

it.skipIf(process.platform !== 'linux')(
  'a process goes on when the disk that its lines are written to is full',
  async () => {
    const full = openSync('/dev/full', 'w')
    const script = await bundleScript(new URL('./testing/logging-child.ts', import.meta.url))
    const child = spawn(process.execPath, [script], { stdio: ['ignore', full, full, 'ipc'] })

    expect((await once(child, 'message'))[0]).toBe('It goes on.')
    child.kill('SIGKILL')
    closeSync(full)
  },
)

// Guards the database and the lock of its folder: they are closed last.
it('closes every part, even after one that cannot be closed, and then ends with status 1', async () => {
  const script = await bundleScript(new URL('./testing/stopping-child.ts', import.meta.url))

  const { stdout, stderr, status } = spawnSync(process.execPath, [script], { encoding: 'utf8' })

  expect(stdout).toBe('The first part is closed.\nThe last part is closed.\n')
  expect(stderr).toContain('It was closed already.')
  expect(status).toBe(1)
})
